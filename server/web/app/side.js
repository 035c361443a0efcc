/** Beside the table: history, talk, rules. */
import { announce, attempt } from './a11y.js';
import { h } from './dom.js';
import { t, time } from './i18n.js';
import { stay } from './history.js';
import { drawHosting, hostKey } from './hosting.js';
import { icon } from './icons.js';
import { markdown } from './markdown.js';
import { client } from './net.js';
import { tokenFor } from './store.js';

const REACTIONS = ['thumbs_up', 'clap', 'laugh', 'wow', 'sad', 'party', 'think', 'heart'];
const MOST = 300;

/** The panel with tabs. */
export class Side {
  tab = 'history';
  unread = 0;
  #frame;
  #facts;
  #page;
  #talk = [];

  /** @param {any} frame @param {any} facts of the table @param {any} [page] of a live table */
  constructor(frame, facts, page) {
    this.#frame = frame;
    this.#facts = facts;
    this.#page = page;
  }

  /** Fetch what was said before. */
  async catchUp() {
    const before = await client.talk(this.#facts.table, tokenFor(this.#facts.table));
    const key = (one) => JSON.stringify([one.at_ms, one.by, one.text, one.reaction]);
    const known = new Set(before.map(key));
    this.#talk = [...before, ...this.#talk.filter((one) => !known.has(key(one)))];
  }

  /** Somebody said something. @param {any} message */
  heard(message) {
    this.#talk.push(message);
    if (this.tab !== 'talk') this.unread += 1;
    announce(t('says', { who: this.#who(message.by), text: message.text ?? t(`reaction.${message.reaction}`) }));
  }

  draw() {
    const tabs = ['history', ...(this.#frame.live ? ['talk'] : []), 'rules', ...(this.#hosts ? ['host'] : [])];
    if (!tabs.includes(this.tab)) this.tab = 'history';
    return h('aside', { class: 'side', 'aria-label': t('beside') },
      h('div', { class: 'tabs', role: 'tablist' }, tabs.map((name) => h('button', {
        key: name, type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': 'side-panel', 'data-tab': name,
        'aria-selected': this.tab === name, tabindex: this.tab === name ? 0 : -1,
        onclick: () => this.#open(name), onkeydown: (event) => this.#move(event, tabs),
      }, t(`tab.${name}`), name === 'talk' && this.unread > 0 && h('span', { class: 'count' }, t('unread', { count: this.unread }))))),
      h('div', { key: this.tab, class: `panel ${this.tab}`, role: 'tabpanel', id: 'side-panel', 'aria-labelledby': `tab-${this.tab}` }, this.#panel()));
  }

  /** Whether the reader is the host of a table that is drawn live. */
  get #hosts() {
    return this.#page !== undefined && hostKey(this.#page) !== undefined;
  }

  #open(name) {
    this.tab = name;
    if (name === 'talk') this.unread = 0;
    this.#frame.redraw();
  }

  #move(event, tabs) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const name = tabs[(tabs.indexOf(this.tab) + by + tabs.length) % tabs.length];
    this.#open(name);
    document.getElementById(`tab-${name}`)?.focus();
  }

  #panel() {
    if (this.tab === 'talk') return this.#drawTalk();
    if (this.tab === 'host') return drawHosting(this.#page);
    if (this.tab === 'rules') return h('div', { class: 'rules', tabindex: 0 }, markdown(this.#frame.entry.help));
    return this.#frame.history.draw(this.#frame.source.version || undefined);
  }

  #who(by) {
    return by.seat === undefined ? t('a_spectator') : this.#frame.words.seat(by.seat);
  }

  #drawTalk() {
    const { seat, history } = this.#frame;
    const who = history.opening?.talk ?? 'all';
    const allowed = who === 'all' || (who === 'seats' && seat !== undefined);
    return [
      h('ol', { class: 'talk-lines', tabindex: 0, 'aria-label': t('tab.talk'), made: stay },
        this.#talk.map((one, index) => h('li', { key: `talk-${index}`, class: one.by.seat !== undefined && one.by.seat === seat ? 'by-me' : '' },
          h('span', { class: 'by' }, this.#who(one.by), ' ', h('time', null, time(one.at_ms))),
          one.text !== undefined
            ? h('p', { dir: 'auto' }, one.text)
            : h('p', { class: 'reaction' }, face(one.reaction), h('span', { class: 'unseen' }, t(`reaction.${one.reaction}`)))))),
      this.#talk.length === 0 && h('p', { class: 'empty' }, t('no_talk')),
      allowed && h('div', { class: 'reactions', role: 'group', 'aria-label': t('reactions') }, REACTIONS.map((name) =>
        h('button', { type: 'button', title: t(`reaction.${name}`), 'aria-label': t(`reaction.${name}`), 'data-reaction': name, onclick: () => this.#say({ reaction: name }) }, face(name)))),
      allowed && h('form', { class: 'say', onsubmit: (event) => this.#submit(event) },
        h('label', { class: 'unseen', for: 'say' }, t('say')),
        h('input', { id: 'say', name: 'text', maxlength: MOST, autocomplete: 'off', placeholder: t('say') }),
        h('button', { type: 'submit' }, t('send'))),
    ];
  }

  async #submit(event) {
    event.preventDefault();
    const input = event.target.elements.text;
    const text = input.value.trim();
    if (!text) return;
    if (await this.#say({ text })) input.value = '';
  }

  #say(what) {
    return attempt(async () => {
      await this.#frame.source.say(what);
      return true;
    });
  }
}

/** The sign of a reaction. @param {string} name */
function face(name) {
  return icon(`react-${name}`);
}
