/** Trick and Trade: tricks for the choice of trades, and suits that pay by what was won. */
import { card, symbol } from '../cards.js';
import { h } from '../dom.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { cardName, nth } from '../words.js';
import { group, hand, held, pickCard, pile, trick } from './parts.js';

const SUITS = ['nev', 'zeus', 'octo', 'ratcoin'];

export const trickAndTrade = {
  stand: ({ game }) => t('stand_trick', { trick: game.trick, tricks: game.tricks }),
  claims: (type, name) => name === 'card' || name === 'trade',
  seat(frame, seat) {
    const { game } = frame;
    const badges = [
      ...(game.lead_taker === seat || (game.lead_taker === undefined && game.lead === seat) ? [{ icon: 'lead', text: t('lead_player'), kind: 'strong' }] : []),
      held(game.hands[seat].length),
    ];
    return { score: game.scores[seat], badges, extra: iconsOf(frame, seat) };
  },
  board(frame) {
    const { game } = frame;
    return [
      market(frame),
      h('div', { class: 'centre' },
        h('div', { class: 'trick-place' },
          game.plays.length > 0 ? trick(frame, game.plays, { winner: game.order[0], note: (seat) => place(game, seat) }) : h('p', { class: 'trick-empty' }, t('no_trick'))),
        h('div', { class: 'auction' },
          group(t('front_row'), h('div', { class: 'row-of-cards' },
            game.front.map((code, index) => pickCard(frame, ['trade'], code, { key: `f${index}`, copy: index })),
            leadCard(frame))),
          h('div', { class: 'together' },
            game.back.length > 0 && group(t('back_row'), h('div', { class: 'row-of-cards small-cards' }, game.back.map((code, index) => card(code, { key: `b${index}` })))),
            h('div', { class: 'small-cards' }, pile(game.pile, t('pile'))),
            game.left_out.some((code) => code !== null) && group(t('left_out'), h('div', { class: 'small-cards' }, game.left_out.map((code) => card(code, { key: code }))))))),
      taken(frame),
    ];
  },
  own(frame) {
    if (frame.seat !== undefined) return hand(frame, sorted(frame.game.hands[frame.seat]), ['card']);
    if (frame.game.hands.some((cards) => cards.includes(null))) return null;
    return h('div', { class: 'all-hands small-cards' }, frame.game.hands.map((cards, seat) => group(frame.words.seat(seat), hand(frame, sorted(cards), []))));
  },
  reasons(frame) {
    const { game, view, words } = frame;
    return h('div', { class: 'reasons' }, h('table', null,
      h('thead', null, h('tr', null, h('th', { scope: 'col' }, t('player')), SUITS.map((suit) => h('th', { scope: 'col' }, symbol(suit), ` ${cardName(suit)} ${times(game.multipliers[suit])}`)), h('th', { scope: 'col' }, t('points')))),
      h('tbody', null, view.seats.map(({ seat }) => h('tr', { key: `s${seat}` }, h('th', { scope: 'row' }, words.seat(seat)),
        SUITS.map((suit) => h('td', null, `${game.icons[seat][suit] ?? 0} → ${(game.icons[seat][suit] ?? 0) * game.multipliers[suit]}`)), h('td', null, game.scores[seat]))))));
  },
};

function sorted(cards) {
  const key = (code) => (code === null ? 999 : SUITS.indexOf(code.split('-')[0]) * 20 + Number(code.split('-')[1]));
  return [...cards].sort((a, b) => key(a) - key(b));
}

function place(game, seat) {
  const index = game.order.indexOf(seat);
  return index < 0 ? undefined : h('strong', null, `${nth(index + 1)} `);
}

function times(factor) {
  return factor < 0 ? `×−${-factor}` : `×${factor}`;
}

/** The four suits: what was won in each, and what an icon is worth now. */
function market({ game }) {
  const most = Math.max(1, ...Object.values(game.totals));
  return h('ul', { class: 'market', 'aria-label': t('suits_now') }, SUITS.map((suit) => h('li', { key: suit, class: `suit-row times-${Math.max(0, game.multipliers[suit])}`, 'aria-label': t('suit_now', { suit: cardName(suit), total: game.totals[suit], factor: game.multipliers[suit] }) },
    h('span', { class: 'suit-sign' }, symbol(suit)),
    h('span', { class: 'suit-name' }, cardName(suit)),
    h('span', { class: 'bar' }, h('span', { class: `ink-${suit}`, style: { width: `${(100 * game.totals[suit]) / most}%` } })),
    h('span', { class: 'total' }, game.totals[suit]),
    h('strong', null, times(game.multipliers[suit])))));
}

/** What was taken after the trick on the table; before its first card, how the last one went. */
function taken(frame) {
  const { game, words } = frame;
  const last = game.plays.length === 0 ? game.last_trick : undefined;
  const all = last ? last.taken : game.taken;
  if (!last && all.length === 0) return null;
  const said = all.map(({ seat, trade, why }) => (trade === undefined
    ? t('took.lead', { who: words.seat(seat) })
    : t(`took.${why}`, { who: words.seat(seat), trade: cardName(trade) })));
  return h('ul', { class: 'lately', 'data-taken': last ? last.trick : game.trick, 'aria-label': last ? t('last_trick') : t('taken') },
    last && h('li', { key: 'trick' }, t('trick_went', { n: last.trick, order: last.order.map((seat) => words.seat(seat)).join(', '), won: cardName(last.won) })),
    said.map((text, index) => h('li', { key: `t${index}` }, text)));
}

/** The Lead Player card, where it can be taken. */
function leadCard(frame) {
  const { game, composer } = frame;
  if (game.lead_taker !== undefined || game.phase === 'over' || frame.source.over) return null;
  const offer = composer.offers.find((one) => one.type === 'take_lead');
  const content = [icon('lead'), h('span', null, t('lead_player'))];
  if (!offer) return h('span', { key: 'lead', class: 'lead-card', role: 'img', 'aria-label': t('lead_player') }, content);
  return h('button', { key: 'lead', type: 'button', class: 'lead-card can', 'data-lead': true, 'aria-label': frame.words.act('take_lead'), onclick: () => frame.does(() => composer.choose(offer)) }, content);
}

function iconsOf({ game, words }, seat) {
  return h('div', { class: 'icons-of', role: 'img', 'aria-label': t('trades_of', { who: words.seat(seat), trades: SUITS.map((suit) => `${cardName(suit)} ${game.icons[seat][suit] ?? 0}`).join(', ') }) },
    SUITS.map((suit) => h('span', { key: suit, class: 'icon-count' }, symbol(suit), game.icons[seat][suit] ?? 0)));
}
