/** "This deal was fair": recomputes every shuffle of a finished game from the key that was promised before. */
import { attempt, notify } from './a11y.js';
import { h } from './dom.js';
import { t } from './i18n.js';
import { icon } from './icons.js';
import { client } from './net.js';

/** The check of one table. */
export class FairCheck {
  #table;
  #redraw;
  #running = false;
  /** @type {any} */
  #found;

  /** @param {string} table @param {() => void} redraw */
  constructor(table, redraw) {
    this.#table = table;
    this.#redraw = redraw;
  }

  button() {
    return h('button', { type: 'button', 'data-fair': true, disabled: this.#running, onclick: () => this.#check() },
      icon('check'), this.#running ? t('fair.checking') : t('fair.check'));
  }

  /** What was found, once it was looked for. */
  verdict() {
    const found = this.#found;
    if (!found) return null;
    const kind = found.ok ? 'good' : 'bad';
    return h('div', { class: `verdict ${kind}`, role: 'status', 'data-verdict': found.ok ? 'fair' : 'not-fair' },
      h('p', null, h('strong', null, found.ok ? t('fair.yes') : t('fair.no'))),
      found.ok && h('p', null, t('fair.shuffles', { count: found.shuffles })),
      !found.ok && h('p', null, found.problem?.message ?? ''),
      h('p', { class: 'small' }, t('fair.limits')));
  }

  async #check() {
    if (!globalThis.crypto?.subtle) {
      notify(t('fair.insecure'), 'bad');
      return;
    }
    this.#running = true;
    this.#redraw();
    this.#found = await attempt(async () => {
      const { verify } = await import('../lib/verify.js');
      return verify(await client.log(this.#table, { open: true }));
    });
    this.#running = false;
    this.#redraw();
  }
}
