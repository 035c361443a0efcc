/**
 * Draws any game from its view alone: members as rows, lists as chips or small tables, lists by seat with
 * the names. It knows no game, so it draws one that has no renderer yet; it is also the table as lists.
 */
import { h } from '../dom.js';
import { first, humanized, t } from '../i18n.js';
import { miniature } from '../cards.js';
import { cardName } from '../words.js';

const CODE = /^[a-z]+([-+][a-z0-9]+)*$/;

export const generic = {
  board(frame) {
    return h('div', { class: 'generic' }, rows(frame, frame.game));
  },
  face(type, name, value) {
    return typeof value === 'string' ? miniature(value) : null;
  },
};

function rows(frame, object) {
  return h('dl', null, Object.entries(object).map(([name, value]) => h('div', { key: name, class: isLong(value) ? 'long' : '' },
    h('dt', null, label(name)), h('dd', null, show(frame, name, value, 0)))));
}

function label(name) {
  return first([`field.${name}`]) ?? humanized(name);
}

function isLong(value) {
  return typeof value === 'object' && value !== null && JSON.stringify(value).length > 40;
}

const SEATS = new Set(['turn', 'lead', 'starter', 'winner', 'seat', 'who', 'claimed_by', 'first', 'lead_taker', 'taken_by', 'to', 'other']);

function show(frame, name, value, depth) {
  if (value === null) return h('span', { class: 'chip hidden' }, t('card.hidden'));
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  if (typeof value === 'number') return SEATS.has(name) ? frame.words.seat(value) : String(value);
  if (typeof value === 'string') return text(frame, name, value);
  if (Array.isArray(value)) return items(frame, name, value, depth);
  return h('dl', { class: 'inner' }, Object.entries(value).map(([inner, one]) => h('div', { key: inner }, h('dt', null, label(inner)), h('dd', null, show(frame, inner, one, depth + 1)))));
}

function text(frame, name, value) {
  if (SEATS.has(name)) return frame.words.seat(value);
  const picture = miniature(value);
  if (picture || first([`card.${value}`])) return h('span', { class: 'chip' }, picture, cardName(value));
  const word = first([`word.${value}`]);
  return word ?? (CODE.test(value) ? cardName(value) : value);
}

function items(frame, name, list, depth) {
  if (list.length === 0) return h('span', { class: 'empty' }, t('none'));
  const seats = frame.view.seats.length;
  const bySeat = depth === 0 && list.length === seats && list.every((one) => Array.isArray(one) || typeof one !== 'string') && !list.some((one) => one?.seat !== undefined || one?.who !== undefined);
  if (bySeat) {
    return h('table', { class: 'by-seat' }, h('tbody', null, list.map((one, seat) => h('tr', { key: `s${seat}` },
      h('th', { scope: 'row' }, frame.words.seat(seat)), h('td', null, show(frame, name, one, depth + 1))))));
  }
  if (list.every((one) => one === null)) return t('card.hidden_count', { count: list.length });
  return h('ul', { class: 'chips' }, list.map((one, index) => h('li', { key: `i${index}` }, show(frame, name, one, depth + 1))));
}
