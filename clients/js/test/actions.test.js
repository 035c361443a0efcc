import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkAction, countActions, isAllowed, listActions, randomAction } from '../src/index.js';
import { seeded } from './support/proxy.js';

/** @type {import('../src/index.js').Offer[]} */
const OFFERS = [
  { type: 'draw' },
  { type: 'lay', place: { one_of: [0, 2] } },
  { type: 'exchange', give: { one_of: ['ace', 'fool'] }, take: { one_of: ['ring', 'orc', 'sword'] } },
  { type: 'bid', cards: { some_of: ['lure', 'lure', 'bell'], min: 0, max: 2 } },
];

const ALL = [
  { type: 'draw' },
  { type: 'lay', place: 0 },
  { type: 'lay', place: 2 },
  ...['ace', 'fool'].flatMap((give) => ['ring', 'orc', 'sword'].map((take) => ({ type: 'exchange', give, take }))),
  ...[[], ['bell'], ['lure'], ['lure', 'bell'], ['lure', 'lure']].map((cards) => ({ type: 'bid', cards })),
];

/** @param {any} action */
const key = (action) => JSON.stringify(action, Object.keys(action).sort());

test('every combination is listed, each once', () => {
  assert.deepEqual([...listActions(OFFERS)].map(key).sort(), ALL.map(key).sort());
  assert.equal(countActions(OFFERS), ALL.length);
});

test('counting does not list', () => {
  const cards = Array.from({ length: 60 }, (_, index) => `card-${index}`);
  const offers = [{ type: 'bid', cards: { some_of: cards, min: 0, max: 60 } }];
  assert.equal(countActions(offers), 2 ** 60);
  assert.deepEqual(listActions(offers).next().value, { type: 'bid', cards: [] });
});

test('a choice of at least some values leaves out the smaller ones', () => {
  const offers = [{ type: 'draft', lots: { some_of: ['a', 'b', 'c'], min: 2, max: 2 } }];
  assert.deepEqual([...listActions(offers)].map((action) => action.lots.join('')).sort(), ['ab', 'ac', 'bc']);
  assert.equal(countActions(offers), 3);
});

test('what is listed is allowed, in any order of its values', () => {
  for (const action of ALL) assert.equal(checkAction(OFFERS, action), undefined);
  assert.ok(isAllowed(OFFERS, { type: 'bid', cards: ['bell', 'lure'] }));
});

test('everything else is not, and the sentence says why', () => {
  /** @type {[any, RegExp][]} */
  const wrong = [
    [{ type: 'pass' }, /"pass" is not possible now; possible: draw, lay, exchange, bid/],
    [{ type: 'draw', place: 0 }, /draw has no parameter "place"/],
    [{ type: 'lay' }, /lay needs the parameter place: one of 0, 2/],
    [{ type: 'lay', place: 1 }, /lay.place cannot be 1; it is one of 0, 2/],
    [{ type: 'lay', place: '0' }, /lay.place cannot be "0"/],
    [{ type: 'lay', place: true }, /lay.place cannot be true/],
    [{ type: 'bid', cards: ['bell', 'bell'] }, /it is a list of 0 to 2 of lure, lure, bell/],
    [{ type: 'bid', cards: ['lure', 'lure', 'bell'] }, /bid.cards cannot be/],
    [{ type: 'bid', cards: 'lure' }, /bid.cards cannot be/],
    [{ type: 'bid', cards: { 0: 'lure', length: 1 } }, /bid.cards cannot be/],
  ];
  for (const [action, why] of wrong) assert.match(checkAction(OFFERS, action) ?? 'allowed', why);
  assert.equal(checkAction([], { type: 'draw' }), 'nothing can be done now');
});

test('two offers of one type are tried one after the other', () => {
  /** @type {import('../src/index.js').Offer[]} */
  const offers = [
    { type: 'resolve', choice: { one_of: ['score'] } },
    { type: 'resolve', choice: { one_of: ['give'] }, to: { one_of: [1, 3] } },
  ];
  assert.ok(isAllowed(offers, { type: 'resolve', choice: 'give', to: 3 }));
  assert.ok(!isAllowed(offers, { type: 'resolve', choice: 'score', to: 3 }));
});

test('random actions are allowed, and all of them come', () => {
  const random = seeded(1);
  const seen = new Set();
  for (let count = 0; count < 2000; count += 1) {
    const action = randomAction(OFFERS, random);
    assert.equal(checkAction(OFFERS, action), undefined);
    seen.add(key({ ...action, ...(action.cards && { cards: [...action.cards].sort() }) }));
  }
  assert.equal(seen.size, ALL.length);
  assert.throws(() => randomAction([]), /nothing to choose from/);
});
