import { FacedownError } from './errors.js';
import { Backoff, randomText } from './random.js';

/**
 * @import { AddBot, At, Created, CreateTable, Facts, Mute, MyFacts, Page, Quick, QuickSeat, Said, Seated,
 *   Sit } from './generated/protocol.js'
 *
 * @typedef {object} ApiOptions
 * @property {typeof globalThis.fetch} [fetch] in place of the global one
 * @property {number} [requestTries] how often a request that got no answer is sent; 5
 * @property {number} [backoffMs] the first wait between, doubled each time; 250
 * @property {number} [maxBackoffMs] the longest wait; 10 000
 *
 * @typedef {object} Request
 * @property {unknown} [body]
 * @property {string} [token]
 * @property {string} [key] the idempotency key: with one, the request may be repeated
 * @property {Record<string, string | undefined>} [query]
 *
 * @typedef {{ token?: string, open?: boolean, views?: boolean }} LogOptions `open`: all of a finished
 *   game, nothing hidden; `views`: with the patch of the view at each version
 */

/** What says "try again". */
const AGAIN = new Set([429, 502, 503, 504]);

/**
 * The HTTP side of a server. Every call rejects with a `FacedownError`; what was sent without an answer is
 * sent again, with a key that keeps it from being done twice. Objects are those of the wire, with its names.
 */
export class Api {
  /** The address of the server, without `/v1`. */
  url;
  #options;

  /**
   * @param {string} url such as `https://cards.example.org`; a path before `/v1` is kept
   * @param {ApiOptions} [options]
   */
  constructor(url, options = {}) {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    if (!parsed || !/^(http|ws)s?:$/.test(parsed.protocol) || parsed.search || parsed.hash) {
      throw new TypeError(`the address of a server is like http://localhost:8000, not ${JSON.stringify(url)}`);
    }
    this.url = parsed.href.replace(/^ws/, 'http').replace(/\/+$/, '');
    this.#options = options;
  }

  /** The address of the WebSocket. */
  get socketUrl() {
    return `${this.url.replace(/^http/, 'ws')}/v1/ws`;
  }

  /** What the server is: version, protocols, limits. @returns {Promise<Record<string, any>>} */
  about() {
    return this.request('GET', '');
  }

  /**
   * All games: names, numbers of seats, options, help, shapes of actions, views and events.
   *
   * @returns {Promise<any[]>}
   */
  async games() {
    return (await this.request('GET', '/games')).games;
  }

  /**
   * Open a table. Keep the host token: it is never told again.
   *
   * @param {CreateTable} settings
   * @returns {Promise<Created>}
   */
  createTable(settings) {
    return this.#post('/tables', settings);
  }

  /**
   * Sit down. The token is made here, so that a lost answer costs nothing; so is the entropy that this
   * seat adds to the shuffles, unless it is given or null.
   *
   * @param {string} table
   * @param {Omit<Sit, 'entropy'> & { entropy?: string | null }} who
   * @returns {Promise<Seated>}
   */
  sit(table, who) {
    return this.#post(`${path(table)}/seats`, sitting(who));
  }

  /**
   * Leave a seat with its token, or free it as the host.
   *
   * @param {string} table
   * @param {number} seat
   * @param {string} token
   * @returns {Promise<void>}
   */
  leave(table, seat, token) {
    return this.request('DELETE', `${path(table)}/seats/${seat}`, { token, key: randomText(18) });
  }

  /**
   * Sit down wherever players of the same wishes wait, or open a table for them.
   *
   * @param {string} game
   * @param {Omit<Quick, 'entropy'> & { entropy?: string | null }} who
   * @returns {Promise<QuickSeat>}
   */
  quick(game, who) {
    return this.#post(`/games/${encodeURIComponent(game)}/quick`, sitting(who));
  }

  /**
   * Start a table that was opened with `autostart: false`.
   *
   * @param {string} table
   * @param {string} hostToken
   * @returns {Promise<Facts>}
   */
  start(table, hostToken) {
    return this.#post(`${path(table)}/start`, {}, hostToken);
  }

  /**
   * Let the server play a seat; the policies are in the catalogue.
   *
   * @param {string} table
   * @param {AddBot} bot
   * @param {string} hostToken
   * @returns {Promise<{ seat: number }>}
   */
  addBot(table, bot, hostToken) {
    return this.#post(`${path(table)}/bots`, bot, hostToken);
  }

  /**
   * Issue a token for a spectator.
   *
   * @param {string} table
   * @param {string} hostToken
   * @returns {Promise<{ token: string }>}
   */
  admitSpectator(table, hostToken) {
    return this.#post(`${path(table)}/spectators`, {}, hostToken);
  }

  /**
   * Make whoever sits on `seat` the host.
   *
   * @param {string} table
   * @param {number} seat
   * @param {string} hostToken
   * @returns {Promise<Facts>}
   */
  passHost(table, seat, hostToken) {
    return this.#post(`${path(table)}/host`, { seat }, hostToken);
  }

  /**
   * Let a seat (without one: all spectators) talk no more, or again.
   *
   * @param {string} table
   * @param {Mute} whom
   * @param {string} hostToken
   * @returns {Promise<Facts>}
   */
  mute(table, whom, hostToken) {
    return this.#post(`${path(table)}/mute`, whom, hostToken);
  }

  /**
   * Order a pause as the host, or ask for one as a seat.
   *
   * @param {string} table
   * @param {string} token
   * @returns {Promise<Facts>}
   */
  pause(table, token) {
    return this.#post(`${path(table)}/pause`, {}, token);
  }

  /**
   * End a pause as the host, or ask to go on as a seat.
   *
   * @param {string} table
   * @param {string} token
   * @returns {Promise<Facts>}
   */
  resume(table, token) {
    return this.#post(`${path(table)}/resume`, {}, token);
  }

  /**
   * Go on with the same players at a new table, where all keep their seats and tokens.
   *
   * @param {string} table
   * @param {string} token
   * @returns {Promise<{ next: string }>}
   */
  rematch(table, token) {
    return this.#post(`${path(table)}/rematch`, {}, token);
  }

  /**
   * How it stands at tables of which one has tokens.
   *
   * @param {{ table: string, token: string }[]} tables
   * @returns {Promise<MyFacts[]>}
   */
  async mine(tables) {
    return (await this.#post('/mine', { tables })).tables;
  }

  /**
   * What was said at a table, the latest.
   *
   * @param {string} table
   * @param {string} [token]
   * @returns {Promise<Said[]>}
   */
  async talk(table, token) {
    return (await this.request('GET', `${path(table)}/talk`, { token })).talk;
  }

  /**
   * What everybody may know of a table.
   *
   * @param {string} table
   * @param {string} [token]
   * @returns {Promise<Facts>}
   */
  facts(table, token) {
    return this.request('GET', path(table), { token });
  }

  /**
   * A page of the listed tables, newest first; `next` is the cursor of the next page, null on the last.
   *
   * @param {{ game?: string, status?: string, cursor?: string }} [wanted]
   * @returns {Promise<Omit<Page, 'tables'> & { tables: Facts[] }>}
   */
  tables(wanted = {}) {
    return this.request('GET', '/tables', { query: wanted });
  }

  /**
   * The log of a table as the bearer may read it: a header, then a line for each version.
   *
   * @param {string} table
   * @param {LogOptions} [options]
   * @returns {Promise<any[]>}
   */
  async log(table, { token, open, views } = {}) {
    const query = { open: open ? 'true' : undefined, views: views ? 'patch' : undefined };
    const text = await this.request('GET', `${path(table)}/log`, { token, query });
    return readLog(text);
  }

  /**
   * A table at one version, as the bearer may see it.
   *
   * @param {string} table
   * @param {number} version
   * @param {string} [token]
   * @returns {Promise<At>}
   */
  at(table, version, token) {
    return this.request('GET', `${path(table)}/at/${version}`, { token });
  }

  /**
   * One request under `/v1`; for what has no method of its own.
   *
   * @param {string} method
   * @param {string} path
   * @param {Request} [request]
   * @returns {Promise<any>} the decoded JSON; text for any other kind of answer
   */
  async request(method, path, request = {}) {
    const { requestTries = 5, backoffMs = 250, maxBackoffMs = 10_000 } = this.#options;
    const repeatable = method === 'GET' || request.key !== undefined;
    const backoff = new Backoff(backoffMs, maxBackoffMs);
    for (let left = repeatable ? requestTries : 1; ; ) {
      left -= 1;
      try {
        return await this.#once(method, path, request);
      } catch (error) {
        const failed = /** @type {FacedownError} */ (error);
        const again = failed.code === 'unreachable' || AGAIN.has(failed.status ?? 0);
        if (!again || left <= 0) throw failed;
        const waitMs = Math.max(backoff.next(), failed.detail?.retry_after_ms ?? 0);
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
  }

  /**
   * @param {string} path
   * @param {object} body
   * @param {string} [token]
   */
  #post(path, body, token) {
    return this.request('POST', path, { body, token, key: randomText(18) });
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {Request} request
   */
  async #once(method, path, { body, token, key, query = {} }) {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const search = new URLSearchParams(/** @type {[string, string][]} */ (given)).toString();
    /** @type {Record<string, string>} */
    const headers = {};
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    if (token !== undefined) headers.Authorization = `Bearer ${token}`;
    if (key !== undefined) headers['Idempotency-Key'] = key;
    const address = `${this.url}/v1${path}${search ? `?${search}` : ''}`;
    const fetch = this.#options.fetch ?? globalThis.fetch;
    let response, text;
    try {
      response = await fetch(address, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
      text = await response.text();
    } catch (cause) {
      throw new FacedownError('unreachable', `no answer from ${this.url}`, { cause });
    }
    const json = response.headers.get('Content-Type')?.split(';')[0] === 'application/json';
    const value = json ? parsed(text) : text;
    if (response.ok) return response.status === 204 ? undefined : value;
    const { code, message, detail } = value?.code ? value : unknown(response, this.url);
    throw new FacedownError(code, message, { detail, status: response.status });
  }
}

/**
 * The lines of a log that was kept as text (JSON Lines).
 *
 * @param {string} text
 * @returns {any[]}
 */
export function readLog(text) {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, index) => {
      try {
        return JSON.parse(line);
      } catch (cause) {
        throw new FacedownError('bad_message', `line ${index + 1} of the log is no JSON`, { cause });
      }
    });
}

/**
 * A request to sit down, with a token of its own and entropy.
 *
 * @param {{ token?: string, entropy?: string | null }} who
 */
function sitting({ entropy = randomText(18), token = randomText(32), ...rest }) {
  return { ...rest, token, ...(entropy === null ? {} : { entropy }) };
}

/** @param {string} table */
function path(table) {
  return `/tables/${encodeURIComponent(table)}`;
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * @param {Response} response
 * @param {string} url
 */
function unknown(response, url) {
  const message = `what answers at ${url} is no Facedown server (status ${response.status})`;
  return { code: 'unreachable', message, detail: undefined };
}
