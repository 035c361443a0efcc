import { Clock } from './clock.js';
import { loadCodec } from './codec.js';
import { FacedownError } from './errors.js';
import { Backoff } from './random.js';

/** @import { Codec, MessagePack } from './codec.js' */

/**
 * `idle`: no connection is needed yet; `connecting`; `open`; `waiting` for the next try; `closed` for good.
 *
 * @typedef {'idle' | 'connecting' | 'open' | 'waiting' | 'closed'} LinkStatus
 *
 * @typedef {object} LinkOptions
 * @property {'json' | 'msgpack'} [codec] how messages are written; JSON by default
 * @property {MessagePack} [msgpack] `@msgpack/msgpack`, where it cannot be imported by that name
 * @property {any} [WebSocket] the WebSocket class; the global one by default (Node 20 has none: pass `ws`)
 * @property {number} [backoffMs] the first wait before a new connection, doubled each time; 250
 * @property {number} [maxBackoffMs] the longest wait; 10 000
 * @property {number} [pingMs] how often the connection is tried and the clock compared; 15 000
 * @property {number} [timeoutMs] how long an answer to that, or a new connection, may take; 10 000
 *
 * @typedef {object} LinkHandlers
 * @property {() => void} up a connection is open
 * @property {() => void} down it is lost
 * @property {(message: any) => void} message
 * @property {(status: LinkStatus, reason?: string) => void} status
 */

/** The WebSocket, kept up: it connects again after waits that grow, and notices when nobody answers. */
export class Link {
  /** @type {LinkStatus} */
  status = 'idle';
  clock = new Clock(() => Date.now());
  /** How many connections there have been. */
  connections = 0;

  #url;
  #options;
  #handlers;
  #backoff;
  /** @type {any} */
  #socket;
  /** @type {Codec | undefined} */
  #codec;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #pings = new Map();
  #pinged = 0;
  /** Pings in a row without an answer, while other messages came. */
  #missed = 0;
  #heardSincePing = false;
  #wake = () => this.#hurry();

  /**
   * @param {string} url
   * @param {LinkOptions} options
   * @param {LinkHandlers} handlers
   */
  constructor(url, options, handlers) {
    this.#url = url;
    this.#options = options;
    this.#handlers = handlers;
    this.#backoff = new Backoff(options.backoffMs ?? 250, options.maxBackoffMs ?? 10_000);
  }

  /** Connect, unless that is done or under way. */
  open() {
    if (this.status !== 'idle') return;
    this.#socketClass();
    globalThis.addEventListener?.('online', this.#wake);
    void this.#connect();
  }

  /** Close for good. */
  close() {
    if (this.status === 'closed') return;
    globalThis.removeEventListener?.('online', this.#wake);
    const socket = this.#letGo();
    this.#turn('closed');
    socket?.close(1000);
  }

  /**
   * Send a message; false where there is no connection.
   *
   * @param {object} message
   */
  send(message) {
    if (this.status !== 'open' || !this.#codec || this.#socket.readyState !== 1) return false;
    this.#socket.send(this.#codec.encode(message));
    return true;
  }

  /**
   * The connection is of no use any more (what came over it does not follow): make a new one.
   *
   * @param {string} reason
   */
  restart(reason) {
    if (this.status !== 'open' && this.status !== 'connecting') return;
    const socket = this.#letGo();
    const was = this.status;
    this.#later(reason);
    if (was === 'open') this.#handlers.down();
    // There is nothing left to say: where it can be done, do not wait for a dead connection's goodbye.
    if (socket?.terminate) socket.terminate();
    else socket?.close();
  }

  #socketClass() {
    const Socket = this.#options.WebSocket ?? globalThis.WebSocket;
    if (!Socket) {
      const text = 'there is no WebSocket here: pass one as the option WebSocket (in Node 20, that of ws)';
      throw new FacedownError('unsupported', text);
    }
    return Socket;
  }

  async #connect() {
    this.#turn('connecting');
    try {
      this.#codec = await loadCodec(this.#options.codec ?? 'json', this.#options.msgpack);
      if (this.status !== 'connecting') return;
      const socket = new (this.#socketClass())(this.#url, [this.#codec.protocol]);
      this.#listen(socket);
    } catch (error) {
      // Nothing that another try could change: the codec or the address.
      this.#letGo();
      this.#turn('closed', String(/** @type {any} */ (error).message ?? error));
    }
  }

  /** @param {any} socket */
  #listen(socket) {
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => this.#opened();
    socket.onmessage = (/** @type {any} */ event) => this.#heard(event.data);
    socket.onerror = () => {};
    socket.onclose = (/** @type {any} */ event) => {
      this.restart(event.reason || `the connection was closed (${event.code})`);
    };
    this.#timer = setTimeout(() => this.restart('no connection in time'), this.#timeoutMs);
  }

  #opened() {
    this.connections += 1;
    this.#turn('open');
    this.#ping();
    this.#handlers.up();
  }

  /** @param {any} frame */
  #heard(frame) {
    let message;
    try {
      message = this.#codec?.decode(frame);
    } catch {
      this.restart('what the server sent cannot be read');
      return;
    }
    // Only what was really said shows that a connection is good: the next loss begins with short waits.
    this.#backoff.reset();
    this.#heardSincePing = true;
    if (message?.type === 'pong' && this.#pings.has(message.id)) {
      this.clock.measured(this.#pings.get(message.id), message.at_ms);
      this.#pings.clear();
      this.#missed = 0;
      clearTimeout(this.#timer);
      this.#timer = unref(setTimeout(() => this.#ping(), this.#options.pingMs ?? 15_000));
    }
    this.#handlers.message(message);
  }

  #ping() {
    clearTimeout(this.#timer);
    const id = `ping-${(this.#pinged += 1)}`;
    this.#pings.set(id, Date.now());
    this.#heardSincePing = false;
    this.send({ type: 'ping', id });
    this.#timer = unref(setTimeout(() => this.#unanswered(), this.#timeoutMs));
  }

  #unanswered() {
    this.#missed += 1;
    // One ping may be dropped (too many messages at once) over a connection that is good.
    if (this.#heardSincePing && this.#missed < 2) this.#ping();
    else this.restart('no answer in time');
  }

  get #timeoutMs() {
    return this.#options.timeoutMs ?? 10_000;
  }

  /** @param {string} reason */
  #later(reason) {
    this.#turn('waiting', reason);
    this.#timer = setTimeout(() => void this.#connect(), this.#backoff.next());
  }

  #hurry() {
    if (this.status !== 'waiting') return;
    clearTimeout(this.#timer);
    void this.#connect();
  }

  /** Stop listening to the socket, and give it back. */
  #letGo() {
    clearTimeout(this.#timer);
    this.#pings.clear();
    this.#missed = 0;
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket) socket.onopen = socket.onmessage = socket.onclose = null;
    return socket;
  }

  /**
   * @param {LinkStatus} status
   * @param {string} [reason]
   */
  #turn(status, reason) {
    this.status = status;
    this.#handlers.status(status, reason);
  }
}

/**
 * A timer that does not keep Node running by itself.
 *
 * @template T
 * @param {T} timer
 * @returns {T}
 */
function unref(timer) {
  /** @type {any} */ (timer)?.unref?.();
  return timer;
}
