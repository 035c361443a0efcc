/** Trinket Trove: bids and lots, a draft in the order of the bids, and sets in hand. */
import { card, symbol } from '../cards.js';
import { h } from '../dom.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { cardName } from '../words.js';
import { group, hand, held, pickable } from './parts.js';

const TRINKETS = ['mirror', 'lure', 'feather', 'gem', 'crayon', 'bottlecap', 'marble', 'key', 'shell', 'gear', 'button', 'thimble', 'bell'];

export const trinketTrove = {
  stand: ({ game }) => t('stand_round_of', { round: game.round, rounds: game.rounds }),
  claims: (type, name) => name === 'cards' || name === 'lots',
  seat(frame, seat) {
    const { game } = frame;
    const own = game.hands[seat];
    const badges = [{ text: t('in_order', { n: game.order.indexOf(seat) + 1 }), title: t('turn_order') }, held(own.cards.length)];
    const bid = game.bids.find((one) => one.who === seat);
    if (bid) badges.push({ icon: 'target', text: bid.zero ? t('bid_zero') : t('bid_worth', { count: bid.cards.length, value: bid.value }), kind: 'strong' });
    return { score: own.points, badges };
  },
  board(frame) {
    const { game } = frame;
    return [
      h('div', { class: 'order-line' },
        h('ol', { class: 'order', 'aria-label': t('turn_order') }, game.order.map((who) => h('li', { key: `o${who}`, class: game.turn?.seat === who ? 'now' : '' }, frame.words.seat(who)))),
        h('span', { class: 'badge' }, `${t('draw_deck')} ${game.pile}`), h('span', { class: 'badge' }, `${t('timer_deck')} ${game.timer}`)),
      group(t('lots'), h('ul', { class: 'lots' }, game.lots.map((lot) => h('li', { key: lot.lot }, drawLot(frame, lot, frame.words.lot(lot.lot)))))),
      game.bids.length > 0 && group(t('bids_strongest'), h('ul', { class: 'lots' }, game.bids.map((bid) => h('li', { key: bid.lot }, drawLot(frame, bid, frame.words.seat(bid.who), bid))))),
      claims(frame),
    ];
  },
  own(frame) {
    if (frame.seat === undefined) {
      if (frame.game.hands.some((one) => one.cards.includes(null))) return null;
      return h('div', { class: 'all-hands small-cards' }, frame.game.hands.map((one) => group(frame.words.seat(one.seat), hand(frame, sorted(one.cards), []))));
    }
    return hand(frame, sorted(frame.game.hands[frame.seat].cards), ['cards']);
  },
  notes: (frame) => sets(frame.game.hands[frame.seat]),
  reasons(frame) {
    return h('div', { class: 'reasons' }, frame.game.hands.map((one) => one.sets && h('div', { key: `h${one.seat}` }, h('strong', null, `${frame.words.seat(one.seat)}: ${one.points}`), sets(one))));
  },
};

function sorted(cards) {
  return [...cards].sort((a, b) => TRINKETS.indexOf(a) - TRINKETS.indexOf(b));
}

/** Who claimed what, in what order and why; before the first claim of a round, those of the round before. */
function claims({ game, words }) {
  if (game.claims.length === 0) return null;
  return group(t('claims_of', { round: game.claims[0].round }), h('ol', { class: 'lately', 'data-claims': game.claims[0].round },
    game.claims.map((claim, index) => h('li', { key: `c${index}` }, t(`claim.${claim.why}`, { who: words.seat(claim.who), lots: words.lots(claim.lots) })))));
}

/** A lot of the row, or a bid, which is a lot as well. */
function drawLot(frame, lot, title, bid) {
  const pick = pickable(frame, ['lots'], lot.lot);
  const claimed = lot.claimed_by !== undefined;
  const label = [title, frame.words.cards(lot.cards), bid?.zero && t('bid_zero'), claimed && t('taken_by', { who: frame.words.seat(lot.claimed_by) })].filter(Boolean).join(', ');
  const content = [
    h('span', { class: 'lot-title' }, bid && h('span', { class: 'rank' }, bid.rank), title, bid && h('span', { class: 'lot-value' }, bid.zero ? t('bid_zero') : t('worth', { value: bid.value }))),
    h('span', { class: 'row-of-cards small-cards' }, lot.cards.map((code, index) => card(code, { key: `${code}${index}`, kind: claimed ? 'dim' : '' }))),
    claimed && h('span', { class: 'claimed' }, icon('check'), frame.words.seat(lot.claimed_by)),
  ];
  const classes = `lot ${claimed ? 'gone' : ''} ${pick.picked ? 'picked' : ''}`;
  if (!pick.onclick) return h('div', { class: classes, role: 'img', 'aria-label': label }, content);
  return h('button', { type: 'button', class: `${classes} can`, 'aria-label': label, 'aria-pressed': pick.picked, onclick: pick.onclick, 'data-param': 'lots', 'data-value': lot.lot }, content);
}

/** The sets of a hand, and what each scores. */
function sets(own) {
  if (!own.sets || own.sets.length === 0) return null;
  return h('ul', { class: 'sets', 'aria-label': t('sets') }, own.sets.map((set, index) => h('li', { key: `set-${index}`, class: 'badge', title: cardName(set.trinket) },
    symbol(set.trinket), h('span', { class: 'unseen' }, cardName(set.trinket)), t('set_size', { count: set.cards.length }), h('strong', null, set.points))),
  own.unassigned > 0 && h('li', { class: 'badge' }, symbol('mirror'), t('unassigned', { count: own.unassigned })));
}
