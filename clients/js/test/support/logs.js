// Finished games with everything open, to be verified and altered.
import { digestOf } from '../../src/digests.js';
import { client, playAtRandom, seated } from './play.js';
import { seeded } from './proxy.js';

/**
 * Play a game at random to its end. Gives the text of its open log.
 *
 * @param {string} url
 * @param {string} game
 * @param {number} seats
 * @param {object} [settings]
 */
export async function openLog(url, game, seats, settings = {}) {
  const one = client(url);
  const players = Array.from({ length: seats }, () => client(url));
  try {
    const { table, tokens } = await seated(one, game, seats, settings);
    const tables = players.map((player, seat) => player.attach(table, { token: tokens[seat] }));
    await Promise.all(tables.map((player, index) => playAtRandom(player, seeded(index))));
    return { table, log: await one.request('GET', `/tables/${table}/log`, { query: { open: 'true' } }) };
  } finally {
    for (const player of [one, ...players]) player.close();
  }
}

/** The places in a text that a pattern finds, as `[start, end]`. @param {string} text @param {RegExp} pattern */
export function spans(text, pattern) {
  return [...text.matchAll(pattern)].map(({ index = 0, 0: found }) => [index, index + found.length]);
}

/** The text with one character of it another. @param {string} text @param {number} at */
export function altered(text, at) {
  const character = text[at] === '0' ? '1' : '0';
  return text.slice(0, at) + character + text.slice(at + 1);
}

/** A log as its lines, to be changed. @param {string} text @returns {any[]} */
export function linesOf(text) {
  return text.trim().split('\n').map((line) => JSON.parse(line));
}

/** The shuffles of a log. @param {any[]} lines @returns {any[]} */
export function shufflesOf(lines) {
  return lines.flatMap((line) => (line.events ?? []).filter((/** @type {any} */ event) => event.label && event.order));
}

/** A changed log whose digests were reckoned anew. @param {any[]} lines */
export async function rechained(lines) {
  let before = '';
  const chained = [];
  for (const line of lines) {
    before = await digestOf(before, line);
    chained.push({ ...line, digest: before });
  }
  return chained;
}
