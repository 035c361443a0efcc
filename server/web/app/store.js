/**
 * What this browser remembers: who the reader is at which table, and how they like the page.
 *
 * A seat's token is all that it takes to play there. It is kept here and nowhere else: "forget this
 * seat" removes it, and the return link carries it in the fragment, which no server ever sees.
 *
 * @typedef {object} Place what is known of a table
 * @property {string} [token] of a seat
 * @property {number} [seat]
 * @property {string} [host] the host token
 * @property {string} [watch] a spectator's token
 * @property {string} [game]
 * @property {number} at when it was last opened, in milliseconds
 */

const PLACES = 'facedown.places';
const LIKES = 'facedown.likes';
const KEPT = 40;

function read(name) {
  try {
    const value = JSON.parse(localStorage.getItem(name) ?? '{}');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function write(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Storage is full or forbidden: it is known for as long as the page is open.
    memory.set(name, value);
  }
}

const memory = new Map();
const get = (name) => memory.get(name) ?? read(name);

/** All tables that are known, newest first. @returns {[string, Place][]} */
export function places() {
  return Object.entries(get(PLACES)).sort(([, a], [, b]) => b.at - a.at);
}

/** What is known of a table. @param {string} table @returns {Place | undefined} */
export function place(table) {
  return get(PLACES)[table];
}

/** Remember something of a table. @param {string} table @param {Partial<Place>} more */
export function remember(table, more) {
  const all = get(PLACES);
  all[table] = { ...all[table], ...more, at: Date.now() };
  const kept = Object.entries(all).sort(([, a], [, b]) => b.at - a.at);
  write(PLACES, Object.fromEntries(kept.slice(0, KEPT)));
}

/** Forget a table, or only the named parts of what is known. @param {string} table @param {...string} parts */
export function forget(table, ...parts) {
  const all = get(PLACES);
  for (const part of parts) delete all[table]?.[part];
  if (parts.length === 0) delete all[table];
  write(PLACES, all);
}

const DEFAULTS = { name: '', theme: 'auto', plain: false, confirm: false, bots: 'greedy' };

/** What the reader likes. @returns {typeof DEFAULTS} */
export function likes() {
  return { ...DEFAULTS, ...get(LIKES) };
}

/** Change what the reader likes. @param {Partial<typeof DEFAULTS>} more */
export function like(more) {
  write(LIKES, { ...likes(), ...more });
}

/** The token to come to a table with. @param {string} table */
export function tokenFor(table) {
  const known = place(table);
  return known?.token ?? known?.watch ?? known?.host;
}
