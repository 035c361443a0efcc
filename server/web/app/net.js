/** The server, and what the page asks of it beyond the client's own calls. */
import { connect } from '../lib/client.js';
import { randomText } from '../lib/random.js';
import { remember, tokenFor } from './store.js';

export { FacedownError } from '../lib/errors.js';

/** The one client of the page; it serves the page, so it is where the page comes from. */
export const client = connect(new URL('./', document.baseURI.split(/[?#]/)[0]).href, { requestTries: 3 });

let catalogue;

/** The games, asked once. @returns {Promise<any[]>} */
export function games() {
  catalogue ??= client.games().catch((error) => {
    catalogue = undefined;
    throw error;
  });
  return catalogue;
}

/** Sit down at a table and remember the seat. @param {string} table @param {string} name @param {number} [seat] */
export async function sit(table, name, seat) {
  const seated = await client.sit(table, seat === undefined ? { name } : { name, seat });
  remember(table, { token: seated.token, seat: seated.seat });
  return seated;
}

/** Sit down wherever players wait for this game. @returns {Promise<string>} the table */
export async function quick(game, name, seats) {
  const body = { name, entropy: randomText(18), token: randomText(32), ...(seats ? { seats } : {}) };
  const found = await client.request('POST', `/games/${game}/quick`, { body, key: randomText(18) });
  remember(found.table, { token: found.token, seat: found.seat, game });
  return found.table;
}

/** How it stands at tables that the reader has tokens for. @param {[string, any][]} known */
export async function mine(known) {
  const tables = known
    .map(([table]) => ({ table, token: tokenFor(table) }))
    .filter((one) => one.token !== undefined)
    .slice(0, 50);
  if (tables.length === 0) return [];
  return (await client.request('POST', '/mine', { body: { tables }, key: randomText(18) })).tables;
}

/** What was said at a table. @param {string} table @returns {Promise<any[]>} */
export async function said(table) {
  return (await client.request('GET', `/tables/${table}/talk`, { token: tokenFor(table) })).talk;
}

/** Ask for a pause, or to go on. */
export function pause(table, token, resume) {
  const what = resume ? 'resume' : 'pause';
  return client.request('POST', `/tables/${table}/${what}`, { body: {}, token, key: randomText(18) });
}
