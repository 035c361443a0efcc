import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Api, FacedownError, Replay } from '../src/index.js';
import { client, playAtRandom, until } from './support/play.js';
import { seeded } from './support/proxy.js';
import { startServer } from './support/server.js';

/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
/** @type {import('../src/index.js').Client[]} */
const clients = [];
before(async () => {
  server = await startServer();
});
after(async () => {
  for (const one of clients) one.close();
  await server?.remove();
});

function here() {
  const made = client(server.url);
  clients.push(made);
  return made;
}

/** What a table or a replay shows. @param {any} shown */
const state = ({ version, view, actions, waiting, status, viewer, atMs }) =>
  structuredClone({ version, view, actions, waiting, status, viewer, atMs });

/**
 * Play a game, and keep what a seat and a spectator saw at every version.
 *
 * @param {string} game
 * @param {number} seats
 */
async function played(game, seats) {
  const one = here();
  const { table, host_token: host } = await one.createTable({ game, seats, autostart: false });
  const watching = await here().attach(table).ready;
  const players = [];
  for (let seat = 0; seat < seats; seat += 1) {
    const { token } = await one.sit(table, { name: `Player ${seat}` });
    players.push({ token, table: await here().attach(table, { token }).ready });
  }
  const [first] = players;
  assert.ok(first);
  const live = [watching, first.table].map((viewer) => {
    const states = new Map([[viewer.version, state(viewer)]]);
    viewer.on('update', ({ version }) => states.set(version, state(viewer)));
    return { states, viewer };
  });
  await one.start(table, host);
  await Promise.all(players.map((player, index) => playAtRandom(player.table, seeded(index))));
  await until(watching, 'change', () => watching.over);
  return { api: one, table, token: first.token, live };
}

test('a replay shows what was seen live at every version, of every game', { timeout: 240_000 }, async (t) => {
  for (const { game, seats } of await new Api(server.url).games()) {
    await t.test(game, async () => {
      const { api, table, token, live } = await played(game, seats[0]);
      for (const [index, { states, viewer }] of live.entries()) {
        const replay = await api.replay(table, index === 0 ? {} : { token });
        assert.equal(replay.last, viewer.version);
        assert.ok(states.size > 10);
        // To and fro, so that no version leans on the one before.
        for (const version of [...states.keys()].reverse()) {
          replay.seek(version);
          assert.deepEqual(state(replay), states.get(version));
        }
        replay.seek(1);
        const stepped = new Map();
        replay.on('update', ({ version }) => stepped.set(version, state(replay)));
        replay.step(Infinity);
        for (const [version, seen] of states) if (version > 1) assert.deepEqual(stepped.get(version), seen);
      }
      const open = await api.replay(table, { open: true });
      assert.deepEqual(open.viewer, { open: true });
      assert.equal(open.last, live[0]?.viewer.version);
    });
  }
});

/** A log of its own making: five versions, one of them long after the others. */
function small() {
  const times = [0, 10, 20, 100_000_000, 100_000_010];
  const line = (/** @type {number} */ at_ms, /** @type {number} */ index) => ({
    version: index + 1,
    at_ms,
    by: 'server',
    events: [{ type: 'tick', number: index }],
    status: index < 4 ? 'playing' : 'finished',
    patch: { status: index < 4 ? 'playing' : 'finished', ...(index > 0 && { game: { number: index } }) },
    actions: [],
    waiting: [],
  });
  return [{ facedown: 1, table: 't1', epoch: 'e', viewer: { spectator: true } }, ...times.map(line)];
}

test('stepping back and forth, past the ends too', () => {
  const replay = new Replay(small());
  assert.deepEqual([replay.version, replay.view?.game, replay.last], [1, null, 5]);
  /** @type {any[]} */
  const told = [];
  replay.on('update', ({ version, events }) => told.push([version, events[0]?.number]));
  replay.on('status', (status) => told.push(status));
  replay.step();
  replay.step(3);
  replay.step();
  assert.deepEqual(told, [[2, 1], [3, 2], [4, 3], [5, 4], 'finished']);
  assert.equal(replay.over, true);
  replay.step(-2);
  assert.deepEqual([replay.version, replay.view?.game, replay.over, replay.events[0].number], [3, { number: 2 }, false, 2]);
  replay.step(-10);
  assert.equal(replay.version, 1);
  replay.seek(99);
  assert.equal(replay.version, 5);
  replay.seek(Number.NaN);
  assert.equal(replay.version, 5);
});

test('playing takes the time that it took, divided by the speed, and no long waits', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const replay = new Replay(small());
  /** @type {string[]} */
  const told = [];
  for (const name of /** @type {const} */ (['play', 'pause', 'end'])) replay.on(name, () => told.push(name));
  replay.play();
  t.mock.timers.tick(9);
  assert.equal(replay.version, 1);
  t.mock.timers.tick(1);
  assert.equal(replay.version, 2);
  replay.play(2);
  t.mock.timers.tick(5);
  assert.equal(replay.version, 3);
  t.mock.timers.tick(1500);
  assert.equal(replay.version, 4, 'a long wait is cut short');
  replay.pause();
  t.mock.timers.tick(100_000);
  assert.equal(replay.version, 4);
  replay.play(1000);
  t.mock.timers.tick(10);
  t.mock.timers.tick(10);
  assert.deepEqual([replay.version, replay.playing], [5, false]);
  assert.deepEqual(told, ['play', 'pause', 'play', 'pause', 'play', 'pause', 'end']);
});

test('a listener may pause, or begin anew with another speed', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const replay = new Replay(small());
  replay.on('update', ({ version }) => {
    if (version === 2) replay.play(10);
    if (version === 4) replay.pause();
  });
  replay.play();
  t.mock.timers.tick(10);
  t.mock.timers.tick(1);
  assert.equal(replay.version, 3, 'only the new speed counts');
  for (let count = 0; count < 5; count += 1) t.mock.timers.tick(10_000);
  assert.equal(replay.version, 4);
});

test('what is no log for a replay is refused, and so are actions', async () => {
  const [header, first, second] = small();
  const wrong = [[], [header], [first], [header, second], [header, { ...first, patch: undefined }], 'no log'];
  for (const log of wrong) assert.throws(() => new Replay(/** @type {any} */ (log)), FacedownError);
  assert.throws(() => new Replay(small()).play(0), /speed/);
  await assert.rejects(new Replay(small()).act({ type: 'draw' }), { code: 'finished' });
});
