// Lost connections, one at a time.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { randomAction } from '../src/index.js';
import { client, playAtRandom, seated, until } from './support/play.js';
import { seeded, startProxy } from './support/proxy.js';
import { startServer } from './support/server.js';

/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
/** @type {(() => unknown)[]} */
const ends = [];

before(async () => {
  server = await startServer();
});
after(async () => {
  for (const end of ends) await end();
  await server?.remove();
});

/**
 * @param {string} url
 * @param {import('../src/index.js').ClientOptions} [options]
 */
function reach(url, options) {
  const made = client(url, options);
  ends.push(() => made.close());
  return made;
}

async function proxied() {
  const proxy = await startProxy(server.port);
  ends.push(() => proxy.close());
  return proxy;
}

/** A game of two, one behind a proxy, and whose turn it is. */
async function two() {
  const proxy = await proxied();
  const direct = reach(server.url);
  const { table, tokens } = await seated(direct, 'mein-schatz', 2);
  const far = reach(proxy.url);
  const tables = [direct.attach(table, { token: tokens[0] }), far.attach(table, { token: tokens[1] })];
  await Promise.all(tables.map((one) => one.ready));
  const [here, away] = /** @type {[import('../src/index.js').Table, import('../src/index.js').Table]} */ (tables);
  return { proxy, direct, far, here, away };
}

/**
 * Let seats play until it is the turn of `until`.
 *
 * @param {import('../src/index.js').Table[]} tables
 * @param {import('../src/index.js').Table} wanted
 */
async function turnOf(tables, wanted) {
  const random = seeded(5);
  while (!wanted.mayAct) {
    const turn = tables.find((table) => table.mayAct);
    if (turn) await turn.act(randomAction(turn.actions, random));
    await until(wanted, 'change', () => wanted.mayAct || tables.some((table) => table.mayAct));
  }
}

test('what happened meanwhile is told in order, and the view is that of the server', async () => {
  const { proxy, here, away, far } = await two();
  await turnOf([here, away], here);
  const from = away.version;
  /** @type {number[]} */
  const versions = [];
  away.on('update', ({ version }) => versions.push(version));
  /** @type {any[]} */
  const attached = [];
  away.on('attached', (data) => attached.push(data));
  proxy.sever();
  await until(away, 'state', () => away.state === 'attaching');
  while (here.mayAct) await here.act(randomAction(here.actions, seeded(here.version)));
  proxy.restore();
  await until(away, 'attached', () => away.state === 'live');
  assert.deepEqual(attached, [{ version: here.version, recovered: true }]);
  assert.deepEqual(versions, Array.from({ length: here.version - from }, (_, index) => from + 1 + index));
  assert.deepEqual(away.view, (await far.at(away.id, away.version)).view);
  assert.ok(far.connections >= 2);
});

test('a command that is given while there is no connection is carried out when there is one', async () => {
  const { proxy, here, away } = await two();
  await turnOf([here, away], away);
  const action = randomAction(away.actions, seeded(3));
  proxy.sever();
  await until(away, 'state', () => away.state === 'attaching');
  const before = away.version;
  const done = away.act(action);
  assert.equal(away.unanswered, 1);
  proxy.restore();
  assert.equal((await done).version, before + 1);
});

test('a command whose answer was lost is not carried out again', async () => {
  const { proxy, here, away } = await two();
  await turnOf([here, away], away);
  const before = away.version;
  proxy.mute();
  const done = away.act(randomAction(away.actions, seeded(3)));
  await until(here, 'update', () => here.version > before);
  proxy.sever();
  proxy.restore();
  assert.equal((await done).version, before + 1);
  const lines = await logOf(away.id);
  assert.deepEqual(lines.filter((line) => line.version > before && line.by === away.seat).length, 1);

  /** @param {string} table */
  function logOf(table) {
    return reach(server.url).log(table).then((log) => log.slice(1));
  }
});

test('a connection that says nothing any more is replaced', async () => {
  const proxy = await proxied();
  const far = reach(proxy.url, { pingMs: 20, timeoutMs: 300 });
  const { table } = await seated(far, 'mein-schatz', 2);
  const watched = await far.attach(table).ready;
  /** @type {string[]} */
  const reasons = [];
  far.on('status', ({ reason }) => reason && reasons.push(reason));
  proxy.mute();
  await until(watched, 'attached', () => far.connections >= 2 && watched.state === 'live');
  assert.deepEqual([...new Set(reasons)], ['no answer in time']);
});

test('a server that nobody reaches is tried again until it is there', async () => {
  const proxy = await proxied();
  proxy.sever();
  const far = reach(proxy.url);
  let tries = 0;
  far.on('status', ({ status }) => (tries += status === 'connecting' ? 1 : 0));
  const lobby = far.watchLobby();
  await until(far, 'status', () => tries >= 4);
  proxy.restore();
  assert.equal((await lobby.ready).live, true);
});

test('the lobby is whole again after a lost connection', async () => {
  const proxy = await proxied();
  const far = reach(proxy.url);
  const direct = reach(server.url);
  const lobby = await far.watchLobby({ game: 'hold-my-beer' }).ready;
  proxy.sever();
  await until(far, 'status', () => !lobby.live);
  const { table } = await direct.createTable({ game: 'hold-my-beer' });
  proxy.restore();
  await until(lobby, 'change', () => lobby.tables.some((facts) => facts.table === table));
});

test('a game goes on where it was when the server is started anew', async () => {
  const first = await startServer();
  const one = reach(first.url);
  const { table, tokens } = await seated(one, 'trick-and-trade', 3);
  const tables = tokens.map((token) => reach(first.url).attach(table, { token }));
  await Promise.all(tables.map((seat) => seat.ready));
  const played = tables.map((seat, index) => playAtRandom(seat, seeded(index)));
  await until(/** @type {any} */ (tables[0]), 'update', () => (tables[0]?.version ?? 0) > 20);
  await first.stop();
  const second = await startServer({ port: first.port, data: first.folder });
  ends.push(() => second.remove());
  const done = (await Promise.all(played)).flat();
  const lines = (await one.log(table)).slice(1);
  const moves = lines.filter((line) => typeof line.by === 'number' && line.events[0]?.type !== 'seat_taken');
  assert.deepEqual(moves.map((line) => line.version).sort((a, b) => a - b), done.map(({ version }) => version).sort((a, b) => a - b));
});
