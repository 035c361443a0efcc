/** What the three tarot games draw alike. */
import { card } from '../cards.js';
import { h } from '../dom.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { nth } from '../words.js';
import { group, hand, held, pickCard, pile, trick } from './parts.js';

const SUITS = ['trump', 'fool', 'hearts', 'spades', 'diamonds', 'clubs'];
const COURT = { valet: 11, cavalier: 12, dame: 13, roi: 14 };

/** Trumps first, then the suits, each from low to high. @param {string[]} cards */
export function sorted(cards) {
  const key = (code) => {
    const [suit, rank] = code.split('-');
    return SUITS.indexOf(suit) * 100 + (COURT[rank] ?? Number(rank ?? 0));
  };
  return [...cards].sort((a, b) => (a === null ? 1 : b === null ? -1 : key(a) - key(b)));
}

/** What a seat's plate says in all three games. */
export function seatFacts(frame, seat, score = frame.game.scores[seat]) {
  const { game } = frame;
  const badges = [held(game.hands[seat].length)];
  if (game.trick > 1 || game.points.some((points) => points !== 0)) {
    badges.push({ text: t('hand_points', { count: game.points[seat] }), title: t('hand_points_long') });
  }
  if (game.starter === seat) badges.push({ icon: 'lead', text: t('starter') });
  return { score, badges };
}

/** What the plate says of a bid on a place. */
export function placeBid(frame, seat) {
  const { game } = frame;
  const badges = [];
  const bid = game.bids[seat] ?? (seat === frame.seat ? game.bid : undefined);
  if (bid !== undefined) {
    const good = game.places[seat] === bid;
    const runs = game.bids.length > 0 && game.trick > 1;
    const text = runs ? t('bid_and_place', { bid: nth(bid), place: nth(game.places[seat]) }) : t('bid_is', { bid: nth(bid) });
    badges.push({ icon: runs && good ? 'check' : 'target', text, kind: runs && good ? 'good' : 'strong' });
  } else if (game.chosen?.[seat]) {
    badges.push({ icon: 'check', text: t('has_chosen'), kind: 'good' });
  }
  return badges;
}

/** Where the hand is, in a few words. */
export function stand({ game }) {
  const target = game.target === undefined ? '' : ` · ${t('target', { count: game.target })}`;
  return t('stand_hand', { hand: game.hand, hands: game.most_hands ?? game.hands_in_game, trick: game.trick, tricks: game.tricks }) + target;
}

/** The trick on the table, or the last one until the next begins; with the Talon beside it. */
export function centre(frame, talon = drawTalon(frame)) {
  const { game } = frame;
  const last = game.plays.length === 0 ? game.last_trick : undefined;
  const shown = last ? last.plays : game.plays;
  const current = last && last.hand === game.hand;
  return h('div', { class: 'centre' },
    h('div', { class: 'trick-place' },
      shown.length > 0
        ? trick(frame, shown, { winner: last ? last.winner : game.winner, past: Boolean(last) })
        : h('p', { class: 'trick-empty' }, t('no_trick')),
      h('p', { class: 'trick-note' }, note(frame, last, current))),
    talon);
}

function note({ game, words }, last, current) {
  if (last) {
    const what = last.to === undefined ? t('points_discarded', { count: last.points }) : t('points_to', { count: last.points, who: words.seat(last.to) });
    return [current ? t('last_trick') : t('last_trick_hand', { hand: last.hand }), ': ', what];
  }
  return game.led_suit ? t('led', { suit: words.word(game.led_suit) }) : '';
}

/** The Talon: face down, or open to whoever looks. */
export function drawTalon(frame) {
  const { talon } = frame.game;
  if (talon.length === 0) return null;
  if (talon.every((code) => code === null)) return pile(talon.length, t('talon'));
  return group(t('talon'), h('div', { class: 'row-of-cards small-cards' }, talon.map((code, index) =>
    pickCard(frame, ['take'], code, { key: `talon-${index}` }))));
}

/** The reader's hand. */
export function own(frame, kind) {
  if (frame.seat === undefined) return allHands(frame);
  return hand(frame, sorted(frame.game.hands[frame.seat]), ['card', 'give'], kind);
}

/** In an open replay everybody's hand is shown. */
function allHands(frame) {
  const { hands } = frame.game;
  if (hands.some((cards) => cards.includes(null))) return null;
  return h('div', { class: 'all-hands small-cards' }, hands.map((cards, seat) => group(frame.words.seat(seat), hand(frame, sorted(cards), []))));
}

/** What the hand finished last gave, with the reason of every point. */
export function lastHand(frame, bidText, open = false) {
  const last = frame.game.last_hand;
  const { words, game, view } = frame;
  if (!last || (game.ended && !open)) return null;
  const fresh = open || (game.trick <= 1 && game.plays.length === 0);
  return h('details', { key: `hand-${last.hand}-${open}`, class: 'summary', open: fresh },
    h('summary', null, t('hand_over', { hand: last.hand })),
    h('table', null,
      h('thead', null, h('tr', null, [t('player'), t('bid'), t('points'), last.places ? t('place') : t('level'), ''].map((title) => h('th', { scope: 'col' }, title)))),
      h('tbody', null, view.seats.map(({ seat }) => h('tr', { key: `l${seat}` },
        h('th', { scope: 'row' }, words.seat(seat)),
        h('td', null, bidText(last.bids[seat])),
        h('td', null, last.points[seat]),
        h('td', null, last.places ? nth(last.places[seat]) : bidText(last.levels[seat])),
        h('td', null, last.made[seat] ? [icon('check'), t('made')] : t('missed')))))),
    h('ul', { class: 'reason-list' }, last.awards.map((award, index) => h('li', { key: `a${index}` }, words.award(award)))),
    last.talon?.length > 0 && h('p', { class: 'row-of-cards tiny-cards' }, h('span', null, t('talon')), last.talon.map((code, index) => card(code, { key: `t${index}` }))));
}

/** Game points of this hand so far, with their reasons. */
export function awards(frame) {
  const { game, words } = frame;
  if (game.awards.length === 0 || game.ended) return null;
  return h('ul', { class: 'reason-list' }, game.awards.map((award, index) => h('li', { key: `w${index}` }, icon('points'), words.award(award))));
}

/** The low trumps are Birds: said at the card. @param {number} highest */
export function birds(highest) {
  return (code) => (code.startsWith('trump-') && Number(code.slice(6)) <= highest ? 'is-bird' : '');
}

/** The board lets one pick cards; bids and choices stay in the panel. */
export function claims(type, name) {
  return (name === 'card' && ['play', 'discard', 'pass'].includes(type)) || type === 'exchange';
}
