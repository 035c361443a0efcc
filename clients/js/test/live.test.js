// One client against a real server.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { decode } from '@msgpack/msgpack';

import { Api, connect, FacedownError, randomAction } from '../src/index.js';
import { client, playAtRandom, seated, until } from './support/play.js';
import { seeded } from './support/proxy.js';
import { startServer } from './support/server.js';

/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
/** @type {import('../src/index.js').Client[]} */
const clients = [];

before(async () => {
  // Of bots that take a second to think nothing is looked at here but what they do.
  server = await startServer({ env: { FACEDOWN_BOT_DELAY_MS: '20' } });
});
after(async () => {
  for (const one of clients) one.close();
  await server?.remove();
});

/** @param {import('../src/index.js').ClientOptions} [options] */
function here(options) {
  const made = client(server.url, options);
  clients.push(made);
  return made;
}

test('tables are opened, joined, listed, left and started over HTTP', async () => {
  const api = new Api(server.url);
  assert.equal((await api.about()).server, 'facedown');
  const [first] = await api.games();
  const opened = await api.createTable({ game: first.game, seats: first.seats[0], autostart: false });
  const { table, host_token: host } = opened;
  const one = await api.sit(table, { name: 'Ada', seat: 0 });
  await api.leave(table, one.seat, one.token);
  for (let seat = 0; seat < first.seats[0]; seat += 1) await api.sit(table, { name: `P${seat}`, seat });
  const listed = await api.tables({ game: first.game, status: 'open' });
  assert.ok(listed.tables.some((facts) => facts.table === table));
  assert.equal((await api.facts(table)).seats[0]?.name, 'P0');
  assert.equal((await api.start(table, host)).status, 'playing');
  assert.equal((await api.at(table, 1)).status, 'open');
  const { token } = await api.admitSpectator(table, host);
  assert.ok(token);
});

test('every seat adds entropy unless it says otherwise', async () => {
  const api = new Api(server.url);
  const { table } = await api.createTable({ game: 'trinket-trove', seats: 3 });
  await api.sit(table, { name: 'by itself' });
  await api.sit(table, { name: 'own', entropy: 'mine' });
  await api.sit(table, { name: 'none', entropy: null });
  const events = (await api.log(table)).slice(1).flatMap((line) => line.events);
  const [first, ...others] = events.filter((event) => event.type === 'seat_taken').map((event) => event.entropy);
  assert.match(first, /^[\w-]{24}$/);
  assert.deepEqual(others, ['mine', undefined]);
});

test('what the server refuses over HTTP has its code, text and detail', async () => {
  const api = new Api(server.url);
  await assert.rejects(api.createTable({ game: 'no-such' }), { code: 'no_such_game', status: 404 });
  await assert.rejects(api.facts('nosuchtable'), { name: 'FacedownError', code: 'no_such_table' });
  const { table } = await api.createTable({ game: 'trinket-trove', seats: 2 });
  await api.sit(table, { name: 'Ada', seat: 0 });
  await assert.rejects(api.sit(table, { name: 'Bo', seat: 0 }), { code: 'seat_taken', detail: { free: [1] } });
  await assert.rejects(api.start(table, 'not-the-host-token'), { code: 'unauthorized', status: 401 });
  const gone = new Api('http://127.0.0.1:9', { requestTries: 2, backoffMs: 1 });
  await assert.rejects(gone.games(), { code: 'unreachable' });
  const other = new Api(`${server.url}/v1/elsewhere`);
  await assert.rejects(other.about(), FacedownError);
});

test('the answer of no Facedown server is told as such', async () => {
  const fetch = async () => new Response('<h1>Bad gateway</h1>', { status: 502 });
  const api = new Api('http://localhost', { fetch, requestTries: 2, backoffMs: 1 });
  await assert.rejects(api.games(), { code: 'unreachable', message: /no Facedown server \(status 502\)/ });
});

test('JSON and MessagePack give equal tables at every version', async () => {
  const [text, binary] = [here(), here({ codec: 'msgpack' })];
  let frames = 0;
  binary.on('message', () => (frames += 1));
  const { table, tokens } = await seated(text, 'trick-and-trade', 3);
  const players = tokens.map((token, seat) => (seat % 2 ? binary : here()).attach(table, { token }));
  const [a, b] = [text.attach(table, { views: 'patch' }), here({ codec: 'msgpack' }).attach(table)];
  const [c, d] = [here().attach(table, { views: 'full' }), here().attach(table, { views: 'none' })];
  /** @type {Map<number, string[]>} */
  const seen = new Map();
  for (const viewer of [a, b, c]) {
    await viewer.ready;
    viewer.on('update', ({ version, events }) => {
      const { view, waiting, status, actions } = viewer;
      const all = seen.get(version) ?? [];
      seen.set(version, [...all, JSON.stringify(sortedKeys({ view, waiting, status, actions, events }))]);
    });
  }
  await d.ready;
  await Promise.all(players.map((player, seat) => playAtRandom(player, seeded(seat))));
  await Promise.all([a, b, c, d].map((viewer) => until(viewer, 'change', () => viewer.over)));
  assert.ok(frames > 0 && seen.size > 10);
  for (const states of seen.values()) assert.deepEqual([states.length, new Set(states).size], [3, 1]);
  assert.deepEqual([d.view, d.version], [undefined, a.version]);
});

test('the MessagePack library can be passed in', async () => {
  let decoded = 0;
  const { encode } = await import('@msgpack/msgpack');
  const counting = { encode, decode: (/** @type {any} */ bytes) => ((decoded += 1), decode(bytes)) };
  const one = here({ codec: 'msgpack', msgpack: /** @type {any} */ (counting) });
  await one.watchLobby().ready;
  assert.ok(decoded > 0);
});

test('without a WebSocket, HTTP works and the rest says what is missing', () => {
  const bare = connect(server.url, { WebSocket: undefined });
  if (globalThis.WebSocket) return; // Node 22 and browsers have one
  assert.throws(() => bare.attach('whatever1'), { code: 'unsupported', message: /option WebSocket/ });
});

test('many tables travel over one connection', async () => {
  const one = here();
  const opened = [];
  for (let count = 0; count < 12; count += 1) opened.push(await seated(one, 'mein-schatz', 2));
  const other = here();
  const games = opened.map(({ table, tokens }, index) => {
    const seats = [one.attach(table, { token: tokens[0] }), other.attach(table, { token: tokens[1] })];
    return Promise.all(seats.map((seat, number) => playAtRandom(seat, seeded(10 * index + number))));
  });
  await Promise.all(games);
  assert.deepEqual([one.connections, other.connections], [1, 1]);
});

test('commands that the table refuses reject with the code, and are told', async () => {
  const one = here();
  const { table, tokens } = await seated(one, 'mein-schatz', 2);
  const seats = tokens.map((token) => here().attach(table, { token }));
  await Promise.all(seats.map((seat) => seat.ready));
  const turn = seats.findIndex((seat) => seat.mayAct);
  const [mine, other] = [seats[turn], seats[1 - turn]];
  assert.ok(mine && other);
  /** @type {any[]} */
  const told = [];
  other.on('rejected', (data) => told.push(data));
  await assert.rejects(other.act({ type: 'draw' }), { code: 'not_your_turn', uncertain: false });
  assert.deepEqual(told.map(({ action, error }) => [action.type, error.code]), [['draw', 'not_your_turn']]);
  await assert.rejects(mine.act({ type: 'juggle' }), { code: 'illegal_action', message: /draw/ });
  await assert.rejects(mine.act({ type: 'draw' }, { ifVersion: 1 }), { code: 'version_conflict' });
  const done = await mine.act({ type: 'draw' }, { id: 'my-own-id' });
  assert.equal(mine.version, done.version, 'the update is there before the answer');
  assert.deepEqual(await mine.act({ type: 'draw' }, { id: 'my-own-id' }), done, 'the same id is the same command');
  const spectator = here().attach(table);
  await spectator.ready;
  await assert.rejects(spectator.act({ type: 'draw' }), { code: 'forbidden' });
});

test('attaching where one may not is refused', async () => {
  const one = here();
  const { table } = await seated(one, 'mein-schatz', 2);
  await assert.rejects(one.attach('nosuchtable').ready, { code: 'no_such_table' });
  await assert.rejects(one.attach(table, { token: 'x'.repeat(43) }).ready, { code: 'unauthorized' });
  const closed = await seated(one, 'mein-schatz', 2, { spectators: { who: 'none' } });
  await assert.rejects(one.attach(closed.table).ready, { code: 'forbidden' });
  assert.equal(await one.attach(table).ready.then((watched) => watched.state), 'live', 'the connection is still good');
});

test('presence, leaving and being removed are told', async () => {
  const one = here();
  const { table, host_token: host } = await one.createTable({ game: 'trinket-trove', seats: 3 });
  const ada = await one.sit(table, { name: 'Ada' });
  const bo = await one.sit(table, { name: 'Bo' });
  const watching = await one.attach(table).ready;
  const there = here();
  const boTable = await there.attach(table, { token: bo.token }).ready;
  await until(watching, 'presence', () => watching.connected[bo.seat] === true);
  await one.leave(table, bo.seat, host);
  await until(boTable, 'detached', () => boTable.state === 'detached');
  await until(watching, 'update', () => watching.view?.seats[bo.seat]?.name === undefined);
  const adaTable = await there.attach(table, { token: ada.token }).ready;
  await until(watching, 'presence', () => watching.connected[ada.seat] === true);
  await adaTable.detach();
  await until(watching, 'presence', () => watching.connected[ada.seat] === false);
  await assert.rejects(adaTable.act({ type: 'bid', cards: [] }), { code: 'detached' });
});

test('attaching again ends the earlier object, and detaching leaves the later one alone', async () => {
  const one = here();
  const { table, tokens } = await seated(one, 'mein-schatz', 2);
  const first = one.attach(table, { token: tokens[0] });
  const second = one.attach(table, { token: tokens[1] });
  assert.equal(first.state, 'detached');
  assert.equal((await second.ready).seat, 1);
  const gone = second.detach();
  const third = one.attach(table);
  await gone;
  assert.equal((await third.ready).state, 'live');
  assert.deepEqual(third.viewer, { spectator: true });
});

test('the lobby lists what is open or played, and follows', async () => {
  const one = here();
  const lobby = await one.watchLobby({ game: 'oopsie' }).ready;
  const { table, host_token: host } = await one.createTable({ game: 'oopsie' });
  await one.createTable({ game: 'mein-schatz' });
  await until(lobby, 'added', () => lobby.tables.some((facts) => facts.table === table));
  assert.equal(lobby.tables[0]?.table, table, 'the newest is first');
  const ada = await one.sit(table, { name: 'Ada' });
  await until(lobby, 'changed', () => lobby.tables[0]?.seats[0]?.name === 'Ada');
  await one.createTable({ game: 'oopsie' });
  await until(lobby, 'added', () => lobby.tables.length === 2);
  assert.equal(lobby.tables[1]?.table, table);
  assert.ok(lobby.tables.every((facts) => facts.game === 'oopsie'));
  await one.leave(table, ada.seat, host);
  await until(lobby, 'changed', () => lobby.tables[1]?.seats[0]?.name === null);
  const other = one.watchLobby({ game: 'no-such' });
  await assert.rejects(other.ready, { code: 'no_such_game' });
  lobby.close();
});

test('people talk, and hear why they may not', async () => {
  const one = here();
  const { table, hostToken, tokens } = await seated(one, 'mein-schatz', 2);
  const watching = await one.attach(table).ready;
  const ada = await here().attach(table, { token: tokens[0] }).ready;
  /** @type {any[]} */
  const heard = [];
  watching.on('said', ({ by, text, reaction }) => heard.push([by, text ?? reaction]));
  await ada.say({ text: 'Good luck' });
  await ada.say({ reaction: 'clap' });
  await until(watching, 'said', () => heard.length === 2);
  assert.deepEqual(heard, [[{ seat: 0 }, 'Good luck'], [{ seat: 0 }, 'clap']]);
  assert.deepEqual((await one.talk(table)).map(({ text }) => text), ['Good luck', undefined]);
  await one.mute(table, { seat: 0 }, hostToken);
  await assert.rejects(ada.say({ text: 'Hello?' }), { code: 'muted' });
  await ada.detach();
  await assert.rejects(ada.say({ text: 'Hello?' }), { code: 'unreachable', uncertain: false });
});

test('bots, pauses, clocks, hosts, rematches', async () => {
  const one = here();
  const clock = { move_ms: 3_600_000 };
  const { table, host_token: host } = await one.createTable({ game: 'mein-schatz', seats: 2, clock });
  const { seat, token } = await one.sit(table, { name: 'Ada' });
  assert.equal((await one.addBot(table, { policy: 'random' }, host)).seat, 1 - seat);
  const ada = await one.attach(table, { token }).ready;
  await until(ada, 'change', () => ada.mayAct);
  assert.ok((ada.timeLeft(seat) ?? 0) > 3_000_000);
  assert.equal(ada.timeLeft(1 - seat), undefined);
  await one.pause(table, host);
  await until(ada, 'update', () => ada.view?.paused === true);
  await assert.rejects(ada.act(randomAction(ada.actions.length ? ada.actions : [{ type: 'draw' }])), { code: 'paused' });
  await one.resume(table, host);
  await until(ada, 'change', () => ada.mayAct);
  assert.equal((await one.passHost(table, seat, host)).host_seat, seat);
  assert.deepEqual((await one.mine([{ table, token }])).map((found) => found.your_turn), [true]);
  await playAtRandom(ada, seeded(4));
  const { next } = await one.rematch(table, token);
  await until(ada, 'rematch', () => ada.next === next);
  assert.equal((await one.attach(next, { token }).ready).seat, seat);
});

test('a quick game finds others with the same wishes', async () => {
  const one = here();
  const first = await one.quick('trick-and-trade', { name: 'Ada', seats: 3 });
  const second = await one.quick('trick-and-trade', { name: 'Bo', seats: 3, entropy: null });
  assert.equal(first.table, second.table);
  assert.equal((await one.attach(second.table, { token: second.token }).ready).seat, second.seat);
});

test('the server’s time is known', async () => {
  const one = here({ pingMs: 20 });
  one.watchLobby();
  let pongs = 0;
  one.on('message', (message) => (pongs += message.type === 'pong' ? 1 : 0));
  await until(one, 'message', () => pongs >= 3);
  assert.ok(one.tripMs !== undefined && one.tripMs >= 0);
  // Both run on one machine: they agree to well within a minute, whatever else the machine does.
  assert.ok(Math.abs(one.serverNow() - Date.now()) < 60_000);
});

test('closing rejects what waits, and nothing comes any more', async () => {
  const one = here();
  const { table } = await seated(one, 'mein-schatz', 2);
  const watched = await one.attach(table).ready;
  one.close();
  assert.deepEqual([one.status, watched.state], ['closed', 'detached']);
  await assert.rejects(watched.act({ type: 'draw' }), { code: 'detached' });
  assert.throws(() => one.attach(table), { code: 'closed' });
  assert.throws(() => one.watchLobby(), { code: 'closed' });
});

test('a message that is dropped for coming too fast is sent again', async () => {
  const slow = await startServer({ env: { FACEDOWN_MESSAGE_BURST: '1', FACEDOWN_MESSAGE_RATE_PER_S: '10' } });
  const one = client(slow.url);
  try {
    const opened = [];
    for (let count = 0; count < 4; count += 1) {
      opened.push(await seated(one, 'mein-schatz', 2, { options: { first_seat: 0 } }));
    }
    let dropped = 0;
    one.on('message', (message) => (dropped += message.code === 'rate_limited' ? 1 : 0));
    const tables = opened.map(({ table, tokens }) => one.attach(table, { token: tokens[0] }));
    await Promise.all(tables.map((table) => table.ready));
    assert.ok(dropped > 0, 'four attaches at once are too many here');
    dropped = 0;
    const done = await Promise.all(tables.map((table) => table.act({ type: 'draw' })));
    assert.ok(dropped > 0, 'and four commands');
    assert.deepEqual(done.map(({ version }, index) => tables[index]?.version === version), Array(4).fill(true));
  } finally {
    one.close();
    await slow.remove();
  }
});

/** @param {any} value @returns {any} */
function sortedKeys(value) {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sortedKeys(value[key])]));
}
