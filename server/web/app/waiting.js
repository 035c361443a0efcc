/** Before the start: who sits where, and what the host can do. */
import { attempt, copy } from './a11y.js';
import { h } from './dom.js';
import { first, humanized, t } from './i18n.js';
import { hostKey, remove } from './hosting.js';
import { icon } from './icons.js';
import { client, sit } from './net.js';
import { linkTo } from './router.js';
import { plate } from './seats.js';
import { like, likes } from './store.js';

/** @param {any} page of a live table */
export function drawWaiting(page) {
  const { frame } = page;
  const host = hostKey(page);
  const free = frame.view.seats.filter((seat) => seat.name === undefined);
  const seated = frame.seat !== undefined;
  const link = linkTo(`/table/${page.id}`);
  return h('section', { class: 'felt waiting', 'aria-label': t('before_start') },
    h('h2', null, free.length > 0 ? t('waiting_players', { count: free.length }) : t('all_there')),
    h('div', { class: 'invite' },
      h('label', { for: 'link' }, t('invite')),
      h('div', { class: 'together' },
        h('input', { id: 'link', readonly: true, value: link, onfocus: (event) => event.target.select() }),
        h('button', { type: 'button', onclick: () => copy(link, t('link_copied')) }, icon('link'), t('copy')))),
    !seated && free.length > 0 && h('div', { class: 'together name-field' },
      h('label', { for: 'name' }, t('your_name')),
      h('input', { id: 'name', maxlength: 40, value: likes().name, autocomplete: 'nickname', oninput: (event) => like({ name: event.target.value }) })),
    h('ul', { class: 'chairs' }, frame.view.seats.map((seat) => h('li', { key: `chair-${seat.seat}` },
      seat.name !== undefined ? plate(frame, seat.seat) : h('div', { class: 'plate free' }, t('free_chair', { n: seat.seat + 1 })),
      h('div', { class: 'chair-acts' },
        seat.name === undefined && !seated && h('button', { type: 'button', class: 'primary', 'data-sit': seat.seat, onclick: () => take(page, seat.seat) }, t('sit_here')),
        seat.name === undefined && host && h('button', { type: 'button', 'data-bot': seat.seat, onclick: () => addBot(page, host, seat.seat) }, icon('bot'), t('add_bot')),
        seat.name !== undefined && host && seat.seat !== frame.seat && h('button', { type: 'button', onclick: () => remove(page, seat.seat) }, t('remove')))))),
    host && free.length > 0 && h('div', { class: 'together' },
      h('label', { for: 'policy' }, t('bots_play')),
      h('select', { id: 'policy', value: policyAt(page), onchange: (event) => like({ bots: event.target.value }) },
        frame.entry.bots.map((policy) => h('option', { value: policy }, first([`policy.${policy}`]) ?? humanized(policy)))),
      h('button', { type: 'button', 'data-fill': true, onclick: () => fill(page, host, free) }, t('fill_bots'))),
    host && !page.facts.autostart && free.length === 0 && h('p', null,
      h('button', { type: 'button', class: 'primary', onclick: () => attempt(() => client.start(page.id, host)) }, t('start'))));
}

/** How bots added here play: as the reader likes, where the game has it. */
function policyAt({ frame }) {
  const { bots } = frame.entry;
  return bots.includes(likes().bots) ? likes().bots : (bots.find((policy) => policy === 'greedy') ?? bots[0]);
}

async function take(page, seat) {
  const name = (likes().name || t('guest')).trim();
  const seated = await attempt(() => sit(page.id, name, seat));
  if (seated) await page.reopen();
}

function addBot(page, host, seat) {
  return attempt(() => client.addBot(page.id, { policy: policyAt(page), seat }, host));
}

async function fill(page, host, free) {
  for (const { seat } of free) await addBot(page, host, seat);
}
