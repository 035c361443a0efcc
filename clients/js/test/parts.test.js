import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Clock } from '../src/clock.js';
import { Emitter } from '../src/emitter.js';
import { Api, applyPatch, randomText, readLog } from '../src/index.js';
import { Backoff } from '../src/random.js';

test('merge patches do what RFC 7396 shows', () => {
  /** @type {[any, any, any][]} */
  const shown = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [['a', 'b'], ['c', 'd'], ['c', 'd']],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ];
  for (const [target, patch, result] of shown) assert.deepEqual(applyPatch(target, patch), result);
});

test('a patch changes nothing in place and shares what it does not touch', () => {
  const old = { seats: [{ name: 'Ada' }], game: { hand: ['lure'], row: { a: 1 } } };
  const kept = structuredClone(old);
  const patched = applyPatch(old, { game: { row: { a: 2 } } });
  assert.deepEqual(old, kept);
  assert.equal(patched.seats, old.seats);
  assert.equal(patched.game.hand, old.game.hand);
  assert.deepEqual(patched.game.row, { a: 2 });
});

test('a patch cannot reach the prototype', () => {
  const patched = applyPatch({}, JSON.parse('{"__proto__": {"polluted": true}}'));
  assert.equal(/** @type {any} */ ({}).polluted, undefined);
  assert.deepEqual(Object.keys(patched), ['__proto__']);
  assert.equal(Object.getPrototypeOf(patched), Object.prototype);
});

test('waits double up to a limit and are jittered', () => {
  const longest = new Backoff(100, 1000, () => 1);
  assert.deepEqual([1, 2, 3, 4, 5, 6].map(() => longest.next()), [100, 200, 400, 800, 1000, 1000]);
  const shortest = new Backoff(100, 1000, () => 0);
  assert.deepEqual([1, 2, 3].map(() => shortest.next()), [50, 100, 200]);
  shortest.reset();
  assert.equal(shortest.next(), 50);
  const many = new Backoff(100, 1000, () => 1);
  many.tries = 5000;
  assert.equal(many.next(), 1000);
});

test('the clock believes the quickest answer', () => {
  let now = 1000;
  const clock = new Clock(() => now);
  assert.equal(clock.offsetMs, 0);
  assert.equal(clock.tripMs, undefined);
  now = 1400;
  clock.measured(1000, 6000); // on its way for 400: the server said 6000 when it was 1200 here
  assert.equal(clock.offsetMs, 4800);
  now = 1510;
  clock.measured(1500, 6506);
  assert.equal(clock.offsetMs, 5001);
  assert.equal(clock.tripMs, 10);
  now = 2000;
  clock.measured(1600, 9999);
  assert.equal(clock.serverNow(), 7001);
  for (let count = 0; count < 8; count += 1) clock.measured(2000, 2100);
  assert.equal(clock.offsetMs, 100, 'old measurements are forgotten');
});

test('listeners hear in order until they stop, also one that stops another', () => {
  /** @type {Emitter<{ tick: number }>} */
  const emitter = new Emitter();
  /** @type {string[]} */
  const heard = [];
  const off = emitter.on('tick', (value) => void heard.push(`a${value}`));
  emitter.on('tick', (value) => void heard.push(`b${value}`));
  emitter.emit('tick', 1);
  off();
  emitter.emit('tick', 2);
  assert.deepEqual(heard, ['a1', 'b1', 'b2']);
});

test('random texts fit into ids, keys and tokens', () => {
  const texts = new Set(Array.from({ length: 1000 }, () => randomText(32)));
  assert.equal(texts.size, 1000);
  for (const text of texts) assert.match(text, /^[\w-]{43}$/);
});

test('addresses: what can be one and what cannot', () => {
  /** @type {[string, string, string][]} */
  const good = [
    ['http://localhost:8000', 'http://localhost:8000', 'ws://localhost:8000/v1/ws'],
    ['https://cards.example.org/', 'https://cards.example.org', 'wss://cards.example.org/v1/ws'],
    ['wss://example.org/cards/', 'https://example.org/cards', 'wss://example.org/cards/v1/ws'],
  ];
  for (const [given, url, socketUrl] of good) {
    const api = new Api(given);
    assert.deepEqual([api.url, api.socketUrl], [url, socketUrl]);
  }
  for (const bad of ['', 'localhost:8000', 'ftp://example.org', 'http://example.org/?token=x', '/v1']) {
    assert.throws(() => new Api(bad), /the address of a server is like/);
  }
});

test('a log that is no JSON Lines says in which line', () => {
  assert.deepEqual(readLog('{"a":1}\n\n{"b":2}\n'), [{ a: 1 }, { b: 2 }]);
  assert.throws(() => readLog('{"a":1}\n{"b":\n'), /line 2 of the log is no JSON/);
});
