// The published vectors of the dealing algorithm, which a second implementation in Python wrote.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { root } from '../scripts/python.js';
import { DECKS } from '../src/generated/decks.js';
import { commitment, Dealer, joined, sorted } from '../src/dealing.js';

const vectors = JSON.parse(readFileSync(`${root}/tests/domain/vectors/dealing.json`, 'utf8'));

/** @param {string} hex */
const bytes = (hex) => Uint8Array.from(Buffer.from(hex, 'hex'));

test('commitments', async () => {
  assert.ok(vectors.commitments.length > 0);
  for (const { table, key, commitment: expected } of vectors.commitments) {
    assert.equal(await commitment(table, bytes(key)), expected);
  }
});

test('shuffles', async () => {
  assert.ok(vectors.shuffles.length > 0);
  for (const { key, entropy, label, items, order } of vectors.shuffles) {
    assert.deepEqual(await new Dealer(bytes(key), entropy).shuffle(label, items), order);
    assert.deepEqual(await new Dealer(bytes(key), entropy).shuffle(label, [...items].reverse()), order);
  }
});

test('a shuffle of each kind that a game makes', async () => {
  const kinds = JSON.parse(readFileSync(`${root}/tests/domain/vectors/labels.json`, 'utf8'));
  assert.ok(kinds.length >= 10);
  for (const { game, event, key, entropy, label, items, order } of kinds) {
    assert.deepEqual(await new Dealer(bytes(key), entropy).shuffle(label, items), order);
    const rule = DECKS[game]?.[label.replace(/\d+/g, '#')];
    assert.ok(rule?.events.includes(event), `${game}: ${label} is a kind of shuffle that the decks know`);
  }
});

test('joined inputs cannot be confused', () => {
  const text = new TextEncoder();
  assert.deepEqual([...joined(text.encode('ab'), text.encode(''))], [0, 0, 0, 2, 97, 98, 0, 0, 0, 0]);
});

test('texts are sorted by their bytes', () => {
  // By UTF-16 units the last two would change places.
  assert.deepEqual(sorted(['\u{1F0A1}', '\uFF21', 'b', 'ab', 'a']), ['a', 'ab', 'b', '\uFF21', '\u{1F0A1}']);
  assert.deepEqual(sorted([10, 9, 2]), [2, 9, 10]);
});
