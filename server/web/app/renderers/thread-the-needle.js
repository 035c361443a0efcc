/** Thread the Needle: bid the range in which your points will end; with two seats, strawmen and a grid. */
import { card } from '../cards.js';
import { h } from '../dom.js';
import { t } from '../i18n.js';
import { icon } from '../icons.js';
import { group, pickable, pickCard } from './parts.js';
import * as tarot from './tarot.js';

const LINES = { 'row-1': [0, 1], 'row-2': [2, 3], 'column-1': [0, 2], 'column-2': [1, 3] };

export const threadTheNeedle = {
  stand: tarot.stand,
  claims: (type, name) => tarot.claims(type, name) || (type === 'bid' && name === 'level'),
  words(frame, type, name, value) {
    return name === 'level' ? levelText(frame, value) : undefined;
  },
  seat(frame, seat) {
    const facts = tarot.seatFacts(frame, seat);
    const bid = frame.game.bids.find((one) => one.seat === seat);
    if (bid) facts.badges.unshift({ icon: 'target', text: t('bid_is', { bid: range(frame.game.scoring_card[bid.level]) }), kind: 'strong' });
    const rows = frame.game.strawmen && seat !== frame.seat && strawmen(frame, seat);
    return { ...facts, extra: rows };
  },
  board(frame) {
    const two = frame.game.strawmen !== undefined;
    return [
      scoringCard(frame),
      tarot.centre(frame, two ? grid(frame) : undefined),
      tarot.awards(frame),
      tarot.lastHand(frame, (level) => range(frame.game.scoring_card[level])),
    ];
  },
  notes({ game }) {
    return game.given?.length > 0 && h('p', { class: 'note' }, t('you_gave'), h('span', { class: 'row-of-cards tiny-cards' }, game.given.map((one) => card(one.card, { key: one.card }))));
  },
  own(frame) {
    const { game, seat } = frame;
    return [
      game.looking_at && group(t('you_see'), h('div', { class: 'row-of-cards small-cards' }, game.looking_at.map((code) => pickCard(frame, ['take'], code, { key: `see-${code}` })))),
      game.strawmen && seat !== undefined && strawmen(frame, seat),
      tarot.own(frame, tarot.birds(game.hands.length === 5 ? 5 : 4)),
    ];
  },
  reasons(frame) {
    return tarot.lastHand(frame, (level) => range(frame.game.scoring_card[level]), true);
  },
};

/** The range of a level, as on the card. */
export function range(level) {
  if (!level) return '';
  const { from, to, needle } = level;
  const text = from === undefined ? t('up_to', { n: to }) : to === undefined ? t('and_more', { n: from }) : from === to ? String(from) : `${from}–${to}`;
  return needle ? t('needle', { range: text }) : text;
}

function levelText(frame, index) {
  const level = frame.game?.scoring_card[index];
  return level ? t('level_worth', { range: range(level), count: level.points }) : undefined;
}

/** The scoring card: bids, where everybody's points lie now, and a bid to make. */
function scoringCard(frame) {
  const { game, words, view } = frame;
  return h('ol', { class: 'levels', 'aria-label': t('scoring_card') }, game.scoring_card.map((level, index) => {
    const pick = pickable(frame, ['level'], index);
    const bidders = game.bids.filter((bid) => bid.level === index).map((bid) => bid.seat);
    const here = view.seats.map((seat) => seat.seat).filter((seat) => game.levels[seat] === index);
    const label = [levelText(frame, index), bidders.length > 0 && t('bid_by', { who: words.seats(bidders) }), here.length > 0 && t('now_here', { who: words.seats(here) })].filter(Boolean).join('. ');
    const content = [
      h('span', { class: 'range' }, range(level)),
      h('span', { class: 'worth' }, icon('points'), level.points),
      h('span', { class: 'who-bid' },
        bidders.map((seat) => h('span', { key: `b${seat}`, class: 'badge strong' }, icon('target'), initials(words.seat(seat)))),
        here.map((seat) => h('span', { key: `h${seat}`, class: 'badge' }, initials(words.seat(seat))))),
    ];
    const classes = `level ${level.needle ? 'needle' : ''} ${pick.picked ? 'picked' : ''}`;
    return h('li', { key: `level-${index}` }, pick.onclick
      ? h('button', { type: 'button', class: `${classes} can`, 'aria-label': label, 'aria-pressed': pick.picked, onclick: pick.onclick, 'data-param': 'level', 'data-value': index }, content)
      : h('div', { class: classes, role: 'img', 'aria-label': label }, content));
  }));
}

function initials(name) {
  return name.split(/\s+/).map((part) => part[0]).join('').slice(0, 3);
}

/** The Talon of two seats: a grid of two by two, of which a line can be chosen. */
function grid(frame) {
  const { talon } = frame.game;
  if (talon.length !== 4) return tarot.drawTalon(frame);
  const marked = new Set(Object.keys(LINES).filter((line) => frame.composer.has('line', line, `${line}#0`)).flatMap((line) => LINES[line]));
  return group(t('talon'), h('div', { class: 'grid-talon small-cards' }, talon.map((code, index) => card(code, { key: `g${index}`, kind: marked.has(index) ? 'won' : '' }))));
}

/** The strawmen of a seat: a front row over a back row; the open ones are played like cards of the hand. */
function strawmen(frame, seat) {
  const { back, front } = frame.game.strawmen[seat];
  const straw = (code, place, row) => h('span', { key: `${row}${place}`, class: `straw ${row} ${code === 'gone' ? 'gone' : ''}`, style: { '--at': row === 'front' ? place + 0.5 : place } },
    code === 'gone' ? null : seat === frame.seat ? pickCard(frame, ['card'], code) : card(code));
  return h('div', { class: `strawmen ${seat === frame.seat ? 'small-cards' : 'tiny-cards'}`, role: 'group', 'aria-label': t('strawmen', { who: frame.words.seat(seat) }) },
    back.map((code, place) => straw(code, place, 'back-row')), front.map((code, place) => straw(code, place, 'front')));
}
