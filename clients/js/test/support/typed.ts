// Compiled by a test against the emitted declarations: what an application in TypeScript gets.
import { connect, FacedownError, Replay, verify, type Offer, type Table, type Verdict } from '@facedown/client';

const client = connect('http://localhost:8000', { codec: 'msgpack' });
const table: Table<'mein-schatz'> = client.attach<'mein-schatz'>('abcdefgh', { views: 'patch' });
table.on('update', ({ version, events }) => version.toFixed(events.length));
table.on('rejected', ({ error }) => error.code === 'illegal_action');
// @ts-expect-error there is no such event
table.on('updated', () => {});

const phase: string | undefined = table.view?.game?.phase;
// @ts-expect-error this game has no such member
table.view?.game?.trumps;
const offers: Offer[] = table.actions;
const version: Promise<number> = table.act({ type: 'draw' }).then((done) => done.version);

client.createTable({ game: 'oopsie', seats: 4 }).then(({ table: id }) => client.sit(id, { name: 'Ada' }));
// @ts-expect-error a game must be named
client.createTable({ seats: 4 });

const verdict: Promise<Verdict> = verify('');
const replay: Replay = new Replay('');
replay.play(2);
export { FacedownError, offers, phase, verdict, version };
