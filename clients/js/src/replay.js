import { Emitter } from './emitter.js';
import { FacedownError } from './errors.js';
import { readLog } from './api.js';
import { applyPatch } from './patch.js';

/**
 * @import { Action, Offer } from './actions.js'
 * @import { Games } from './generated/games.js'
 * @import { TableEvents, TableStatus, TableView, Viewer } from './types.js'
 *
 * @typedef {Pick<TableEvents, 'change' | 'update' | 'status'> & {
 *   play: undefined, pause: undefined, end: undefined }} ReplayEvents `end`: the last version is shown
 */

/** Nobody wants to wait longer for the next move of a replay, in milliseconds. */
const LONGEST_MS = 3000;

/**
 * A log to look at, with the interface of a live table: `view`, `actions`, `waiting` and the rest are
 * those of the version that is shown.
 *
 * @template {keyof Games} [G=any]
 * @extends {Emitter<ReplayEvents>}
 */
export class Replay extends Emitter {
  /** @type {Viewer} */
  viewer;
  version = 0;
  /** @type {TableStatus} */
  status = 'open';
  /** @type {TableView<G> | undefined} */
  view;
  /** @type {Offer[]} */
  actions = [];
  /** @type {number[]} */
  waiting = [];
  atMs = 0;
  /** As at a live table, and empty: in a replay no time runs out and nobody is connected. */
  /** @type {never[]} */
  deadlines = [];
  connected = {};
  /** @type {'live'} */
  state = 'live';

  /** @type {any[]} */
  #lines;
  /** @type {any[]} */
  #views;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #playing = false;
  #run = 0;

  /**
   * @param {any[] | string} log of a table, fetched with `views=patch`; its lines, or its text
   */
  constructor(log) {
    super();
    const [header, ...lines] = typeof log === 'string' ? readLog(log) : log;
    if (header?.facedown === undefined || lines.length === 0) {
      throw new FacedownError('bad_message', 'a log begins with a header, and versions follow');
    }
    if (lines.some((line, index) => line.version !== index + 1 || line.patch === undefined)) {
      throw new FacedownError('bad_message', 'a replay needs every version, each with its patch (views=patch)');
    }
    this.header = header;
    this.id = header.table;
    this.epoch = header.epoch;
    this.viewer = header.viewer;
    this.#lines = lines;
    // Views share what a patch does not touch, so all of them take little more room than the log.
    let view = {};
    this.#views = lines.map((line) => (view = whole(applyPatch(view, line.patch))));
    this.#show(1);
  }

  /** The last version. */
  get last() {
    return this.#lines.length;
  }

  get seat() {
    return this.viewer.seat;
  }

  get over() {
    return this.status === 'finished' || this.status === 'abandoned';
  }

  get mayAct() {
    return false;
  }

  get playing() {
    return this.#playing;
  }

  /** What happened in the version that is shown. @returns {any[]} */
  get events() {
    return this.#lines[this.version - 1].events;
  }

  /**
   * Show a version; the nearest one there is.
   *
   * @param {number} version
   */
  seek(version) {
    const wanted = Math.min(this.last, Math.max(1, Math.trunc(version)));
    if (Number.isNaN(wanted) || wanted === this.version) return;
    const status = this.status;
    this.#show(wanted);
    if (this.status !== status) this.emit('status', this.status);
    this.emit('change', undefined);
  }

  /**
   * Go on by some versions, or back. Going on tells `update` of each.
   *
   * @param {number} [by]
   */
  step(by = 1) {
    if (by < 0) this.seek(this.version + by);
    for (let left = by; left > 0 && this.version < this.last; left -= 1) {
      const status = this.status;
      this.#show(this.version + 1);
      const { version, at_ms, by: who, events } = this.#lines[this.version - 1];
      const { view, actions, waiting } = this;
      const update = { type: 'update', table: this.id, version, at_ms, by: who, events, view, actions, waiting };
      this.emit('update', /** @type {any} */ ({ ...update, status: this.status }));
      if (this.status !== status) this.emit('status', this.status);
      this.emit('change', undefined);
    }
  }

  /**
   * Go on by itself, as fast as it was played times `speed`, without long waits.
   *
   * @param {number} [speed]
   */
  play(speed = 1) {
    if (!(speed > 0)) throw new RangeError(`speed: a number above 0, not ${speed}`);
    this.pause();
    this.#playing = true;
    this.emit('play', undefined);
    this.#next(speed, (this.#run += 1));
  }

  /** Stand still. */
  pause() {
    clearTimeout(this.#timer);
    if (!this.#playing) return;
    this.#playing = false;
    this.emit('pause', undefined);
  }

  /** Stop for good. */
  async detach() {
    this.pause();
  }

  /**
   * As at a live table; nothing can be done in a replay.
   *
   * @param {Action} action
   * @returns {Promise<never>}
   */
  act(action) {
    return Promise.reject(new FacedownError('finished', `this is a replay: ${action.type} is not possible`));
  }

  timeLeft() {
    return undefined;
  }

  /**
   * @param {number} speed
   * @param {number} run
   */
  #next(speed, run) {
    if (this.version >= this.last) {
      this.pause();
      this.emit('end', undefined);
      return;
    }
    const gapMs = this.#lines[this.version].at_ms - this.atMs;
    this.#timer = setTimeout(
      () => {
        this.step();
        // A listener may have paused, or begun anew with another speed.
        if (this.#playing && run === this.#run) this.#next(speed, run);
      },
      Math.min(gapMs, LONGEST_MS) / speed,
    );
  }

  /** @param {number} version */
  #show(version) {
    const line = this.#lines[version - 1];
    this.version = version;
    this.atMs = line.at_ms;
    this.view = this.#views[version - 1];
    this.status = line.status;
    this.actions = line.actions;
    this.waiting = line.waiting;
  }
}

/**
 * A patch cannot say null, so `game` is absent where a live view has null.
 *
 * @param {any} view
 */
function whole(view) {
  return 'game' in view ? view : { ...view, game: null };
}
