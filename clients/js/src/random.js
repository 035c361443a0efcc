/**
 * An id, key or token that nobody can guess, in base64url.
 *
 * @param {number} bytes how many random bytes
 */
export function randomText(bytes) {
  const drawn = crypto.getRandomValues(new Uint8Array(bytes));
  return btoa(String.fromCharCode(...drawn)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/**
 * Waiting times that double from `first` to `most`, each shortened at random by up to a half so that
 * clients that lost the same server do not come back at the same moment.
 */
export class Backoff {
  #first;
  #most;
  #random;
  tries = 0;

  /**
   * @param {number} first milliseconds
   * @param {number} most milliseconds
   * @param {() => number} [random]
   */
  constructor(first, most, random = Math.random) {
    this.#first = first;
    this.#most = most;
    this.#random = random;
  }

  /** The next waiting time in milliseconds. */
  next() {
    const full = Math.min(this.#most, this.#first * 2 ** Math.min(this.tries, 30));
    this.tries += 1;
    return full * (0.5 + this.#random() / 2);
  }

  reset() {
    this.tries = 0;
  }
}
