/** The page as a whole: header, connection, and the page that the address names. */
import { explain } from './a11y.js';
import { h, render } from './dom.js';
import { loadTexts, t } from './i18n.js';
import { icon } from './icons.js';
import { LobbyPage } from './lobby.js';
import { client } from './net.js';
import { ReplayPage } from './replay.js';
import { route } from './router.js';
import { like, likes } from './store.js';
import { TablePage } from './table.js';

const THEMES = ['auto', 'light', 'dark'];
const SIGNS = { auto: 'half', light: 'sun', dark: 'moon' };

let page;
let shownAt = '';
let planned = false;

/** Draw soon; many changes at once are drawn once. */
function redraw() {
  if (planned) return;
  planned = true;
  queueMicrotask(() => {
    planned = false;
    draw();
  });
}

function draw() {
  const before = document.activeElement;
  const played = before?.closest('.own, .board') !== null;
  show();
  // What was clicked is often gone then: a card, an offer. The keyboard goes on beside the next offers.
  if (played && before && (!before.isConnected || before.disabled)) {
    document.querySelector('.own .prompt')?.focus({ preventScroll: true });
  }
}

function show() {
  render(document.getElementById('app'),
    h('a', { class: 'skip', href: '#main', onclick: skip }, t('skip')),
    h('header', { class: 'top' },
      h('a', { class: 'brand', href: '#/' }, icon('brand'), t('brand')),
      connection(),
      h('button', { type: 'button', class: 'quiet', onclick: nextTheme, 'aria-label': t('theme', { theme: t(`theme.${likes().theme}`) }), title: t('theme', { theme: t(`theme.${likes().theme}`) }) }, icon(SIGNS[likes().theme] ?? 'half'))),
    page?.draw());
}

function connection() {
  const { status } = client;
  if (status === 'idle') return null;
  const kind = status === 'open' ? 'good' : 'bad';
  return h('span', { class: `connection ${kind}`, role: 'status', 'data-connection': status },
    icon(status === 'open' ? 'online' : 'offline'), h('span', { class: status === 'open' ? 'wide' : '' }, t(`connection.${status}`)));
}

function skip(event) {
  event.preventDefault();
  const main = document.getElementById('main');
  main?.setAttribute('tabindex', '-1');
  main?.focus();
}

function nextTheme() {
  like({ theme: THEMES[(THEMES.indexOf(likes().theme) + 1) % THEMES.length] });
  showTheme();
  redraw();
}

function showTheme() {
  document.documentElement.dataset.theme = likes().theme;
}

function turn() {
  const where = route();
  const key = `${where.page} ${where.table ?? ''}`;
  if (key === shownAt) {
    // A return link to the table that is shown: somebody else is looking now.
    if (where.page === 'table') void page?.reopen();
    return;
  }
  page?.leave();
  shownAt = key;
  document.title = t('brand');
  if (where.page === 'table') page = new TablePage(where.table, redraw);
  else if (where.page === 'replay') page = new ReplayPage(where.table, redraw);
  else page = new LobbyPage(redraw);
  window.scrollTo(0, 0);
  redraw();
}

async function begin() {
  showTheme();
  await loadTexts();
  client.on('status', redraw);
  window.addEventListener('hashchange', turn);
  turn();
}

begin().catch((error) => {
  document.getElementById('app').textContent = explain(error);
  throw error;
});
