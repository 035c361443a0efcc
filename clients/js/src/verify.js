import { readLog } from './api.js';
import { commitment, Dealer } from './dealing.js';
import { firstBroken } from './digests.js';
import { DECKS } from './generated/decks.js';

/**
 * @import { DeckRule } from './generated/decks.js'
 *
 * @typedef {object} Verdict
 * @property {boolean} ok every shuffle follows from the key that was fixed before anybody sat down
 * @property {number} shuffles how many fit (before the first that does not)
 * @property {boolean} decks the game is known here, so that it was also checked what was shuffled
 * @property {boolean} digests the lines were chained by digests, and are whole
 * @property {Problem} [problem] the first thing that does not fit
 *
 * @typedef {object} Problem
 * @property {'log' | 'key' | 'commitment' | 'shuffle' | 'cards' | 'digest'} what the log as such; the deal
 *   key (not told); the key against what was published of it; an order against the key; what was shuffled;
 *   a line against its digest
 * @property {string} message
 * @property {number} [version] where
 * @property {string} [label] which shuffle
 */

class Unfit extends Error {
  /** @param {Problem} problem */
  constructor(problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/**
 * Recompute every shuffle of the open log of a finished table (`client.log(table, { open: true })`).
 *
 * That shows that the cards lay as the key says that was fixed before anybody sat down, and whose
 * commitment everybody could see from the first moment on. It does not show that nobody looked at them,
 * nor that the moves obeyed the rules: the rest of the log is held against its digests, which whoever
 * changes a line can reckon anew.
 *
 * @param {any[] | string} log its lines, or its text
 * @returns {Promise<Verdict>}
 */
export async function verify(log) {
  const progress = { shuffles: 0, decks: false, digests: false };
  try {
    await check(typeof log === 'string' ? parsed(log) : log, progress);
    return { ok: true, ...progress };
  } catch (error) {
    if (error instanceof Unfit) return { ok: false, ...progress, problem: error.problem };
    throw error;
  }
}

/** @param {string} text */
function parsed(text) {
  try {
    return readLog(text);
  } catch (error) {
    throw unfit('log', String(/** @type {Error} */ (error).message));
  }
}

/**
 * @param {any[]} log
 * @param {{ shuffles: number, decks: boolean, digests: boolean }} progress
 */
async function check([header, ...lines], progress) {
  const opened = checkForm(header, lines);
  const key = bytesOf(findKey(header, lines));
  if ((await commitment(opened.table, key)) !== opened.commitment) {
    throw unfit('commitment', 'the key is not the one whose commitment was published', { version: 1 });
  }
  const dealer = new Dealer(key, entropyOf(opened.seats, lines));
  const decks = new Decks(opened);
  progress.decks = decks.known;
  for (const { version, events } of lines) {
    for (const event of events) {
      if (!decks.isShuffle(event)) {
        decks.passed(event);
        continue;
      }
      const where = { version, label: event.label };
      checkOrder(event, where);
      decks.check(event, where);
      const order = await dealer.shuffle(event.label, event.order);
      if (order.some((item, index) => item !== event.order[index])) {
        throw unfit('shuffle', `version ${version}: the shuffle ${event.label} does not follow from the key`, where);
      }
      progress.shuffles += 1;
    }
  }
  if (progress.shuffles === 0 && lines.some(({ events }) => events.some(isStart))) {
    throw unfit('log', 'a game was played, and the log tells of no shuffle');
  }
  // Last, so that a changed order is told as what it is.
  progress.digests = await checkDigests([header, ...lines]);
}

/**
 * Whether the lines are chained; logs from before there were digests are not.
 *
 * @param {any[]} log
 */
async function checkDigests(log) {
  if (log.every((line) => line.digest === undefined)) return false;
  const broken = await firstBroken(log);
  if (broken < 0) return true;
  const where = broken === 0 ? 'the header' : `version ${broken}`;
  throw unfit('digest', `${where} is not what its digest says`, broken === 0 ? {} : { version: broken });
}

/**
 * The `table_opened` of a log whose frame is sound.
 *
 * @param {any} header
 * @param {any[]} lines
 */
function checkForm(header, lines) {
  if (header?.facedown !== 1) throw unfit('log', 'this is no log in format 1');
  if (header.reveal === 'never') {
    throw unfit('key', 'this table was opened with reveal: never, so nothing can be verified');
  }
  if (!header.viewer?.open) throw unfit('log', 'this is not the open log: fetch it with open=true');
  const gap = lines.findIndex((line, index) => line?.version !== index + 1 || !areEvents(line.events));
  if (gap >= 0) throw unfit('log', `version ${gap + 1} is missing`, { version: gap + 1 });
  if (header.version !== lines.length) throw unfit('log', `the log ends before version ${header.version}`);
  const opened = lines[0]?.events[0];
  if (opened?.type !== 'table_opened') throw unfit('log', 'version 1 does not open a table', { version: 1 });
  for (const name of ['table', 'game', 'seats', 'options', 'epoch', 'commitment', 'reveal']) {
    if (JSON.stringify(header[name]) !== JSON.stringify(opened[name])) {
      throw unfit('log', `the header and version 1 disagree about ${name}`, { version: 1 });
    }
  }
  return opened;
}

/** @param {any} events */
function areEvents(events) {
  return Array.isArray(events) && events.every((event) => typeof event?.type === 'string');
}

/**
 * @param {any} header
 * @param {any[]} lines
 */
function findKey(header, lines) {
  for (const { version, events } of lines) {
    for (const event of events) {
      if (event.type !== 'finished' && event.type !== 'abandoned') continue;
      if (/^[0-9a-f]{64}$/.test(event.deal_key)) return event.deal_key;
      throw unfit('key', `version ${version}: deal_key must be 64 hexadecimal digits, in lower case`, { version });
    }
  }
  throw unfit('key', `the key is told when the game is over, and this table is ${header.status}`);
}

/**
 * What each seat had added when the game started.
 *
 * @param {number} seats
 * @param {any[]} lines
 */
function entropyOf(seats, lines) {
  /** @type {(string | undefined)[]} */
  const entropy = Array(seats).fill(undefined);
  for (const event of lines.flatMap((line) => line.events)) {
    if (isStart(event)) break;
    if (event.type === 'seat_taken') entropy[event.seat] = event.entropy;
    if (event.type === 'seat_left') entropy[event.seat] = undefined;
  }
  return entropy;
}

/** @param {any} event */
function isStart(event) {
  return event.type === 'started';
}

/**
 * @param {any} event
 * @param {{ version: number, label: string }} where
 */
function checkOrder({ label, order }, where) {
  const wrong = (/** @type {string} */ text) => unfit('log', `version ${where.version}: ${text}`, where);
  if (typeof label !== 'string') throw wrong('a shuffle without a label');
  if (!Array.isArray(order)) throw wrong(`the shuffle ${label} has no order`);
  const kind = typeof order[0];
  const sound = order.every((item) => typeof item === kind && (kind === 'string' || Number.isSafeInteger(item)));
  if (!sound) throw wrong(`the order of the shuffle ${label} must be all texts or all whole numbers`);
}

/** What the shuffles of a game shuffle, as the generated rules say; see generated/decks.js. */
class Decks {
  #opened;
  /** @type {Record<string, DeckRule>} */
  #rules;
  #events;
  /** Orders by the stem of their label, and which labels there were. @type {Map<string, any[]>} */
  #orders = new Map();
  #labels = new Set();
  /** @type {any[]} */
  #since = [];

  /** @param {any} opened */
  constructor(opened) {
    this.known = Object.hasOwn(DECKS, opened.game);
    this.#opened = opened;
    this.#rules = (this.known && DECKS[opened.game]) || {};
    this.#events = new Set(Object.values(this.#rules).flatMap((rule) => rule.events));
  }

  /** @param {any} event */
  isShuffle(event) {
    return this.#events.has(event.type) || ('label' in event && 'order' in event);
  }

  /**
   * An event between shuffles.
   *
   * @param {any} event
   */
  passed(event) {
    this.#since.push(event);
  }

  /**
   * @param {any} event
   * @param {{ version: number, label: string }} where
   */
  check({ type, label, order }, where) {
    if (this.#labels.has(label)) throw unfit('log', `the label ${label} is used twice`, where);
    this.#labels.add(label);
    const stem = label.replace(/\d+/g, '#');
    if (this.known) {
      const rule = Object.hasOwn(this.#rules, stem) ? this.#rules[stem] : undefined;
      if (!rule?.events.includes(type)) {
        throw unfit('log', `${this.#opened.game} has no shuffle ${label} in ${type}`, where);
      }
      if (!this.#fits(rule, order)) {
        throw unfit('cards', `version ${where.version}: ${label} shuffles other cards than the game has`, where);
      }
    }
    this.#orders.set(stem, order);
    this.#since = [];
  }

  /**
   * @param {DeckRule} rule
   * @param {any[]} order
   */
  #fits(rule, order) {
    if (rule.seats !== undefined) return same(order, [...Array(Math.max(this.#opened.seats, rule.seats)).keys()]);
    if (rule.within !== undefined) return within(order, cards(rule.within));
    const { less } = rule;
    const used = less === undefined ? [] : this.#since.flatMap((event) => event[less] ?? []);
    const rest = rule.after === undefined ? [] : this.#rest(rule.after, order.length - cards(rule.plus).length);
    const listed = rule.option === undefined ? [] : (this.#opened.options[rule.option] ?? []);
    const whole = rule.bySeats?.[this.#opened.seats] ?? rule.cards;
    return same([...order, ...used], [...cards(whole), ...cards(rule.plus), ...rest, ...listed]);
  }

  /**
   * @param {string} stem
   * @param {number} size
   */
  #rest(stem, size) {
    return size > 0 ? (this.#orders.get(stem) ?? []).slice(-size) : [];
  }
}

/**
 * @param {string | undefined} listed
 * @returns {string[]}
 */
function cards(listed) {
  return (listed ?? '')
    .split(' ')
    .filter(Boolean)
    .flatMap((entry) => {
      const [card, number = 1] = entry.split('*');
      return Array(Number(number)).fill(card);
    });
}

/**
 * Whether two lists hold the same, in any order.
 *
 * @param {any[]} a
 * @param {any[]} b
 */
function same(a, b) {
  return a.length === b.length && within(a, b);
}

/**
 * @param {any[]} some
 * @param {any[]} all
 */
function within(some, all) {
  const left = new Map();
  for (const item of all) left.set(item, (left.get(item) ?? 0) + 1);
  return some.every((item) => {
    const there = left.get(item) ?? 0;
    left.set(item, there - 1);
    return there > 0;
  });
}

/** @param {string} hex */
function bytesOf(hex) {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/**
 * @param {Problem['what']} what
 * @param {string} message
 * @param {{ version?: number, label?: string }} [where]
 */
function unfit(what, message, where = {}) {
  return new Unfit({ what, message, ...where });
}
