/** The server, and what the page remembers of what it asks of it. */
import { connect } from '../lib/client.js';
import { remember, tokenFor } from './store.js';

export { FacedownError } from '../lib/errors.js';

/** The one client of the page; the server is where the page comes from. */
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
  const { table, seat, token } = await client.quick(game, { name, seats });
  remember(table, { token, seat, game });
  return table;
}

/** How it stands at tables that the reader has tokens for. @param {[string, any][]} known */
export async function mine(known) {
  const tables = known.map(([table]) => ({ table, token: tokenFor(table) })).filter((one) => one.token !== undefined);
  return tables.length > 0 ? client.mine(tables.slice(0, 50)) : [];
}
