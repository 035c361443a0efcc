// The server's dealing algorithm, by WebCrypto. Inputs are joined behind their lengths (four bytes, big
// endian); the names are those of the server's description of it.
import { FacedownError } from './errors.js';

const text = new TextEncoder();
const WORDS_A_BLOCK = 4;
const TWO_64 = 1n << 64n;

/**
 * The parts one after another, each behind its length.
 *
 * @param {...Uint8Array} parts
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + 4 + part.length, 0));
  const view = new DataView(whole.buffer);
  let at = 0;
  for (const part of parts) {
    view.setUint32(at, part.length);
    whole.set(part, at + 4);
    at += 4 + part.length;
  }
  return whole;
}

/**
 * What is published of a deal key: lower-case hexadecimal.
 *
 * @param {string} table
 * @param {Uint8Array} key
 */
export function commitment(table, key) {
  return sha256(joined(text.encode('facedown/1'), text.encode(table), key));
}

/**
 * In lower-case hexadecimal.
 *
 * @param {Uint8Array<ArrayBuffer>} message
 */
export async function sha256(message) {
  const digest = new Uint8Array(await subtle().digest('SHA-256', message));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The source of the shuffles of one table. */
export class Dealer {
  #key;
  #seed;

  /**
   * @param {Uint8Array<ArrayBuffer>} key the deal key, 32 bytes
   * @param {readonly (string | null | undefined)[]} entropy what each seat added
   */
  constructor(key, entropy) {
    this.#key = subtle().importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    this.#seed = joined(...entropy.map((part) => text.encode(part ?? '')));
  }

  /**
   * The items in the order that belongs to `label`; the given order does not matter.
   *
   * @template {string | number} T
   * @param {string} label
   * @param {readonly T[]} items
   * @returns {Promise<T[]>}
   */
  async shuffle(label, items) {
    const order = /** @type {any[]} */ (sorted(items));
    const blocks = Array.from({ length: Math.ceil((order.length - 1) / WORDS_A_BLOCK) }, (_, counter) => counter);
    const words = (await Promise.all(blocks.map((counter) => this.#words(label, counter)))).flat();
    let counter = blocks.length;
    for (let last = order.length - 1; last > 0; last -= 1) {
      const n = BigInt(last + 1);
      const limit = TWO_64 - (TWO_64 % n);
      let word;
      do {
        if (words.length === 0) words.push(...(await this.#words(label, counter++)));
        word = /** @type {bigint} */ (words.shift());
      } while (word >= limit);
      const other = Number(word % n);
      [order[last], order[other]] = [order[other], order[last]];
    }
    return order;
  }

  /**
   * The numbers of one block of the stream of a label.
   *
   * @param {string} label
   * @param {number} counter
   */
  async #words(label, counter) {
    const count = new Uint8Array(8);
    new DataView(count.buffer).setBigUint64(0, BigInt(counter));
    const message = joined(text.encode('shuffle'), this.#seed, text.encode(label), count);
    const block = new DataView(await subtle().sign('HMAC', await this.#key, message));
    return Array.from({ length: WORDS_A_BLOCK }, (_, index) => block.getBigUint64(8 * index));
  }
}

/**
 * Numbers by value, texts by their bytes in UTF-8 (which differs from JavaScript's order beyond U+FFFF).
 *
 * @template {string | number} T
 * @param {readonly T[]} items
 * @returns {T[]}
 */
export function sorted(items) {
  if (typeof items[0] !== 'string') return [...items].sort((a, b) => Number(a) - Number(b));
  const keyed = items.map((item) => ({ item, bytes: text.encode(String(item)) }));
  return keyed.sort((a, b) => compared(a.bytes, b.bytes)).map(({ item }) => item);
}

/**
 * @param {Uint8Array} a
 * @param {Uint8Array} b
 */
function compared(a, b) {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const difference = /** @type {number} */ (a[index]) - /** @type {number} */ (b[index]);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function subtle() {
  const there = globalThis.crypto?.subtle;
  if (!there) {
    throw new FacedownError('unsupported', 'verifying needs WebCrypto, which browsers have on https and localhost');
  }
  return there;
}
