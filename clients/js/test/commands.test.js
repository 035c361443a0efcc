import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { Commands } from '../src/commands.js';

const DRAW = { type: 'draw' };

/** @type {any[]} */
let sent;
let live = true;
let version = 7;
/** @type {Commands} */
let commands;

beforeEach(() => {
  sent = [];
  live = true;
  version = 7;
  const send = (/** @type {object} */ message) => live && sent.push(structuredClone(message)) > 0;
  commands = new Commands('t1', send, () => version);
});

/**
 * @param {string} code
 * @param {object} [more]
 */
const rejected = (code, more = {}) => ({ type: 'rejected', id: 'c1', table: 't1', code, message: 'no', version, ...more });
const accepted = { type: 'accepted', id: 'c1', table: 't1', version: 8 };

test('a command carries the version that it was meant for, and its answer settles it', async () => {
  const done = commands.add(DRAW, { id: 'c1' });
  assert.deepEqual(sent, [{ type: 'act', id: 'c1', table: 't1', action: DRAW, if_version: 7 }]);
  assert.ok(commands.answer(accepted));
  assert.deepEqual(await done, { id: 'c1', version: 8 });
  assert.equal(commands.size, 0);
  assert.ok(!commands.answer(accepted), 'a second answer is nobody’s');
});

test('without a connection it waits, and is sent once there is one', async () => {
  live = false;
  const done = commands.add(DRAW, { id: 'c1' });
  assert.equal(sent.length, 0);
  live = true;
  version = 9;
  commands.resend();
  assert.equal(sent[0].if_version, 9);
  commands.answer(accepted);
  await done;
});

test('after a lost connection it is sent again with its id, for the version there is then', async () => {
  const done = commands.add(DRAW, { id: 'c1' });
  commands.lost();
  version = 8;
  commands.resend();
  assert.deepEqual(sent.map((message) => [message.id, message.if_version]), [['c1', 7], ['c1', 8]]);
  commands.answer(accepted);
  assert.equal((await done).version, 8);
});

test('a table that has only moved on is no refusal', async () => {
  const done = commands.add(DRAW, { id: 'c1' });
  commands.answer(rejected('version_conflict', { detail: { version: 9 } }));
  assert.deepEqual(sent.map((message) => message.if_version), [7, 9], 'also before the updates have come');
  commands.answer({ ...accepted, version: 10 });
  assert.equal((await done).version, 10);
});

test('a version that the caller gave is the caller’s', async () => {
  const done = commands.add(DRAW, { id: 'c1', ifVersion: 5 });
  assert.equal(sent[0].if_version, 5);
  commands.answer(rejected('version_conflict', { detail: { version: 9 } }));
  await assert.rejects(done, { code: 'version_conflict', uncertain: false });
  assert.equal(sent.length, 1);
});

test('a refusal says why, and that nothing was done', async () => {
  const done = commands.add(DRAW, { id: 'c1' });
  commands.lost();
  commands.resend();
  commands.answer(rejected('illegal_action', { detail: { free: [1] } }));
  await assert.rejects(done, { code: 'illegal_action', detail: { free: [1] }, uncertain: false });
});

test('an answer to a copy from before the attachment was lost settles nothing, unless it is yes', async () => {
  const first = commands.add(DRAW, { id: 'c1' });
  commands.lost();
  live = false;
  commands.answer({ type: 'error', id: 'c1', code: 'forbidden', message: 'attach first' });
  assert.equal(commands.size, 1);
  commands.answer(accepted);
  assert.equal((await first).version, 8);
});

test('where the outcome is unknown it is asked for with the same id until it is known', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const done = commands.add(DRAW, { id: 'c1' });
  for (let count = 0; count < 20; count += 1) {
    commands.answer({ type: 'error', id: 'c1', code: count % 2 ? 'unavailable' : 'outcome_unknown', message: '' });
    t.mock.timers.tick(5_000);
    assert.equal(sent.length, count + 2);
  }
  assert.deepEqual([...new Set(sent.map((message) => message.id))], ['c1']);
  commands.answer(accepted);
  await done;
});

test('a server that says that nothing changed is asked some times, then believed', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const done = commands.add(DRAW, { id: 'c1' });
  while (commands.size > 0) {
    commands.answer({ type: 'error', id: 'c1', code: 'unavailable', message: 'later' });
    t.mock.timers.tick(5_000);
  }
  await assert.rejects(done, { code: 'unavailable', uncertain: false });
  assert.equal(sent.length, 9);
});

test('what the server dropped unread is sent again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const done = commands.add(DRAW, { id: 'c1' });
  commands.dropped(1000);
  t.mock.timers.tick(999);
  assert.equal(sent.length, 1);
  t.mock.timers.tick(5000);
  assert.equal(sent.length, 2);
  commands.answer(accepted);
  await done;
});

test('when no answer can come, it says whether the command may have been carried out', async () => {
  const sentOne = commands.add(DRAW, { id: 'c1' });
  live = false;
  const waiting = commands.add(DRAW, { id: 'c2' });
  commands.fail('closed', 'the client was closed');
  await assert.rejects(sentOne, { code: 'closed', uncertain: true });
  await assert.rejects(waiting, { code: 'closed', uncertain: false });
});

test('the same id again is the same command; with another action it is refused here', async () => {
  const first = commands.add(DRAW, { id: 'c1' });
  assert.equal(commands.add({ type: 'draw' }, { id: 'c1' }), first);
  await assert.rejects(commands.add({ type: 'look' }, { id: 'c1' }), { code: 'id_reused' });
  assert.equal(sent.length, 1);
  commands.answer(accepted);
  await first;
});

test('a command that no server would read is refused here', async () => {
  await assert.rejects(commands.add({ type: 'bid', cards: Array(9000).fill('thimble') }, {}), { code: 'too_large' });
  assert.equal(sent.length, 0);
});
