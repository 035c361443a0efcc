/** Who sits at the table: names, whose turn it is, presence, clocks, and what the game says of a seat. */
import { h } from './dom.js';
import { t } from './i18n.js';
import { icon } from './icons.js';

/**
 * The plate of one seat.
 *
 * @param {any} frame
 * @param {number} seat
 */
export function plate(frame, seat) {
  const { view, source, words } = frame;
  const there = view.seats[seat];
  const waits = source.waiting.includes(seat) && !source.over;
  const told = view.game ? (frame.renderer.seat?.(frame, seat) ?? {}) : {};
  const winner = view.result?.winners.includes(seat);
  const classes = ['plate', waits ? 'turn' : '', seat === frame.seat ? 'me' : '', winner ? 'winner' : ''].filter(Boolean);
  return h('div', { key: `seat-${seat}`, class: classes.join(' '), 'data-seat': seat, role: 'group', 'aria-label': words.seat(seat) },
    h('div', { class: 'who' },
      avatar(frame, seat),
      h('div', { class: 'name' },
        h('strong', { dir: 'auto' }, words.seat(seat)),
        h('span', { class: 'marks' }, marks(frame, seat, there, waits, told.mark))),
      told.score !== undefined && h('div', { class: 'score', title: t('score') }, h('span', { class: 'unseen' }, `${t('score')}: `), told.score)),
    told.badges?.length > 0 && h('div', { class: 'badges' }, told.badges.map((badge) =>
      h('span', { class: `badge ${badge.kind ?? ''}`, title: badge.title }, badge.icon && icon(badge.icon), badge.text))),
    told.extra,
    clock(frame, seat));
}

function marks(frame, seat, there, waits, mark) {
  const parts = [];
  if (seat === frame.seat) parts.push(t('you'));
  if (frame.view.result?.winners.includes(seat)) parts.push(t('winner'));
  if (there.bot) parts.push(t('bot'));
  else if (there.away) parts.push(t('away'));
  else if (frame.live && there.name !== undefined && frame.connected[seat] === false) parts.push(t('offline'));
  if (mark) parts.push(mark);
  if (frame.view.asked?.includes(seat)) parts.push(frame.view.paused ? t('wants_on') : t('wants_pause'));
  if (waits) parts.push(frame.view.seats.length > 1 && frame.source.waiting.length > 1 ? t('choosing') : t('to_move'));
  if (there.name === undefined) parts.push(t('free_seat'));
  return parts.join(' · ');
}

/** A mark for a player: a letter on a shape that differs by seat, so that colour is not needed. */
export function avatar(frame, seat) {
  const there = frame.view.seats[seat];
  const online = !there.bot && frame.connected[seat];
  return h('span', { class: `avatar shape-${seat % 6} ${online ? 'online' : ''}`, 'aria-hidden': 'true' },
    there.bot ? icon('bot') : (there.name ?? '?').slice(0, 1).toUpperCase());
}

function clock(frame, seat) {
  if (!frame.live || frame.source.over) return null;
  const deadline = frame.deadline(seat);
  if (!deadline) return null;
  const left = Math.max(0, deadline.at - frame.now());
  const inBank = frame.now() > deadline.bank;
  return h('div', { class: `clock ${left < 10_000 ? 'late' : ''}`, role: 'timer', 'aria-label': t('time_left') },
    icon('clock'), h('span', { 'data-clock': seat }, clockText(left)), inBank && h('span', { class: 'bank' }, t('in_bank')));
}

/** Minutes and seconds. @param {number} ms */
export function clockText(ms) {
  const s = Math.ceil(ms / 1000);
  const parts = s >= 3600 ? [Math.floor(s / 3600), Math.floor(s / 60) % 60, s % 60] : [Math.floor(s / 60), s % 60];
  return parts.map((part, index) => (index ? String(part).padStart(2, '0') : part)).join(':');
}
