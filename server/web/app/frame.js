/** A table as the page shows it, live or as a replay: what all parts of the page draw from. */
import { announce, explain, notify } from './a11y.js';
import { prompt } from './actions.js';
import { Composer } from './composer.js';
import { History } from './history.js';
import { t } from './i18n.js';
import { client } from './net.js';
import { rendererFor } from './renderers/index.js';
import { likes } from './store.js';
import { wordsFor } from './words.js';

/** What the parts of a table's page share. */
export class Frame {
  /** Waiting for the answer to an action. */
  busy = false;
  /** Why the last action was refused. */
  error = '';
  /** Seats with a connection, as far as it is known. @type {Record<number, boolean>} */
  connected = {};

  /**
   * @param {any} source a live table or a replay
   * @param {any} entry the game in the catalogue of the server
   * @param {() => void} redraw
   * @param {boolean} live
   */
  constructor(source, entry, redraw, live) {
    this.source = source;
    this.entry = entry;
    this.name = entry.game;
    this.redraw = redraw;
    this.live = live;
    this.renderer = rendererFor(entry.game, likes().plain);
    this.composer = new Composer((action) => this.#act(action), () => likes().confirm);
    this.history = new History(this);
    this.follow();
  }

  /** Take over what changed. */
  follow() {
    const { source } = this;
    this.view = source.view;
    this.game = source.view?.game;
    this.seat = source.seat;
    this.renderer = rendererFor(this.name, likes().plain);
    this.words = wordsFor(this.name, source.view, (type, name, value) => this.renderer.words?.(this, type, name, value));
    this.composer.update(this.live && source.state === 'live' ? source.actions : []);
  }

  get confirms() {
    return likes().confirm;
  }

  get myTurn() {
    return this.live && this.seat !== undefined && this.source.state === 'live' && this.source.waiting.includes(this.seat) && this.composer.offers.length > 0;
  }

  /** The seats in the order of play from the reader's left, the reader (or seat 0) last. */
  get others() {
    const count = this.view?.seats.length ?? 0;
    const own = this.seat ?? count;
    return Array.from({ length: count }, (_, n) => (own + 1 + n) % (count || 1)).filter((n) => n !== this.seat);
  }

  /** Run what a click does, then draw. */
  does(work) {
    if (this.busy) return;
    this.error = '';
    work();
    this.redraw();
  }

  /** Say what happened in an update, and whether it is the reader's turn now. */
  tell(update) {
    for (const event of update.events ?? []) announce(this.words.event(event));
  }

  /** Say it when the turn comes to the reader. */
  tellTurn() {
    const now = this.myTurn ? prompt(this) : '';
    if (now && now !== this.told) announce(now);
    this.told = now;
    document.title = now ? t('title_turn', { game: this.entry.title }) : t('title_table', { game: this.entry.title });
  }

  /** When the time of a seat runs out: `{ at, bank }` in the server's milliseconds, or undefined. */
  deadline(seat) {
    const found = this.source.deadlines.find((one) => one.seat === seat);
    return found && { at: found.at_ms, bank: found.bank_from_ms };
  }

  now() {
    return client.serverNow();
  }

  async #act(action) {
    this.busy = true;
    this.redraw();
    try {
      await this.source.act(action);
    } catch (error) {
      this.error = explain(error);
      notify(this.error, 'bad');
    }
    this.busy = false;
    this.redraw();
  }
}
