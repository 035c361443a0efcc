import { Commands } from './commands.js';
import { Emitter } from './emitter.js';
import { FacedownError } from './errors.js';
import { applyPatch } from './patch.js';
import { randomText } from './random.js';

/**
 * @import { Action, Offer } from './actions.js'
 * @import { Done } from './commands.js'
 * @import { Games } from './generated/games.js'
 * @import { Attached, Deadline } from './generated/protocol.js'
 * @import { AttachOptions, TableEvents, TableState, TableStatus, TableView, Viewer, Wire } from './types.js'
 */

/** @type {ReadonlySet<string>} */
const FINAL = new Set(['asked', 'removed', 'revoked']);
const AGAIN = new Set(['unavailable', 'outcome_unknown', 'rate_limited']);

/**
 * A table as one viewer sees it, kept up to date. Made by `client.attach`.
 *
 * Views are shared between versions: read them, do not change them.
 *
 * @template {keyof Games} [G=any]
 * @extends {Emitter<TableEvents>}
 */
export class Table extends Emitter {
  /** @type {Viewer} */
  viewer = {};
  version = 0;
  /** When the version was stored, the server's time in milliseconds; 0 where it is not known. */
  atMs = 0;
  epoch = '';
  /** @type {TableStatus} */
  status = 'open';
  /** @type {TableView<G> | undefined} */
  view;
  /** What this viewer may do now. @type {Offer[]} */
  actions = [];
  /** The seats that the game waits for. @type {number[]} */
  waiting = [];
  /** When the time of seats runs out, the server's time. @type {Deadline[]} */
  deadlines = [];
  /** Which seats are connected, as far as it was told. @type {Record<number, boolean>} */
  connected = {};
  /** The table where the same players go on, once it is there. @type {string | undefined} */
  next;
  /** @type {TableState} */
  state = 'attaching';
  /**
   * Resolves when the table is live for the first time, rejects where it cannot be attached.
   *
   * @type {Promise<this>}
   */
  ready;

  #wire;
  #options;
  #commands;
  #asked = '';
  /** The last version that `update` told, and the one that the stream of updates has reached. */
  #told = 0;
  #reached = 0;
  #head = 0;
  /** @type {(value: this) => void} */
  #isReady = () => {};
  /** @type {(error: FacedownError) => void} */
  #isNot = () => {};
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {string} id
   * @param {AttachOptions} options
   * @param {Wire} wire
   */
  constructor(id, options, wire) {
    super();
    this.id = id;
    this.#options = options;
    this.#wire = wire;
    this.#commands = new Commands(
      id,
      (message) => this.state === 'live' && wire.send(message),
      () => this.version,
    );
    this.ready = new Promise((resolve, reject) => {
      this.#isReady = resolve;
      this.#isNot = reject;
    });
    this.ready.catch(() => {}); // whoever does not wait for it hears of it by `detached`
  }

  /** The own seat, or undefined for a spectator. */
  get seat() {
    return this.viewer.seat;
  }

  /** Whether nothing can be played here any more. */
  get over() {
    return this.status === 'finished' || this.status === 'abandoned';
  }

  /** Whether the game waits for the own seat. */
  get mayAct() {
    return this.state === 'live' && this.seat !== undefined && this.waiting.includes(this.seat);
  }

  /** How many commands have no answer yet. */
  get unanswered() {
    return this.#commands.size;
  }

  /**
   * Milliseconds until the time of a seat runs out, or undefined where no clock runs for it.
   *
   * @param {number} seat
   */
  timeLeft(seat) {
    const deadline = this.deadlines.find((one) => one.seat === seat);
    return deadline && Math.max(0, deadline.at_ms - this.#wire.serverNow());
  }

  /**
   * Do something that `actions` offers. The command is sent again with its id after every lost connection,
   * so that it is carried out once however often that happens.
   *
   * @param {Games[G]['action'] | Action} action
   * @param {{ id?: string, ifVersion?: number }} [options] `ifVersion`: refuse where the table has moved
   *   on (without it, the command stands for as long as it is legal); `id`: the same again is the same command
   * @returns {Promise<Done>} once the server has stored it; it was carried out exactly once
   * @throws {FacedownError} (as rejection) where it was refused, or, with `uncertain`, where no answer can
   *   come any more
   */
  act(action, options = {}) {
    if (this.state === 'detached') {
      return Promise.reject(new FacedownError('detached', 'this is no viewer of the table any more'));
    }
    const done = this.#commands.add(action, options);
    done.catch((error) => this.emit('rejected', { action, error }));
    return done;
  }

  /**
   * Talk to everybody at the table. It is sent once: what is said twice is worse than what is not said.
   *
   * @param {{ text: string } | { reaction: string }} words
   * @returns {Promise<void>} once everybody is told
   */
  async say(words) {
    const id = randomText(9);
    const sent = this.state === 'live' && this.#wire.send({ type: 'say', id, table: this.id, ...words });
    const answer = sent ? await this.#wire.answer(id) : undefined;
    if (answer?.type === 'heard') return;
    const { code = 'unreachable', message = 'there is no connection now', detail } = answer ?? {};
    throw new FacedownError(code, message, { detail, uncertain: sent && !answer });
  }

  /** Stop watching. Resolves when nothing more can come. */
  async detach() {
    if (this.state === 'detached') return;
    const id = randomText(9);
    this.finish('asked');
    if (this.#wire.send({ type: 'detach', table: this.id, id })) await this.#wire.answer(id);
  }

  // --- called by the client ---------------------------------------------------------------------------

  /** There is a connection: become a viewer, from where this one left off. */
  attach(resume = true) {
    if (this.state === 'detached') return;
    clearTimeout(this.#timer);
    this.#lose();
    this.#asked = randomText(9);
    const from = resume && this.version > 0 ? { from: this.version, epoch: this.epoch } : {};
    this.#wire.send({
      type: 'attach',
      id: this.#asked,
      table: this.id,
      token: this.#options.token,
      views: this.#options.views ?? 'patch',
      ...from,
      ...(this.version > 0 && resume && this.atMs > 0 ? { from_ms: this.atMs } : {}),
    });
  }

  /** The connection is gone. */
  down() {
    clearTimeout(this.#timer);
    this.#lose();
  }

  /**
   * A message was dropped unread by the server.
   *
   * @param {number} waitMs
   */
  dropped(waitMs) {
    if (this.state === 'attaching') this.#attachLater(waitMs);
    else this.#commands.dropped(waitMs);
  }

  /**
   * Take a message about this table.
   *
   * @param {any} message
   */
  take(message) {
    switch (message.type) {
      case 'attached':
        if (message.id === this.#asked) this.#attached(message);
        break;
      case 'update':
        this.#update(message);
        break;
      case 'accepted':
      case 'rejected':
        this.#commands.answer(message);
        break;
      case 'error':
        this.#error(message);
        break;
      case 'presence':
        this.connected = { ...this.connected, [message.seat]: message.connected };
        this.emit('presence', message);
        this.emit('change', undefined);
        break;
      case 'said':
        this.emit('said', message);
        break;
      case 'rematch':
        this.next = message.next;
        this.emit('rematch', message);
        this.emit('change', undefined);
        break;
      case 'detached':
        this.#detached(message);
    }
  }

  /**
   * Be no viewer any more, for good.
   *
   * @param {string} reason
   * @param {FacedownError} [error]
   */
  finish(reason, error) {
    if (this.state === 'detached') return;
    clearTimeout(this.#timer);
    this.actions = [];
    this.#turn('detached');
    const text = error?.message ?? `detached from the table: ${reason}`;
    this.#commands.fail(error?.code ?? (reason === 'closed' ? 'closed' : 'detached'), text, { reason });
    this.#isNot(error ?? new FacedownError('detached', text, { detail: { reason } }));
    this.#wire.forget(this);
    this.emit('detached', { reason, error });
    this.emit('change', undefined);
  }

  // --- inside -----------------------------------------------------------------------------------------

  /** @param {Attached} message */
  #attached(message) {
    this.viewer = message.viewer;
    this.epoch = message.epoch;
    this.#reached = message.version;
    this.#head = message.recovered ? (message.head ?? message.version) : message.version;
    if (message.recovered) {
      if (this.#head === this.version) this.#live(true);
      return;
    }
    this.#told = message.version;
    this.#show(message);
    this.#live(false);
  }

  /** @param {any} message */
  #update(message) {
    if (this.state === 'detached' || message.version <= this.#reached) return;
    const catching = this.state === 'attaching';
    if (catching && this.#reached === 0) return; // of an attachment before this one
    if (message.version !== this.#reached + 1) {
      this.attach(); // a gap: ask for what is missing
      return;
    }
    this.#reached = message.version;
    const whole = !catching || message.version === this.#head;
    const status = this.status;
    if (whole) this.#show(message);
    if (message.version > this.#told) {
      this.#told = message.version;
      this.emit('update', message);
    }
    if (this.status !== status) this.emit('status', this.status);
    if (catching && whole) this.#live(true);
    else if (whole) this.emit('change', undefined);
  }

  /** @param {any} message */
  #show(message) {
    if (message.patch !== undefined) this.view = applyPatch(this.view, message.patch);
    else if (message.view !== undefined) this.view = message.view;
    this.version = message.version;
    this.atMs = message.at_ms ?? 0;
    this.status = message.status;
    this.actions = message.actions ?? [];
    this.waiting = message.waiting ?? [];
    this.deadlines = message.deadlines ?? [];
  }

  /** @param {boolean} recovered */
  #live(recovered) {
    this.#turn('live');
    this.#commands.resend();
    this.#isReady(this);
    this.emit('attached', { version: this.version, recovered });
    this.emit('change', undefined);
  }

  /** @param {any} message */
  #error(message) {
    if (this.#commands.answer(message) || message.id !== this.#asked) return;
    if (AGAIN.has(message.code)) this.#attachLater(message.detail?.retry_after_ms ?? 0);
    else this.finish('refused', new FacedownError(message.code, message.message, { detail: message.detail }));
  }

  /** @param {any} message */
  #detached(message) {
    if (message.id !== undefined) return; // of another attachment
    if (FINAL.has(message.reason)) {
      this.finish(message.reason);
    } else if (message.reason === 'resync_required') {
      this.attach(false);
    } else {
      // The server cannot serve it now (or closes the connection, and a new one attaches anyway).
      this.#lose();
      this.#attachLater(500);
    }
  }

  /** @param {number} waitMs */
  #attachLater(waitMs) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.attach(), waitMs * (1 + Math.random()) + 100);
  }

  #lose() {
    this.#reached = 0;
    this.#commands.lost();
    if (this.state === 'live') this.#turn('attaching');
  }

  /** @param {TableState} state */
  #turn(state) {
    this.state = state;
    this.emit('state', state);
  }
}
