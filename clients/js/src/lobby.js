import { Emitter } from './emitter.js';
import { FacedownError } from './errors.js';
import { randomText } from './random.js';

/**
 * @import { Facts } from './generated/protocol.js'
 *
 * @typedef {object} LobbyEvents
 * @property {undefined} change `tables` is another list now
 * @property {Facts} added
 * @property {Facts} changed
 * @property {string} removed the id of a table that is over or not listed any more
 * @property {{ error?: FacedownError }} closed no more is told
 */

/**
 * The listed tables that are open or playing, newest first, kept up to date. Made by `client.watchLobby`.
 *
 * @extends {Emitter<LobbyEvents>}
 */
export class Lobby extends Emitter {
  /** @type {readonly Facts[]} */
  tables = [];
  /** Whether the list is the present one. */
  live = false;
  /**
   * Resolves when the list is there for the first time.
   *
   * @type {Promise<this>}
   */
  ready;

  #asked = '';
  #send;
  #closed = false;
  /** @type {(value: this) => void} */
  #isReady = () => {};
  /** @type {(error: FacedownError) => void} */
  #isNot = () => {};
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {string | undefined} game only tables of this game
   * @param {(message: object) => boolean} send
   */
  constructor(game, send) {
    super();
    this.game = game;
    this.#send = send;
    this.ready = new Promise((resolve, reject) => {
      this.#isReady = resolve;
      this.#isNot = reject;
    });
    this.ready.catch(() => {});
  }

  /** Hear no more of it. */
  close() {
    if (this.#closed) return;
    this.finish();
    this.#send({ type: 'unwatch_lobby', id: randomText(9) });
  }

  // --- called by the client ---------------------------------------------------------------------------

  /** There is a connection: ask for the list. */
  watch() {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#asked = randomText(9);
    this.#send({ type: 'watch_lobby', id: this.#asked, game: this.game });
  }

  /** The connection is gone. */
  down() {
    clearTimeout(this.#timer);
    this.live = false;
  }

  /**
   * Ask again, later.
   *
   * @param {number} waitMs
   */
  dropped(waitMs) {
    clearTimeout(this.#timer);
    if (!this.live) this.#timer = setTimeout(() => this.watch(), waitMs * (1 + Math.random()) + 100);
  }

  /**
   * Take a `lobby`, a `lobby_change`, or an `error` that may be meant for this.
   *
   * @param {any} message
   */
  take(message) {
    if (this.#closed) return;
    if (message.type === 'lobby' && message.id === this.#asked) {
      this.live = true;
      this.#show(message.tables);
      this.#isReady(this);
    } else if (message.type === 'lobby_change' && this.live) {
      this.#change(message);
    } else if (message.type === 'error' && message.id === this.#asked) {
      if (['unavailable', 'rate_limited'].includes(message.code)) this.dropped(500);
      else this.finish(new FacedownError(message.code, message.message, { detail: message.detail }));
    }
  }

  /** @param {FacedownError} [error] */
  finish(error) {
    if (this.#closed) return;
    this.#closed = true;
    this.down();
    this.#isNot(error ?? new FacedownError('closed', 'the lobby was closed before the list was there'));
    this.emit('closed', { error });
  }

  /** @param {{ added?: Facts, changed?: Facts, removed?: string }} change */
  #change({ added, changed, removed }) {
    const gone = removed ?? (added ?? changed)?.table;
    const others = this.tables.filter((facts) => facts.table !== gone);
    if (changed) {
      this.#show(this.tables.map((facts) => (facts.table === changed.table ? changed : facts)));
      this.emit('changed', changed);
    } else if (added) {
      this.#show([added, ...others]);
      this.emit('added', added);
    } else if (removed !== undefined) {
      this.#show(others);
      this.emit('removed', removed);
    }
  }

  /** @param {readonly Facts[]} tables */
  #show(tables) {
    this.tables = tables;
    this.emit('change', undefined);
  }
}
