/**
 * Cards, drawn as SVG: a face for every code of the six games, a plain one for any other, and a back.
 *
 * A card that can be clicked is a button, so that it is reached and played with the keyboard; its name is
 * in words for those who do not see it.
 */
import { h } from './dom.js';
import { stroke } from './icons.js';
import { SYMBOLS } from './symbols.js';
import { cardName } from './words.js';

const COURT = { valet: 'V', cavalier: 'C', dame: 'D', roi: 'R' };
const TAROT = ['hearts', 'spades', 'diamonds', 'clubs'];
const TRICK = ['nev', 'zeus', 'octo', 'ratcoin'];
/** What a trinket counts in a bid, which is also the size of its full set. */
const VALUES = { lure: 7, feather: 7, gem: 6, crayon: 6, bottlecap: 5, marble: 5, key: 4, shell: 4, gear: 3, button: 3, thimble: 2, bell: 2, mirror: 8 };
const BIRDS = 5;

/**
 * A card.
 *
 * @param {string | null} code null: its back
 * @param {object} [options]
 * @param {string} [options.key]
 * @param {() => void} [options.onclick] makes it a button
 * @param {boolean} [options.picked] chosen, not yet sent
 * @param {boolean} [options.disabled]
 * @param {string} [options.kind] further classes
 * @param {string} [options.label] in place of its name
 * @param {Record<string, string>} [options.data] attributes
 */
export function card(code, { key, onclick, picked = false, disabled = false, kind = '', label, data = {} } = {}) {
  const classes = ['card', code === null ? 'back' : `of-${code.split(/[-+]/)[0]}`, onclick ? 'can' : '', picked ? 'picked' : '', kind].filter(Boolean).join(' ');
  const name = label ?? cardName(code);
  const attributes = Object.fromEntries(Object.entries(data).map(([name_, value]) => [`data-${name_}`, value]));
  if (!onclick) return h('span', { key, class: classes, role: 'img', 'aria-label': name, title: name, 'data-card': code ?? '', ...attributes }, picture(code));
  return h('button', { key, type: 'button', class: classes, 'aria-label': name, 'aria-pressed': picked, title: name, disabled, onclick, 'data-card': code ?? '', ...attributes }, picture(code));
}

/** The small picture of a code, for lists; null where there is none. @param {string} code */
export function miniature(code) {
  const parts = code.split('+');
  const names = parts.map((part) => (part.startsWith('trump') ? 'trump' : part.split('-')[0]));
  if (!names.every((name) => name in SYMBOLS)) return null;
  return h('span', { class: 'mini', 'aria-hidden': 'true' }, names.map((name) => symbol(name, 'icon')));
}

/** A symbol of a card as an icon. @param {string} name @param {string} [classes] */
export function symbol(name, classes = 'icon') {
  return h('svg', { class: `${classes} sym sym-${name}`, viewBox: '0 0 24 24', 'aria-hidden': 'true' }, (SYMBOLS[name] ?? []).map(stroke));
}

function picture(code) {
  return h('svg', { class: 'face', viewBox: '0 0 60 90', 'aria-hidden': 'true', focusable: 'false' }, code === null ? back() : face(code));
}

function back() {
  return [
    h('rect', { class: 'paper-back', x: 1, y: 1, width: 58, height: 88, rx: 6 }),
    h('rect', { class: 'back-frame', x: 5.5, y: 5.5, width: 49, height: 79, rx: 3.5 }),
    h('path', { class: 'back-lines', d: 'M6 25L30 6l24 19M6 45L30 26l24 19M6 65L30 46l24 19M6 84l24-18 24 18M6 25l24 21 24-21M6 45l24 21 24-21M6 65l22 19M54 65L32 84M6 7l24 19L54 7' }),
  ];
}

function face(code) {
  const paper = h('rect', { class: 'paper', x: 1, y: 1, width: 58, height: 88, rx: 6 });
  const [suit, rank] = code.split('-');
  if (suit === 'trump') return [paper, ...trump(Number(rank))];
  if (code === 'fool') return [paper, ...framed(), corner('★', null, 'fool'), at('fool', 15, 30, 30)];
  if (TAROT.includes(suit)) return [paper, ...tarot(suit, rank)];
  if (TRICK.includes(suit) && rank) return [paper, ...numbered(suit, rank)];
  if (code in VALUES) return [paper, ...trinket(code)];
  if (code.split('+').every((part) => part in SYMBOLS)) return [paper, ...symbols(code.split('+'))];
  return [paper, h('text', { class: 'plain', x: 30, y: 48 }, cardName(code))];
}

/** A symbol of `size` with its corner at (x, y). */
function at(name, x, y, size, more = '') {
  return h('g', { class: `sym sym-${name} ${more}`, transform: `translate(${x} ${y}) scale(${size / 24})` }, (SYMBOLS[name] ?? []).map(stroke));
}

function corner(text, suit, kind = suit) {
  return h('g', { class: `corner ink-${kind}` },
    h('text', { x: 5.5, y: 18, class: String(text).length > 1 ? 'narrow' : '' }, text), suit && at(suit, 5.5, 21, 11));
}

function tarot(suit, rank) {
  const letter = COURT[rank];
  if (!letter) return [corner(rank, suit), at(suit, 16, 36, 34)];
  return [
    corner(letter, suit),
    h('rect', { class: `court-frame ink-${suit}`, x: 20, y: 14, width: 34, height: 70, rx: 4 }),
    h('path', { class: `crown ink-${suit}`, d: CROWNS[rank] }),
    at(suit, 25, 48, 24),
  ];
}

/** What a court card wears: a cap with a feather, a helmet, a coronet, a crown. */
const CROWNS = {
  valet: 'M27 40c0-6 4-9 10-9 5 0 9 3 9 8l-4 1zM44 30l6-8-2 10z',
  cavalier: 'M27 41V33c0-6 5-10 10-10s10 4 10 10v8h-6v-7h-8v7zM36 18h2v6h-2z',
  dame: 'M26 40l2-11 5 5 4-9 4 9 5-5 2 11z',
  roi: 'M25 41l1-16 6 7 5-11 5 11 6-7 1 16zM36 15h2v3h3v2h-3v3h-2v-3h-3v-2h3z',
};

function framed() {
  return [h('rect', { class: 'trump-frame', x: 4, y: 4, width: 52, height: 82, rx: 4 })];
}

function trump(number) {
  const special = number === 21 ? 'crown21' : number <= BIRDS ? 'bird' : '';
  return [
    ...framed(),
    corner(number, null, 'trump'),
    special === 'bird' ? at('bird', 18, 22, 30, 'low') : special === 'crown21' ? at('trump', 6, 20, 50, special) : at('trump', 13, 29, 36, special),
    h('text', { class: `trump-number ${special}`, x: 31, y: special === 'bird' ? 74 : 53 }, number),
  ];
}

function numbered(suit, rank) {
  return [
    corner(rank, suit),
    h('circle', { class: `disc ink-${suit}`, cx: 32, cy: 50, r: 22 }),
    at(suit, 17, 35, 30),
    h('text', { class: 'value', x: 54, y: 84 }, 10 - Number(rank)),
  ];
}

function trinket(code) {
  return [
    h('g', { class: 'corner ink-trinket' }, h('text', { x: 5.5, y: 18 }, VALUES[code])),
    h('circle', { class: `tray tray-${code}`, cx: 30, cy: 45, r: 21 }),
    at(code, 14, 29, 32),
    h('text', { class: 'caption', x: 30, y: 81 }, cardName(code)),
  ];
}

const SPOTS = {
  1: [[14, 29, 32]],
  2: [[16, 12, 28], [16, 50, 28]],
  3: [[18, 7, 24], [18, 33, 24], [18, 59, 24]],
  4: [[5, 14, 24], [31, 14, 24], [5, 52, 24], [31, 52, 24]],
  5: [[5, 8, 22], [33, 8, 22], [19, 34, 22], [5, 60, 22], [33, 60, 22]],
};

function symbols(parts) {
  if (parts.length === 1 && parts[0] === 'orc') return [h('rect', { class: 'dark', x: 4, y: 4, width: 52, height: 82, rx: 4 }), at('orc', 10, 24, 40)];
  return parts.map((part, index) => {
    const [x, y, size] = SPOTS[parts.length]?.[index] ?? [5 + (index % 3) * 18, 8 + Math.floor(index / 3) * 20, 16];
    return at(part, x, y, size);
  });
}
