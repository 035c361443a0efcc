// Whole games of every game over connections that are delayed and cut, also in the middle of a message.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Api } from '../src/index.js';
import { client, playAtRandom, until } from './support/play.js';
import { seeded, startProxy } from './support/proxy.js';
import { startServer } from './support/server.js';

/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
/** @type {any[]} */
let games;

before(async () => {
  server = await startServer();
  games = await new Api(server.url).games();
});
after(() => server?.remove());

/**
 * A viewer behind a proxy of its own, and every version that it was told.
 *
 * @param {string} table
 * @param {string | undefined} token
 * @param {number} seed
 */
async function viewer(table, token, seed) {
  const proxy = await startProxy(server.port, { random: seeded(seed), cutAfter: 60, delayMs: 2 });
  const own = client(proxy.url, { codec: seed % 2 ? 'msgpack' : 'json' });
  const attached = own.attach(table, token === undefined ? {} : { token });
  /** @type {number[]} */
  const told = [];
  /** @type {boolean[]} */
  const recovered = [];
  attached.on('attached', (data) => {
    if (recovered.length === 0) told.push(data.version);
    recovered.push(data.recovered);
  });
  attached.on('update', ({ version }) => told.push(version));
  const close = async () => {
    own.close();
    await proxy.close();
  };
  return { table: attached, token, told, recovered, proxy, close };
}

/**
 * @param {string} game
 * @param {number} seats
 * @param {number} seed
 */
async function playThroughChaos(game, seats, seed) {
  const api = new Api(server.url);
  const http = await startProxy(server.port, { random: seeded(seed), cutAfter: 6, delayMs: 2 });
  const shaky = new Api(http.url, { requestTries: 100, backoffMs: 1, maxBackoffMs: 10 });
  /** @type {Awaited<ReturnType<typeof viewer>>[]} */
  const viewers = [];
  try {
    const { table } = await shaky.createTable({ game, seats });
    viewers.push(await viewer(table, undefined, seed + 50));
    for (let seat = 0; seat < seats; seat += 1) {
      const taken = await shaky.sit(table, { name: `Player ${seat}`, seat });
      assert.equal(taken.seat, seat, 'sitting down counts once');
      viewers.push(await viewer(table, taken.token, seed + seat));
    }
    const players = viewers.slice(1);
    const done = await Promise.all(players.map((player, index) => playAtRandom(player.table, seeded(seed + index))));
    await check(api, table, viewers, done);
  } finally {
    for (const one of viewers) await one.close();
    await http.close();
  }
  return viewers.reduce((cuts, { proxy }) => cuts + proxy.stats.cuts, http.stats.cuts);
}

/**
 * @param {Api} api
 * @param {string} table
 * @param {Awaited<ReturnType<typeof viewer>>[]} viewers a spectator, and the seats
 * @param {import('../src/index.js').Done[][]} done what the seats were told of their commands
 */
async function check(api, table, viewers, done) {
  const [header, ...lines] = await api.log(table);
  for (const one of viewers) await until(one.table, 'change', () => one.table.version === header.version);
  // Exactly once: what the players were told is what the log holds, command by command.
  for (const [seat, answers] of done.entries()) {
    const moves = lines.filter(({ by, events }) => by === seat && events[0].type !== 'seat_taken');
    assert.deepEqual(answers.map(({ version }) => version), moves.map(({ version }) => version));
  }
  // No gaps and nothing twice, however often the connection was lost, and the same end for everybody.
  for (const one of viewers) {
    assert.deepEqual(one.recovered, [false, ...one.recovered.slice(1).map(() => true)]);
    const first = one.told[0] ?? 0;
    assert.deepEqual(one.told, Array.from({ length: header.version - first + 1 }, (_, step) => first + step));
    assert.deepEqual(one.table.view, (await api.at(table, header.version, one.token)).view);
  }
}

test('every game, with the fewest and the most seats', { timeout: 300_000 }, async (t) => {
  assert.ok(games.length >= 6);
  let cuts = 0;
  for (const [index, { game, seats }] of games.entries()) {
    for (const number of new Set([Math.min(...seats), Math.max(...seats)])) {
      await t.test(`${game}, ${number} seats`, async () => {
        cuts += await playThroughChaos(game, number, 1000 * index + 10 * number);
      });
    }
  }
  assert.ok(cuts > 100, `connections were cut ${cuts} times`);
});
