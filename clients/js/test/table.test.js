// The table object against a scripted server.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { Table } from '../src/index.js';

/** @type {any[]} */
let sent;
/** @type {any[]} */
let told;
/** @type {Table} */
let table;

beforeEach(() => {
  sent = [];
  told = [];
  table = new Table(
    't1',
    { token: 'secret' },
    {
      send: (message) => sent.push(structuredClone(message)) > 0,
      answer: async () => {},
      serverNow: () => 1_000_000,
      forget: () => {},
    },
  );
  for (const name of /** @type {const} */ (['update', 'attached', 'status', 'state', 'detached', 'change'])) {
    table.on(name, (/** @type {any} */ data) => told.push([name, data?.version ?? data?.reason ?? data]));
  }
});

/** @param {number} version @param {object} [more] */
function attached(version, more = {}) {
  const id = sent.findLast((message) => message.type === 'attach').id;
  const view = { status: 'playing', seats: [], game: { trick: version } };
  const whole = { view, actions: [{ type: 'draw' }], waiting: [0], at_ms: version * 10 };
  const frame = { type: 'attached', id, table: 't1', viewer: { seat: 0 }, version, epoch: 'e1', status: 'playing' };
  table.take({ ...frame, recovered: false, ...whole, ...more });
}

/** @param {number} version @param {object} [more] */
function update(version, more = {}) {
  const frame = { type: 'update', table: 't1', version, at_ms: version * 10, by: 0, status: 'playing' };
  table.take({ ...frame, events: [], waiting: [0], actions: [], patch: { game: { trick: version } }, ...more });
}

const names = () => told.map(([name, data]) => (data === undefined ? name : `${name} ${data}`));

test('the first attach asks for everything', async () => {
  table.attach();
  const { id, ...message } = sent[0];
  assert.deepEqual(message, { type: 'attach', table: 't1', token: 'secret', views: 'patch' });
  assert.match(id, /./);
  attached(4);
  assert.equal(await table.ready, table);
  assert.deepEqual(names(), ['state live', 'attached 4', 'change']);
  assert.ok(table.mayAct);
  assert.equal(table.seat, 0);
});

test('updates are applied and told in order; the view belongs to the version', () => {
  table.attach();
  attached(4);
  told = [];
  table.on('update', ({ version }) => assert.equal(table.view?.game.trick, version));
  update(5, { status: 'finished' });
  assert.deepEqual(names(), ['update 5', 'status finished', 'change']);
  assert.equal(table.over, true);
});

test('a version that is there already is not told again', () => {
  table.attach();
  attached(4);
  told = [];
  update(4);
  update(5);
  update(5);
  assert.deepEqual(names(), ['update 5', 'change']);
});

test('a gap is filled by resuming, and nothing that comes before the answer counts', () => {
  table.attach();
  attached(4);
  update(6);
  const { id, ...resume } = sent[1];
  assert.deepEqual(resume, {
    type: 'attach', table: 't1', token: 'secret', views: 'patch', from: 4, epoch: 'e1', from_ms: 40,
  });
  update(7);
  assert.equal(table.version, 4);
  told = [];
  attached(4, { recovered: true, head: 7, view: undefined });
  for (const version of [5, 6]) update(version, { patch: undefined });
  assert.equal(table.version, 4, 'while it catches up, the view stays with its version');
  update(7, { patch: undefined, view: { status: 'playing', seats: [], game: { trick: 7 } } });
  assert.equal(table.view?.game.trick, 7);
  assert.deepEqual(names(), ['update 5', 'update 6', 'update 7', 'state live', 'attached 7', 'change']);
  update(8);
  assert.equal(table.view?.game.trick, 8, 'patches go on from there');
});

test('a connection lost while catching up tells nothing twice', () => {
  table.attach();
  attached(4);
  table.down();
  table.attach();
  attached(4, { recovered: true, head: 7 });
  update(5, { patch: undefined });
  table.down();
  told = [];
  table.attach();
  assert.equal(sent.at(-1).from, 4, 'it resumes from the view that it has');
  attached(4, { recovered: true, head: 6 });
  update(5, { patch: undefined });
  update(6, { patch: undefined, view: { status: 'playing', seats: [], game: { trick: 6 } } });
  assert.deepEqual(names(), ['update 6', 'state live', 'attached 6', 'change']);
});

test('nothing was missed: it is live at once', () => {
  table.attach();
  attached(4);
  table.down();
  assert.equal(table.state, 'attaching');
  assert.equal(table.mayAct, false);
  table.attach();
  attached(4, { recovered: true, head: 4, view: undefined, actions: undefined });
  assert.equal(table.state, 'live');
  assert.deepEqual(table.actions, [{ type: 'draw' }], 'what could be done still can');
});

test('a command waits for the whole table before it is sent again', async () => {
  table.attach();
  attached(4);
  const done = table.act({ type: 'draw' }, { id: 'c1' });
  table.down();
  table.attach();
  const before = sent.length;
  attached(4, { recovered: true, head: 5 });
  assert.equal(sent.length, before);
  update(5, { patch: undefined, view: { status: 'playing', seats: [], game: {} } });
  assert.deepEqual([sent.at(-1).id, sent.at(-1).if_version], ['c1', 5]);
  table.take({ type: 'accepted', id: 'c1', table: 't1', version: 5 });
  assert.deepEqual(await done, { id: 'c1', version: 5 });
});

test('an answer to an attach that was given up is ignored', () => {
  table.attach();
  const old = sent[0].id;
  table.attach();
  table.take({ type: 'attached', id: old, table: 't1', viewer: { seat: 1 }, version: 2, epoch: 'e0' });
  assert.equal(table.state, 'attaching');
});

test('resync_required starts anew, without what was known', () => {
  table.attach();
  attached(4);
  table.take({ type: 'detached', table: 't1', reason: 'resync_required' });
  assert.equal(sent.at(-1).from, undefined);
  attached(2, { epoch: 'e2' });
  assert.deepEqual([table.version, table.epoch], [2, 'e2']);
  update(3);
  assert.equal(table.version, 3);
});

test('removed is for good: commands are refused, and nothing is sent any more', async () => {
  table.attach();
  attached(4);
  const done = table.act({ type: 'draw' });
  table.take({ type: 'detached', table: 't1', reason: 'removed' });
  await assert.rejects(done, { code: 'detached', uncertain: true, detail: { reason: 'removed' } });
  assert.deepEqual([table.state, table.actions, table.mayAct], ['detached', [], false]);
  const before = sent.length;
  table.attach();
  await assert.rejects(table.act({ type: 'draw' }), { code: 'detached' });
  assert.equal(sent.length, before);
});

test('a refused attach rejects ready', async () => {
  table.attach();
  table.take({ type: 'error', id: sent[0].id, table: 't1', code: 'unauthorized', message: 'no such token' });
  await assert.rejects(table.ready, { code: 'unauthorized', message: 'no such token' });
  assert.ok(names().includes('detached refused'));
});

test('a server that cannot serve the table now is asked again', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  table.attach();
  table.take({ type: 'error', id: sent[0].id, table: 't1', code: 'unavailable', message: 'later' });
  t.mock.timers.tick(60_000);
  assert.equal(sent.length, 2);
  attached(4);
  table.take({ type: 'detached', table: 't1', reason: 'closed' });
  assert.equal(table.state, 'attaching');
  t.mock.timers.tick(60_000);
  assert.equal(sent.length, 3);
  table.dropped(1000);
  t.mock.timers.tick(60_000);
  assert.equal(sent.length, 4);
});

test('presence, rematches and deadlines are kept', () => {
  table.attach();
  attached(4, { deadlines: [{ seat: 0, at_ms: 1_003_000, bank_from_ms: 1_001_000 }] });
  assert.equal(table.timeLeft(0), 3000);
  assert.equal(table.timeLeft(1), undefined);
  table.take({ type: 'presence', table: 't1', seat: 1, connected: true });
  table.take({ type: 'rematch', table: 't1', next: 't2' });
  assert.deepEqual([table.connected, table.next], [{ 1: true }, 't2']);
});
