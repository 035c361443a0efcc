import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';

import { firstBroken } from '../src/digests.js';
import { Api, readLog, verify } from '../src/index.js';
import { root } from '../scripts/python.js';
import { client, seated } from './support/play.js';
import { altered, linesOf, openLog, rechained, shufflesOf, spans } from './support/logs.js';
import { seeded } from './support/proxy.js';
import { startServer } from './support/server.js';

/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
before(async () => {
  server = await startServer();
});
after(() => server?.remove());

test('the open log of every game, with every number of seats, is in order', { timeout: 240_000 }, async (t) => {
  for (const { game, seats } of await new Api(server.url).games()) {
    for (const number of seats) {
      await t.test(`${game}, ${number} seats`, async () => {
        const { log } = await openLog(server.url, game, number);
        const shuffles = shufflesOf(linesOf(log)).length;
        assert.ok(shuffles >= 2);
        assert.deepEqual(await verify(log), { ok: true, shuffles, decks: true, digests: true });
        assert.deepEqual(await verify(linesOf(log)), { ok: true, shuffles, decks: true, digests: true });
      });
    }
  }
});

test('every altered byte of key, commitment, entropy, label and order is found', { timeout: 240_000 }, async () => {
  const { log } = await openLog(server.url, 'trick-and-trade', 3);
  const parts = {
    key: /(?<="deal_key":")\w+/g,
    commitment: /(?<="commitment":")\w+/g,
    entropy: /(?<="entropy":")[\w-]+/g,
    shuffle: /"type":"(lead_drawn|dealt|trades_shuffled)","label":"[^"]+","order":\[[^\]]+\]/g,
  };
  for (const [name, pattern] of Object.entries(parts)) {
    const found = spans(log, pattern);
    assert.ok(found.length > 0, name);
    for (const [start = 0, end = 0] of found) {
      for (let at = start; at < end; at += 1) {
        const verdict = await verify(altered(log, at));
        assert.equal(verdict.ok, false, `${name}: ${log.slice(at - 20, at)}[${log[at]}]${log.slice(at + 1, at + 20)}`);
      }
    }
  }
});

test('every altered byte of anything else is found by the digests', { timeout: 240_000 }, async () => {
  const { log } = await openLog(server.url, 'trinket-trove', 2);
  const random = seeded(11);
  for (let count = 0; count < 500; count += 1) {
    const at = Math.floor(random() * log.length);
    if (log[at] === '\n') continue;
    const { ok } = await verify(altered(log, at));
    assert.equal(ok, false, `${log.slice(at - 20, at)}[${log[at]}]${log.slice(at + 1, at + 20)}`);
  }
  const lines = linesOf(log);
  lines.at(-1).events[0].type += '!';
  const { problem } = await verify(lines);
  assert.deepEqual([problem?.what, problem?.version], ['digest', lines.at(-1).version]);
  for (const line of lines) delete line.digest;
  assert.deepEqual([(await verify(lines)).ok, (await verify(lines)).digests], [true, false]);
});

test('a changed order is found at its shuffle, in every game', { timeout: 240_000 }, async (t) => {
  for (const { game, seats } of await new Api(server.url).games()) {
    await t.test(game, async () => {
      const { log } = await openLog(server.url, game, seats[0]);
      for (const [index, { label, order }] of shufflesOf(linesOf(log)).entries()) {
        /** @param {(order: any[]) => void} change */
        const changed = async (change) => {
          const lines = linesOf(log);
          change(shufflesOf(lines)[index].order);
          return verify(await rechained(lines));
        };
        const other = order.findIndex((/** @type {any} */ item) => item !== order[0]);
        const swapped = await changed((cards) => ([cards[0], cards[other]] = [cards[other], cards[0]]));
        assert.deepEqual([swapped.ok, swapped.shuffles, swapped.problem?.what], [false, index, 'shuffle']);
        assert.equal(swapped.problem?.label, label);
        // A card in place of the one beside it in the alphabet can leave the shuffle as it was: the deck tells.
        const sorted = [...order].sort((a, b) => (a < b ? -1 : 1));
        for (const [place, card] of order.entries()) {
          const near = sorted[sorted.lastIndexOf(card) + 1] ?? sorted[0];
          if (near === card) continue;
          const replaced = await changed((cards) => (cards[place] = near));
          assert.equal(replaced.ok, false, `${card} replaced by ${near}`);
          assert.equal(replaced.problem?.label, label);
        }
      }
    });
  }
});

test('decks that belong to the options of the table are those of the options', async () => {
  const games = await new Api(server.url).games();
  const { options } = games.find(({ game }) => game === 'trick-and-trade');
  const cards = options.$defs.TrickAndTradeOptions.properties.trade_cards.default;
  const settings = { options: { trade_cards: [...cards].reverse() } };
  const { log } = await openLog(server.url, 'trick-and-trade', 3, settings);
  assert.equal((await verify(log)).ok, true);
});

test('what is no open log of a finished table says so', async () => {
  const { table, log } = await openLog(server.url, 'trinket-trove', 2);
  const api = client(server.url);
  /** @type {[any, string, RegExp][]} */
  const wrong = [
    [await api.log(table), 'log', /not the open log/],
    [[], 'log', /no log in format 1/],
    ['{"facedown":', 'log', /line 1 of the log is no JSON/],
    [linesOf(log).slice(0, -1), 'log', /ends before version/],
    [linesOf(log).filter((_, index) => index !== 3), 'log', /version 3 is missing/],
    [linesOf(log).map((line, index) => (index ? line : { ...line, table: 'othertable' })), 'log', /disagree about table/],
    [linesOf(log).map((line, index) => (index ? line : { ...line, commitment: '0' })), 'log', /about commitment/],
  ];
  for (const [given, what, why] of wrong) {
    const { ok, problem } = await verify(given);
    assert.deepEqual([ok, problem?.what], [false, what]);
    assert.match(problem?.message ?? '', why);
  }
  const never = await seated(api, 'trinket-trove', 2, { reveal: 'never' });
  const { ok, problem } = await verify(await api.log(never.table));
  assert.deepEqual([ok, problem?.what], [false, 'key']);
  assert.match(problem?.message ?? '', /reveal: never/);
});

test('the published logs: an open one, and the chain of a spectator’s', async () => {
  const open = readFileSync(`${root}/tests/domain/vectors/open-log.jsonl`, 'utf8');
  const verdict = await verify(open);
  assert.deepEqual([verdict.ok, verdict.decks, verdict.digests], [true, true, true]);
  const seen = readLog(readFileSync(`${root}/tests/domain/vectors/spectator-log.jsonl`, 'utf8'));
  assert.equal(await firstBroken(seen), -1);
  seen[3].at_ms += 1;
  assert.equal(await firstBroken(seen), 3);
});

test('a left-out shuffle, a label used twice and a game that is not known', async () => {
  const { log } = await openLog(server.url, 'trinket-trove', 2);
  const without = linesOf(log);
  for (const line of without) line.events &&= line.events.filter((/** @type {any} */ event) => !event.label);
  assert.match((await verify(without)).problem?.message ?? '', /tells of no shuffle/);
  const twice = linesOf(log);
  twice.at(-1).events.push(shufflesOf(twice)[0]);
  assert.match((await verify(twice)).problem?.message ?? '', /the label order is used twice/);
  const unknown = linesOf(log);
  unknown[0].game = unknown[1].events[0].game = 'seventh';
  const verdict = await verify(await rechained(unknown));
  assert.deepEqual(verdict, { ok: true, shuffles: 3, decks: false, digests: true });
});
