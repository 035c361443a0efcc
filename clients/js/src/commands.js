import { FacedownError } from './errors.js';
import { Backoff, randomText } from './random.js';

/** @import { Action } from './actions.js' */

/**
 * A command that was carried out, once.
 *
 * @typedef {{ id: string, version: number }} Done
 *
 * @typedef {object} Pending
 * @property {any} message
 * @property {boolean} pinned the version was given by the caller
 * @property {number} least the table is known to have this version
 * @property {boolean} sent on this attachment
 * @property {boolean} uncertain it may have been carried out although no answer came
 * @property {Backoff} backoff
 * @property {ReturnType<typeof setTimeout>} [timer]
 * @property {Promise<Done>} promise
 * @property {(done: Done) => void} resolve
 * @property {(error: FacedownError) => void} reject
 */

/** The server says: ask again. */
const AGAIN = new Set(['rate_limited', 'unavailable', 'outcome_unknown']);

/** How often a server that says that nothing has changed is asked again. */
const MOST_TRIES = 8;

/** The default of the server's limit, in bytes. */
const MOST_BYTES = 64 * 1024;

/**
 * The commands of one table that have no answer yet.
 *
 * Each carries the version of the table that it was meant for. So a copy that is still on its way through
 * a lost connection cannot be carried out later, after another copy was refused: at the same version the
 * answer is the same, and at another version there is none. Where the table has only moved on, the
 * command is sent again for the new version; its id makes sure that it counts once.
 */
export class Commands {
  /** @type {Map<string, Pending>} */
  #pending = new Map();
  #table;
  #send;
  #version;

  /**
   * @param {string} table
   * @param {(message: object) => boolean} send false where the table is not live
   * @param {() => number} version of the table now
   */
  constructor(table, send, version) {
    this.#table = table;
    this.#send = send;
    this.#version = version;
  }

  /**
   * @param {Action} action
   * @param {{ id?: string, ifVersion?: number }} options
   * @returns {Promise<Done>}
   */
  add(action, { id = randomText(18), ifVersion }) {
    const same = this.#pending.get(id);
    if (same) {
      if (JSON.stringify(same.message.action) === JSON.stringify(action)) return same.promise;
      return Promise.reject(new FacedownError('id_reused', `the id ${id} belongs to another action`));
    }
    const message = { type: 'act', id, table: this.#table, action, if_version: ifVersion };
    if (new TextEncoder().encode(JSON.stringify(message)).length > MOST_BYTES) {
      return Promise.reject(new FacedownError('too_large', `a command has at most ${MOST_BYTES} bytes`));
    }
    /** @type {any} */
    const pending = { message, pinned: ifVersion !== undefined, least: 0 };
    Object.assign(pending, { sent: false, uncertain: false, backoff: new Backoff(200, 5_000) });
    pending.promise = new Promise((resolve, reject) => Object.assign(pending, { resolve, reject }));
    this.#pending.set(id, pending);
    this.#try(pending);
    return pending.promise;
  }

  /** The table is live (again): send what waits. */
  resend() {
    for (const pending of this.#pending.values()) this.#try(pending);
  }

  /** The attachment is lost: what was sent may have arrived or not. */
  lost() {
    for (const pending of this.#pending.values()) {
      clearTimeout(pending.timer);
      pending.uncertain ||= pending.sent;
      pending.sent = false;
    }
  }

  /**
   * Take an `accepted`, `rejected` or `error`. Gives whether it was the answer to one of these commands.
   *
   * @param {any} message
   */
  answer(message) {
    const pending = this.#pending.get(message.id);
    if (!pending) return false;
    if (message.type === 'accepted') {
      this.#pending.delete(message.id);
      clearTimeout(pending.timer);
      pending.resolve({ id: message.id, version: message.version });
    } else if (message.code === 'version_conflict' && !pending.pinned) {
      pending.least = message.detail?.version ?? message.version;
      this.#try(pending);
    } else if (AGAIN.has(message.code)) {
      this.#again(pending, message);
    } else if (pending.sent) {
      // An answer to a copy that was sent before the attachment was lost says nothing about the next.
      this.#refuse(pending, message);
    }
    return true;
  }

  /**
   * A message was dropped unread (too many at once): which one is not known, so all are sent again.
   *
   * @param {number} waitMs
   */
  dropped(waitMs) {
    for (const pending of this.#pending.values()) {
      clearTimeout(pending.timer);
      pending.timer = setTimeout(() => this.#try(pending), waitMs + pending.backoff.next());
    }
  }

  /**
   * No answer can come any more.
   *
   * @param {string} code
   * @param {string} text
   * @param {Record<string, any>} [detail]
   */
  fail(code, text, detail) {
    for (const pending of [...this.#pending.values()]) {
      pending.uncertain ||= pending.sent;
      this.#refuse(pending, { code, message: text, detail });
    }
  }

  get size() {
    return this.#pending.size;
  }

  /** @param {Pending} pending */
  #try(pending) {
    clearTimeout(pending.timer);
    const version = Math.max(this.#version(), pending.least);
    const message = pending.pinned ? pending.message : { ...pending.message, if_version: version };
    if (this.#send(message)) pending.sent = true;
  }

  /**
   * @param {Pending} pending
   * @param {any} message
   */
  #again(pending, message) {
    if (message.code === 'outcome_unknown') pending.uncertain = true;
    if (message.code === 'unavailable' && !pending.uncertain && pending.backoff.tries >= MOST_TRIES) {
      this.#refuse(pending, message);
      return;
    }
    const waitMs = pending.backoff.next() + (message.detail?.retry_after_ms ?? 0);
    clearTimeout(pending.timer);
    pending.timer = setTimeout(() => this.#try(pending), waitMs);
  }

  /**
   * @param {Pending} pending
   * @param {{ code: any, message: string, detail?: Record<string, any> }} why
   */
  #refuse(pending, why) {
    this.#pending.delete(pending.message.id);
    clearTimeout(pending.timer);
    // The server looks for a repeated id before anything else: a refusal shows that no copy was carried out.
    const refused = ['detached', 'closed', 'unauthorized', 'forbidden'].includes(why.code);
    const uncertain = pending.uncertain && refused;
    pending.reject(new FacedownError(why.code, why.message, { detail: why.detail, uncertain }));
  }
}
