/** The end of a game: who won, with what, and where to go from here. */
import { attempt } from './a11y.js';
import { h } from './dom.js';
import { FairCheck } from './fair.js';
import { first, t } from './i18n.js';
import { icon } from './icons.js';
import { client } from './net.js';
import { go } from './router.js';
import { place } from './store.js';
import { nth } from './words.js';

/** @param {any} page of a live table */
export function drawResult(page) {
  const { frame } = page;
  const { result } = frame.view;
  const token = place(page.id)?.token ?? place(page.id)?.host;
  page.fair ??= new FairCheck(page.id, () => frame.redraw());
  return h('section', { class: 'result', 'aria-label': t('result'), 'data-result': true },
    h('h2', null, icon('crown'), result ? t('won', { who: frame.words.seats(result.winners), count: result.winners.length }) : t('abandoned')),
    result && standing(frame),
    h('div', { class: 'together' },
      page.next
        ? h('a', { class: 'button primary', href: `#/table/${page.next}`, 'data-next': true }, t('to_rematch'))
        : token && result && h('button', { type: 'button', class: 'primary', 'data-rematch': true, onclick: () => again(page, token) }, t('rematch')),
      h('a', { class: 'button', href: `#/table/${page.id}/replay`, 'data-replay': true }, icon('play'), t('replay')),
      page.facts.reveal === 'end' && page.fair.button(),
      h('a', { class: 'button', href: '#/' }, t('to_lobby'))),
    page.fair.verdict());
}

/** Places and scores, and what the game says of how they came about. @param {any} frame */
export function standing(frame) {
  const { result, seats } = frame.view;
  const order = seats.map((seat) => seat.seat).sort((a, b) => result.places[a] - result.places[b]);
  return h('div', { class: 'standing' },
    h('table', null,
      h('thead', null, h('tr', null, h('th', { scope: 'col' }, t('place')), h('th', { scope: 'col' }, t('player')), h('th', { scope: 'col' }, t('points')))),
      h('tbody', null, order.map((seat) => h('tr', { key: `r${seat}`, class: result.winners.includes(seat) ? 'winner' : '' },
        h('td', null, nth(result.places[seat])), h('th', { scope: 'row' }, frame.words.seat(seat)), h('td', null, result.scores[seat]))))),
    result.reason && h('p', { class: 'reason' }, first([`ended.${result.reason}`]) ?? frame.words.word(result.reason)),
    frame.renderer.reasons?.(frame));
}

async function again(page, token) {
  const opened = await attempt(() => client.rematch(page.id, token));
  if (opened?.next) {
    page.frame.source.next ??= opened.next;
    page.passOn();
    go(`/table/${opened.next}`);
  }
}
