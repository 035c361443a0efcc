/** How many measurements are looked at; the one with the shortest way there and back is the best. */
const KEPT = 8;

/** The server's time, from pings: half of the time that an answer took lies before it was written. */
export class Clock {
  /** @type {{ offset: number, trip: number }[]} */
  #samples = [];
  #now;

  /** @param {() => number} now this machine's time in milliseconds */
  constructor(now) {
    this.#now = now;
  }

  /**
   * @param {number} sent when the ping was sent, this machine's time
   * @param {number} serverMs what the pong said
   */
  measured(sent, serverMs) {
    const trip = this.#now() - sent;
    this.#samples.push({ offset: serverMs - (sent + trip / 2), trip });
    if (this.#samples.length > KEPT) this.#samples.shift();
  }

  /** What to add to this machine's time to get the server's, in milliseconds; 0 before the first pong. */
  get offsetMs() {
    const best = this.#samples.reduce((a, b) => (b.trip < a.trip ? b : a), { offset: 0, trip: Infinity });
    return best.offset;
  }

  /** How long a message takes there and back, in milliseconds; undefined before the first pong. */
  get tripMs() {
    const trips = this.#samples.map((sample) => sample.trip);
    return trips.length > 0 ? Math.min(...trips) : undefined;
  }

  /** The server's time now, in milliseconds since 1970. */
  serverNow() {
    return this.#now() + this.offsetMs;
  }
}
