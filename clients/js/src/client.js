import { Api } from './api.js';
import { Emitter } from './emitter.js';
import { FacedownError } from './errors.js';
import { Link } from './link.js';
import { Lobby } from './lobby.js';
import { Replay } from './replay.js';
import { Table } from './table.js';

/**
 * @import { ApiOptions, LogOptions } from './api.js'
 * @import { Games } from './generated/games.js'
 * @import { LinkOptions, LinkStatus } from './link.js'
 * @import { AttachOptions } from './types.js'
 *
 * @typedef {object} ClientEvents
 * @property {{ status: LinkStatus, reason?: string }} status of the connection; why it was lost
 * @property {FacedownError} error the server could not use a message, and said no more about which
 * @property {any} message everything that the server sends, for those who want to look
 *
 * @typedef {ApiOptions & LinkOptions} ClientOptions
 */

/** The messages that are sent again when the server dropped one unread without saying which. */
const DROPPED_WAIT_MS = 1000;

/** A server, and one connection to it for any number of tables. Made by `connect`. */
export class Client extends Api {
  #events = /** @type {Emitter<ClientEvents>} */ (new Emitter());
  /** @type {Map<string, Table<any>>} */
  #tables = new Map();
  /** @type {Lobby | undefined} */
  #lobby;
  /** @type {Map<string, (message?: any) => void>} */
  #answers = new Map();
  #link;

  /**
   * @param {string} url
   * @param {ClientOptions} [options]
   */
  constructor(url, options = {}) {
    super(url, options);
    this.#link = new Link(this.socketUrl, options, {
      up: () => this.#up(),
      down: () => this.#down(),
      message: (message) => this.#take(message),
      status: (status, reason) => this.#turned(status, reason),
    });
  }

  /**
   * Listen; the returned function ends that.
   *
   * @template {keyof ClientEvents} Name
   * @param {Name} name
   * @param {(data: ClientEvents[Name]) => void} listener
   */
  on(name, listener) {
    return this.#events.on(name, listener);
  }

  /** The state of the connection. */
  get status() {
    return this.#link.status;
  }

  /** How many connections there have been. */
  get connections() {
    return this.#link.connections;
  }

  /** What to add to this machine's time to get the server's, in milliseconds. */
  get offsetMs() {
    return this.#link.clock.offsetMs;
  }

  /** How long a message takes to the server and back, in milliseconds, once that is known. */
  get tripMs() {
    return this.#link.clock.tripMs;
  }

  /** The server's time now, in milliseconds since 1970. */
  serverNow() {
    return this.#link.clock.serverNow();
  }

  /**
   * Watch a table, and play there where the token is that of a seat. The object is there at once, so that
   * no event is missed; `await table.ready` for its first view. Attaching again to the same table ends the
   * earlier object.
   *
   * @template {keyof Games} [G=any]
   * @param {string} table
   * @param {AttachOptions} [options]
   * @returns {Table<G>}
   */
  attach(table, options = {}) {
    this.#open();
    this.#tables.get(table)?.finish('replaced');
    const attached = new Table(table, options, {
      send: (message) => this.#link.send(message),
      answer: (id) => this.#answer(id),
      serverNow: () => this.serverNow(),
      forget: (gone) => this.#tables.get(gone.id) === gone && this.#tables.delete(gone.id),
    });
    this.#tables.set(table, attached);
    if (this.#link.status === 'open') attached.attach();
    return attached;
  }

  /**
   * Watch the list of tables. There is one list: asking again, for another game say, ends the earlier one.
   *
   * @param {{ game?: string }} [options]
   */
  watchLobby({ game } = {}) {
    this.#open();
    this.#lobby?.finish();
    this.#lobby = new Lobby(game, (message) => this.#link.send(message));
    if (this.#link.status === 'open') this.#lobby.watch();
    return this.#lobby;
  }

  /**
   * A table to look at from its first version to its last, with the interface of a live one.
   *
   * @param {string} table
   * @param {Omit<LogOptions, 'views'>} [options] whose log: the token's, a spectator's, or the open one
   */
  async replay(table, options = {}) {
    return new Replay(await this.log(table, { ...options, views: true }));
  }

  /** Close the connection for good. Commands without an answer are rejected. */
  close() {
    this.#link.close();
  }

  #open() {
    if (this.#link.status === 'closed') throw new FacedownError('closed', 'this client was closed');
    this.#link.open();
  }

  #up() {
    for (const table of [...this.#tables.values()]) table.attach();
    this.#lobby?.watch();
  }

  #down() {
    for (const table of [...this.#tables.values()]) table.down();
    this.#lobby?.down();
    for (const answered of this.#answers.values()) answered();
    this.#answers.clear();
  }

  /**
   * @param {LinkStatus} status
   * @param {string} [reason]
   */
  #turned(status, reason) {
    this.#events.emit('status', { status, reason });
    if (status !== 'closed') return;
    const error = reason ? new FacedownError('closed', reason) : undefined;
    for (const table of [...this.#tables.values()]) table.finish('closed', error);
    this.#lobby?.finish(error);
    this.#down();
  }

  /**
   * @param {string} id
   * @returns {Promise<any>}
   */
  #answer(id) {
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  /** @param {any} message */
  #take(message) {
    this.#events.emit('message', message);
    this.#answers.get(message.id)?.(message);
    this.#answers.delete(message.id);
    if (message.type === 'error') {
      this.#failed(message);
    } else if (message.type === 'lobby' || message.type === 'lobby_change') {
      this.#lobby?.take(message);
    } else if (message.table !== undefined) {
      this.#tables.get(message.table)?.take(message);
    }
  }

  /** @param {any} message */
  #failed(message) {
    if (message.id === undefined) {
      this.#unread(message);
      return;
    }
    // A message that could not be read has no table, so its id decides.
    const there = this.#tables.get(message.table);
    for (const table of there ? [there] : [...this.#tables.values()]) table.take(message);
    this.#lobby?.take(message);
  }

  /** @param {any} message */
  #unread(message) {
    this.#events.emit('error', new FacedownError(message.code, message.message, { detail: message.detail }));
    if (message.code !== 'rate_limited') return;
    const waitMs = message.detail?.retry_after_ms ?? DROPPED_WAIT_MS;
    for (const table of this.#tables.values()) table.dropped(waitMs);
    this.#lobby?.dropped(waitMs);
  }
}

/**
 * A client of the server at `url`. It connects when the first table is attached.
 *
 * @param {string} url such as `https://cards.example.org`
 * @param {ClientOptions} [options]
 */
export function connect(url, options = {}) {
  return new Client(url, options);
}
