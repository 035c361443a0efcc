/**
 * Addresses of the page, all in the fragment: `#/`, `#/table/<id>`, `#/table/<id>/replay`, and the return
 * link `#/table/<id>/return/<token>` (`watch` for a spectator), which is taken in and shown no more. No server
 * sees a fragment.
 */
import { remember } from './store.js';

/** @typedef {{ page: 'lobby' | 'table' | 'replay', table?: string }} Route */

const TABLE = /^#\/table\/([a-z0-9]{8,32})(?:\/(?:(replay)|(return|watch)\/([A-Za-z0-9_-]{16,200})))?$/;

/** Where the address leads. @returns {Route} */
export function route() {
  const found = TABLE.exec(location.hash);
  if (!found) return { page: 'lobby' };
  const [, table, replay, what, token] = found;
  if (token !== undefined) {
    remember(table, what === 'watch' ? { watch: token } : { token });
    history.replaceState(null, '', `#/table/${table}`);
  }
  return { page: replay ? 'replay' : 'table', table };
}

/** Go to another page. @param {string} path such as `/table/...` */
export function go(path) {
  location.hash = `#${path}`;
}

/** A link to hand on. @param {string} path */
export function linkTo(path) {
  return `${location.origin}${location.pathname}#${path}`;
}

/** The link with which the seat is taken again, in another browser for example. */
export function returnLink(table, token) {
  return linkTo(`/table/${table}/return/${token}`);
}

/** The link with which an invited spectator watches. */
export function watchLink(table, token) {
  return linkTo(`/table/${table}/watch/${token}`);
}
