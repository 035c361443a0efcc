/** The bar above the table: what game, how it stands, and what can be done beside playing. */
import { attempt, copy, notify } from './a11y.js';
import { h } from './dom.js';
import { hostKey } from './hosting.js';
import { t } from './i18n.js';
import { icon } from './icons.js';
import { client } from './net.js';
import { linkTo, returnLink, watchLink } from './router.js';
import { forget, like, likes, place } from './store.js';

/** @param {any} page of a live table */
export function tools(page) {
  const { frame } = page;
  const known = place(page.id);
  const playing = frame.source.status === 'playing';
  const seated = frame.seat !== undefined;
  const host = hostKey(page);
  return h('div', { class: 'tools' },
    h('a', { href: '#/', class: 'button quiet', 'aria-label': t('to_lobby') }, icon('back'), h('span', { class: 'wide' }, t('lobby'))),
    h('div', { class: 'what' },
      h('strong', null, frame.entry.title),
      h('span', { class: 'stand' }, (frame.game && frame.renderer.stand?.(frame)) ?? t(`status.${frame.source.status}`)),
      !seated && h('span', { class: 'tag' }, t('watching'))),
    h('details', { class: 'menu', made: closing },
      h('summary', { 'aria-label': t('menu') }, icon('menu')),
      h('div', { class: 'items' },
        item(t('share_link'), 'link', () => copy(linkTo(`/table/${page.id}`), t('link_copied'))),
        known?.token && item(t('return_link'), 'link', () => copy(returnLink(page.id, known.token), t('return_copied'))),
        host && page.facts.spectators.who === 'token' && item(t('spectator_link'), 'eye', () => invite(page, host)),
        item(likes().plain ? t('drawn_table') : t('plain_table'), 'list', () => change(page, { plain: !likes().plain })),
        item(likes().confirm ? t('no_confirm') : t('do_confirm'), 'check', () => change(page, { confirm: !likes().confirm })),
        seated && playing && item(frame.view.paused ? t('ask_resume') : t('ask_pause'), 'clock', () => askPause(page, known)),
        known?.token && item(t('forget_seat'), 'eye', () => forgetSeat(page)),
        seated && !frame.source.over && item(playing ? t('leave_game') : t('leave_seat'), 'leave', () => leaveSeat(page, playing)))));
}

function item(text, sign, onclick) {
  return h('button', { type: 'button', onclick: (event) => {
    event.currentTarget.closest('details').open = false;
    onclick();
  } }, icon(sign), text);
}

/** A menu closes when one looks elsewhere. @param {HTMLDetailsElement} menu */
export function closing(menu) {
  menu.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !menu.open) return;
    menu.open = false;
    menu.querySelector('summary')?.focus();
  });
  menu.addEventListener('focusout', (event) => {
    if (event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false;
  });
  document.addEventListener('pointerdown', (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
}

function change(page, more) {
  like(more);
  page.frame.does(() => page.frame.follow());
}

async function invite(page, host) {
  const admitted = await attempt(() => client.admitSpectator(page.id, host));
  if (admitted) await copy(watchLink(page.id, admitted.token), t('spectator_copied'));
}

async function askPause(page, known) {
  const { view } = page.frame;
  const asked = await attempt(() => (view.paused ? client.resume(page.id, known.token) : client.pause(page.id, known.token)));
  if (asked) notify(view.paused ? t('resume_asked') : t('pause_asked'));
}

async function forgetSeat(page) {
  if (!window.confirm(t('forget_sure'))) return;
  forget(page.id);
  await page.reopen();
}

async function leaveSeat(page, playing) {
  if (window.confirm(playing ? t('leave_game_sure') : t('leave_seat_sure'))) await page.standUp();
}
