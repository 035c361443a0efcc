/** The dialog that opens a table. */
import { attempt } from './a11y.js';
import { h } from './dom.js';
import { fields, readFields } from './form.js';
import { first, humanized, t } from './i18n.js';
import { client, sit } from './net.js';
import { go } from './router.js';
import { like, likes, remember } from './store.js';

/** How long one may think: `[move, bank]` in seconds; the first is without a clock. */
const CLOCKS = { none: null, quick: [10, 60], normal: [30, 180], slow: [120, 600], days: [86_400, 0] };

/** Asks what table it should be, opens it, sits down and adds the bots. */
export class CreateDialog {
  #game;
  #busy = false;
  #redraw;

  /** @param {() => void} redraw */
  constructor(redraw) {
    this.#redraw = redraw;
  }

  /** @param {any} game of the catalogue */
  show(game) {
    this.#game = game;
    this.#redraw();
  }

  draw() {
    const game = this.#game;
    if (!game) return null;
    const close = () => {
      this.#game = undefined;
      this.#redraw();
    };
    return h('dialog', { key: `create-${game.game}`, class: 'dialog create', 'aria-labelledby': 'create-title', made: (dialog) => queueMicrotask(() => dialog.showModal()), onclose: close },
      h('h2', { id: 'create-title' }, t('new_table_of', { game: game.title })),
      h('form', { onsubmit: (event) => this.#submit(event), 'data-create-form': game.game },
        row('name', t('your_name'), h('input', { id: 'c-name', name: 'name', maxlength: 40, value: likes().name, placeholder: t('guest'), autocomplete: 'nickname' })),
        row('seats', t('seats'), h('select', { id: 'c-seats', name: 'seats', value: String(game.seats[0]) }, game.seats.map((n) => h('option', { value: String(n) }, t('players', { count: n }))))),
        row('bots', t('other_seats'), h('select', { id: 'c-bots', name: 'bots', value: '' }, h('option', { value: '' }, t('bots.none')), game.bots.map((policy) => h('option', { value: policy }, first([`bots.${policy}`]) ?? humanized(policy))))),
        row('clock', t('clock'), h('select', { id: 'c-clock', name: 'clock', value: 'none' }, Object.keys(CLOCKS).map((clock) => h('option', { value: clock }, t(`clock.${clock}`))))),
        h('details', null,
          h('summary', null, t('more_options')),
          row('on_timeout', t('on_timeout'), h('select', { id: 'c-on_timeout', name: 'on_timeout', value: 'bot' }, ['bot', 'forfeit', 'wait'].map((what) => h('option', { value: what }, t(`on_timeout.${what}`))))),
          row('spectators', t('spectators'), h('select', { id: 'c-spectators', name: 'spectators', value: 'all' }, ['all', 'token', 'none'].map((who) => h('option', { value: who }, t(`spectators.${who}`))))),
          row('talk', t('who_talks'), h('select', { id: 'c-talk', name: 'talk', value: 'all' }, ['all', 'seats', 'none'].map((who) => h('option', { value: who }, t(`talk.${who}`))))),
          tick('listed', t('listed'), true), tick('play', t('i_play'), true), tick('reveal', t('reveal_key'), true)),
        h('fieldset', { class: 'options' }, h('legend', null, t('options_of', { game: game.title })), fields(game.options)),
        h('div', { class: 'together end' },
          h('button', { type: 'button', onclick: (event) => event.target.closest('dialog').close() }, t('cancel')),
          h('button', { type: 'submit', class: 'primary', disabled: this.#busy, 'data-open': true }, t('open_table')))));
  }

  async #submit(event) {
    event.preventDefault();
    const form = event.target;
    const game = this.#game;
    const { elements } = form;
    like({ name: elements.name.value.trim(), ...(elements.bots.value ? { bots: elements.bots.value } : {}) });
    this.#busy = true;
    this.#redraw();
    const table = await attempt(() => this.#open(game, elements));
    this.#busy = false;
    if (table) {
      form.closest('dialog').close();
      go(`/table/${table}`);
    }
    this.#redraw();
  }

  async #open(game, elements) {
    const seats = Number(elements.seats.value);
    const clock = CLOCKS[elements.clock.value];
    const { table, host_token: host } = await client.createTable({
      game: game.game,
      seats,
      options: readFields(game.options, elements),
      listed: elements.listed.checked,
      spectators: { who: elements.spectators.value },
      talk: elements.talk.value,
      reveal: elements.reveal.checked ? 'end' : 'never',
      on_timeout: elements.on_timeout.value,
      ...(clock ? { clock: { move_ms: clock[0] * 1000, bank_ms: clock[1] * 1000 } } : {}),
    });
    remember(table, { host, game: game.game });
    const plays = elements.play.checked;
    if (plays) await sit(table, likes().name || t('guest'));
    const policy = elements.bots.value;
    if (policy) for (let left = seats - (plays ? 1 : 0); left > 0; left -= 1) await client.addBot(table, { policy }, host);
    return table;
  }
}

function row(name, label, control) {
  return h('div', { key: name, class: 'row' }, h('label', { for: `c-${name}` }, label), control);
}

function tick(name, label, checked) {
  return h('div', { key: name, class: 'row tick' }, h('input', { type: 'checkbox', id: `c-${name}`, name, checked }), h('label', { for: `c-${name}` }, label));
}
