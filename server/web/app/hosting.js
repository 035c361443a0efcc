/** What the host of a table can do beside it: silence talkers, free seats, pause, pass all that on. */
import { attempt, notify } from './a11y.js';
import { h } from './dom.js';
import { t } from './i18n.js';
import { icon } from './icons.js';
import { client } from './net.js';
import { place } from './store.js';

/**
 * What this browser shows the server to act as the host; undefined where its reader is not the host.
 *
 * @param {any} page of a live table
 */
export function hostKey(page) {
  const known = place(page.id);
  const seat = hostSeat(page);
  if (seat === undefined) return known?.host;
  return seat === page.frame?.seat ? known?.token : undefined;
}

/** The seat of the host; undefined where whoever opened the table still is it. */
function hostSeat({ frame, facts }) {
  const passed = frame?.history.happened('host_passed').at(-1);
  return passed ? passed.seat : facts?.host_seat;
}

/** The seats that may not talk; null stands for all spectators. */
function muted({ frame }) {
  const silent = new Set();
  for (const event of frame.history.happened('muted', 'seat_left')) {
    if (event.type === 'muted' && event.muted) silent.add(event.seat ?? null);
    else silent.delete(event.seat ?? null);
  }
  return silent;
}

/** @param {any} page of a live table whose host is the reader */
export function drawHosting(page) {
  const { frame } = page;
  const { status } = frame.source;
  const over = frame.source.over;
  const silent = muted(page);
  const taken = frame.view.seats.filter((seat) => seat.name !== undefined);
  return h('div', { class: 'hosting', tabindex: 0 },
    h('p', null, t('you_host')),
    status === 'playing' && h('p', null, act(frame.view.paused ? 'host_resume' : 'host_pause', 'clock', () => pause(page), { 'data-host': 'pause' })),
    h('ul', { 'aria-label': t('seats') },
      taken.map((seat) => h('li', { key: `host-${seat.seat}`, 'data-host-seat': seat.seat },
        h('strong', { dir: 'auto' }, frame.words.seat(seat.seat)),
        silent.has(seat.seat) && h('span', { key: 'tag', class: 'tag' }, t('is_muted')),
        h('span', { key: 'acts', class: 'host-acts', role: 'group', 'aria-label': frame.words.seat(seat.seat) },
          seat.seat !== frame.seat && !seat.bot && mute(page, seat.seat, silent),
          seat.seat !== frame.seat && !seat.bot && !over && act('make_host', 'crown', () => passOn(page, seat.seat), { 'data-host': 'pass' }),
          status === 'open' && seat.seat !== frame.seat && act('remove', 'leave', () => remove(page, seat.seat), { 'data-host': 'remove' })))),
      h('li', { key: 'host-spectators', 'data-host-seat': 'spectators' },
        h('strong', null, t('all_spectators')),
        silent.has(null) && h('span', { key: 'tag', class: 'tag' }, t('are_muted')),
        h('span', { key: 'acts', class: 'host-acts', role: 'group', 'aria-label': t('all_spectators') }, mute(page, undefined, silent)))));
}

function act(text, sign, onclick, more) {
  return h('button', { key: more['data-host'], type: 'button', onclick, ...more }, icon(sign), t(text));
}

function mute(page, seat, silent) {
  const now = silent.has(seat ?? null);
  const whom = seat === undefined ? { muted: !now } : { seat, muted: !now };
  return act(now ? 'unmute' : 'mute', 'talk', () => attempt(() => client.mute(page.id, whom, hostKey(page))), { 'data-host': 'mute' });
}

function pause(page) {
  return attempt(() => (page.frame.view.paused ? client.resume(page.id, hostKey(page)) : client.pause(page.id, hostKey(page))));
}

async function passOn(page, seat) {
  const who = page.frame.words.seat(seat);
  if (!window.confirm(t('make_host_sure', { who }))) return;
  const passed = await attempt(() => client.passHost(page.id, seat, hostKey(page)));
  if (!passed) return;
  notify(t('host_passed', { who }));
  document.getElementById('tab-history')?.focus(); // the tab of the host is gone
}

/** Free a seat before the start. @param {any} page @param {number} seat */
export async function remove(page, seat) {
  await attempt(() => client.leave(page.id, seat, hostKey(page)));
  document.querySelector('.hosting')?.focus(); // the button is gone
}
