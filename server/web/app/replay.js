/** A finished or running game again, from its log: as a spectator, from one's seat, or with all cards open. */
import { explain } from './a11y.js';
import { h } from './dom.js';
import { FairCheck } from './fair.js';
import { Frame } from './frame.js';
import { t } from './i18n.js';
import { icon } from './icons.js';
import { client, games } from './net.js';
import { standing } from './result.js';
import { Side } from './side.js';
import { place } from './store.js';
import { drawBoard, drawOwn } from './table.js';

const SPEEDS = [0.5, 1, 2, 5, 10];

/** The page with the scrubber. */
export class ReplayPage {
  /** @type {Frame | undefined} */
  frame;
  speed = 1;
  #viewer = '';
  #problem;
  #redraw;
  #facts;
  #left = false;

  /** @param {string} id @param {() => void} redraw */
  constructor(id, redraw) {
    this.id = id;
    this.#redraw = redraw;
    this.fair = new FairCheck(id, redraw);
    void this.#begin();
  }

  async #begin() {
    try {
      const token = place(this.id)?.token;
      this.#facts = await client.facts(this.id, token ?? place(this.id)?.watch ?? place(this.id)?.host);
      const over = this.#facts.status === 'finished' || this.#facts.status === 'abandoned';
      this.#viewer = token ? 'own' : over && this.#facts.reveal === 'end' ? 'open' : 'spectator';
      await this.#load();
    } catch (error) {
      this.#problem = error;
      this.#redraw();
    }
  }

  /** Who may be chosen as the viewer. */
  get viewers() {
    const over = this.#facts.status === 'finished' || this.#facts.status === 'abandoned';
    return [
      ...(place(this.id)?.token ? ['own'] : []),
      'spectator',
      ...(over && this.#facts.reveal === 'end' ? ['open'] : []),
    ];
  }

  async #load() {
    const known = place(this.id);
    const token = this.#viewer === 'own' ? known?.token : known?.watch;
    const version = this.frame?.source.version;
    const options = this.#viewer === 'open' ? { open: true } : { token };
    const replay = await client.replay(this.id, options);
    const lines = await client.log(this.id, options);
    const entry = (await games()).find((one) => one.game === this.#facts.game);
    if (this.#left) return;
    this.frame?.source.pause();
    const frame = new Frame(replay, entry, () => this.#follow(), false);
    frame.history.add(lines.slice(1));
    this.side = new Side(frame, this.#facts);
    this.frame = frame;
    replay.on('change', () => this.#follow());
    replay.on('update', (update) => frame.tell(update));
    replay.on('play', this.#redraw);
    replay.on('pause', this.#redraw);
    replay.seek(version ?? replay.last);
    document.title = t('replay.title', { game: entry.title });
    this.#follow();
  }

  #follow() {
    this.frame?.follow();
    this.#redraw();
  }

  /** Stop. */
  leave() {
    this.#left = true;
    this.frame?.source.pause();
  }

  async reopen() {
    await this.#begin();
  }

  draw() {
    if (this.#problem) return h('main', { id: 'main', class: 'page problem-page' }, h('h1', null, t('cannot_open')), h('p', null, explain(this.#problem)), h('a', { class: 'button', href: '#/' }, t('to_lobby')));
    const { frame } = this;
    if (!frame?.view) return h('main', { id: 'main', class: 'page' }, h('p', { class: 'loading' }, t('loading')));
    return h('main', { id: 'main', class: `table-page replaying game-${frame.name}`, 'data-version': frame.source.version, 'data-status': frame.source.status, onkeydown: (event) => this.#key(event) },
      h('h1', { class: 'unseen' }, t('replay.title', { game: frame.entry.title })),
      h('div', { class: 'stage' },
        this.#bar(),
        frame.view.result && h('section', { class: 'result' }, h('h2', null, t('result')), standing(frame), h('div', { class: 'together' }, this.#facts.reveal === 'end' && this.fair.button()), this.fair.verdict()),
        frame.view.game ? drawBoard(frame) : h('section', { class: 'felt' }, h('p', null, frame.view.seats.map((seat) => seat.name ?? t('free_chair', { n: seat.seat + 1 })).join(', '))),
        frame.view.game && drawOwn(frame)),
      this.side?.draw());
  }

  #bar() {
    const { source, entry } = this.frame;
    const playing = source.playing;
    const button = (name, sign, onclick) => h('button', { key: name, type: 'button', class: 'round', 'aria-label': t(`replay.${name}`), title: t(`replay.${name}`), 'data-replay-to': name, onclick }, icon(sign, name === 'back' ? 'turned' : ''));
    return h('div', { class: 'scrubber', role: 'group', 'aria-label': t('replay.title', { game: entry.title }) },
      h('a', { href: `#/table/${this.id}`, class: 'button quiet', 'aria-label': t('to_table') }, icon('back')),
      h('div', { class: 'keys' },
        button('first', 'first', () => source.seek(1)),
        button('back', 'step', () => source.step(-1)),
        playing ? button('pause', 'pause', () => source.pause()) : button('play', 'play', () => this.#play()),
        button('step', 'step', () => source.step()),
        button('last', 'last', () => source.seek(source.last))),
      h('input', {
        key: 'seek', type: 'range', min: 1, max: source.last, value: String(source.version), 'aria-label': t('replay.seek'), 'data-seek': true,
        'aria-valuetext': t('replay.version', { version: source.version, last: source.last }), oninput: (event) => source.seek(Number(event.target.value)),
      }),
      h('output', { class: 'small' }, t('replay.version', { version: source.version, last: source.last })),
      h('label', null, h('span', { class: 'wide' }, t('replay.speed')), h('select', { 'aria-label': t('replay.speed'), value: String(this.speed), onchange: (event) => this.#faster(Number(event.target.value)) }, SPEEDS.map((speed) => h('option', { value: String(speed) }, t('replay.times', { speed }))))),
      h('label', null, h('span', { class: 'wide' }, t('replay.viewer')), h('select', { 'aria-label': t('replay.viewer'), value: this.#viewer, 'data-viewer': true, onchange: (event) => this.#look(event.target.value) }, this.viewers.map((viewer) => h('option', { value: viewer }, t(`replay.${viewer}`))))));
  }

  #play() {
    const { source } = this.frame;
    if (source.version >= source.last) source.seek(1);
    source.play(this.speed);
    this.#redraw();
  }

  #faster(speed) {
    this.speed = speed;
    if (this.frame.source.playing) this.frame.source.play(speed);
    this.#redraw();
  }

  async #look(viewer) {
    this.#viewer = viewer;
    try {
      await this.#load();
    } catch (error) {
      this.#problem = error;
      this.#redraw();
    }
  }

  #key(event) {
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || event.altKey || event.ctrlKey || event.metaKey) return;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || event.target.getAttribute('role') === 'tab') return;
    event.preventDefault();
    this.frame.source.step(by);
  }
}
