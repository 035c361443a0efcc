/** What several games draw alike: cards that can be picked, hands, tricks. */
import { card } from '../cards.js';
import { h } from '../dom.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';

/**
 * What makes something on the board pickable: what a click does, and whether it is picked.
 *
 * @param {any} frame
 * @param {string[]} names the parameters it may be a value of; the first that is offered counts
 * @param {string | number} value
 * @param {number} [copy] tells equal cards apart
 */
export function pickable(frame, names, value, copy = 0) {
  const { composer } = frame;
  const name = names.find((one) => composer.allowing(one, value).length > 0);
  if (name === undefined) return { picked: false };
  const key = `${value}#${copy}`;
  return {
    picked: composer.has(name, value, key),
    onclick: () => frame.does(() => composer.pick(name, value, { key })),
    data: { param: name, value: String(value) },
  };
}

/** A card that can be picked where the game offers it. */
export function pickCard(frame, names, code, { key, copy = 0, ...more } = {}) {
  return card(code, { key, ...(code === null ? {} : pickable(frame, names, code, copy)), ...more });
}

/**
 * A hand, fanned out; two rows on a phone where there are many cards.
 *
 * @param {any} frame
 * @param {(string | null)[]} cards in the order to show
 * @param {string[]} names the parameters they may be values of
 * @param {(code: string) => string} [kind] further classes of a card
 */
export function hand(frame, cards, names, kind = () => '') {
  const copies = new Map();
  const slots = cards.map((code, index) => {
    const copy = copies.get(code) ?? 0;
    copies.set(code, copy + 1);
    const key = code === null ? `hidden-${index}` : `${code}#${copy}`;
    return h('li', { key, class: 'slot' }, pickCard(frame, names, code, { copy, kind: code === null ? '' : kind(code) }));
  });
  const half = slots.length > 7 ? Math.ceil(slots.length / 2) : slots.length;
  return h('div', { class: 'hand', role: 'group', 'aria-label': t('hand', { count: cards.length }), 'data-hand': cards.length },
    [slots.slice(0, half), slots.slice(half)].filter((row) => row.length > 0).map((row, index) => h('ul', { key: `row-${index}`, class: 'hand-row' }, row)));
}

/** How many cards a seat holds. */
export function held(count) {
  return { icon: 'cards', text: String(count), title: t('cards_held', { count }) };
}

/**
 * The cards of a trick, each before the seat that played it.
 *
 * @param {any} frame
 * @param {{ seat: number, card: string }[]} plays
 * @param {object} [options]
 * @param {number} [options.winner] the seat whose card is best
 * @param {boolean} [options.past] the trick is over, and shown until the next begins
 * @param {(seat: number) => string | undefined} [options.note] a few letters at a card
 */
export function trick(frame, plays, { winner, past = false, note = () => undefined } = {}) {
  const count = frame.view.seats.length;
  const own = frame.seat ?? 0;
  return h('ol', { class: `trick of-${count} ${past ? 'past' : ''}`, 'aria-label': past ? t('last_trick') : t('trick') }, plays.map(({ seat, card: code }) => {
    const [x, y] = spot((seat - own + count) % count, count);
    const won = seat === winner;
    return h('li', {
      key: `${seat}-${code}`, class: `played ${won ? 'best' : ''}`,
      style: { '--x': `${x}%`, '--y': `${y}%` },
    },
    card(code, { kind: `arrive ${won ? 'won' : ''}` }),
    h('span', { class: 'by' }, won && icon('crown'), note(seat), frame.words.seat(seat)));
  }));
}

/** Where the card of a seat lies, clockwise from the reader; two lie side by side. */
function spot(place, count) {
  if (count === 2) return [place === 0 ? 32 : 68, 50];
  const angle = Math.PI / 2 + (place * 2 * Math.PI) / count;
  const wide = count > 4 ? 44 : 37;
  return [50 + wide * Math.cos(angle), 49 + 25 * Math.sin(angle)];
}

/** A pile of cards, face down, with their number. */
export function pile(count, label, more = {}) {
  return h('div', { class: 'pile' },
    count > 0 ? card(null, { label: `${label}: ${count}`, ...more }) : h('span', { class: 'empty-place', role: 'img', 'aria-label': `${label}: 0` }),
    h('span', { class: 'pile-label' }, `${label} · ${count}`));
}

/** A heading with something below. */
export function group(title, ...content) {
  return h('div', { class: 'group' }, h('h2', { class: 'group-title' }, title), content);
}
