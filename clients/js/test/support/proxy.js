// A TCP proxy that treats connections badly: it delays what passes, and cuts in the middle of it.
import net from 'node:net';

/** Small numbers from a seed, the same every time (mulberry32). @param {number} seed */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * @param {number} target the port behind it
 * @param {{ random?: () => number, cutAfter?: number, delayMs?: number }} [chaos] `cutAfter`: cut each
 *   connection after at most so many chunks, a third of the times with what the server said unsaid and a
 *   third with what the client said delivered later; `delayMs`: hold each chunk back for up to so long
 */
export async function startProxy(target, { random = Math.random, cutAfter, delayMs = 0 } = {}) {
  /** @type {Set<Pair>} */
  const pairs = new Set();
  const stats = { cuts: 0, connections: 0 };
  let open = true;
  const server = net.createServer((client) => {
    stats.connections += 1;
    if (!open) {
      client.destroy();
      return;
    }
    const pair = new Pair(client, net.connect(target, '127.0.0.1'), random, delayMs, () => pairs.delete(pair));
    if (cutAfter) pair.cutIn(1 + Math.floor(random() * cutAfter), () => (stats.cuts += 1));
    pairs.add(pair);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    stats,
    /** Cut all connections, and let nobody in until `restore`. */
    sever() {
      open = false;
      for (const pair of pairs) pair.cut();
    },
    restore() {
      open = true;
    },
    /** Swallow what the server says from now on. */
    mute() {
      for (const pair of pairs) pair.muted = true;
    },
    async close() {
      for (const pair of pairs) pair.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

class Pair {
  muted = false;
  #client;
  #server;
  #random;
  #delayMs;
  #left = Infinity;
  #cutting = () => {};

  /**
   * @param {net.Socket} client
   * @param {net.Socket} server
   * @param {() => number} random
   * @param {number} delayMs
   * @param {() => void} gone
   */
  constructor(client, server, random, delayMs, gone) {
    this.#client = client;
    this.#server = server;
    this.#random = random;
    this.#delayMs = delayMs;
    this.#pass(client, server);
    this.#pass(server, client);
    client.on('close', gone);
  }

  /**
   * @param {number} chunks
   * @param {() => void} cutting
   */
  cutIn(chunks, cutting) {
    this.#left = chunks;
    this.#cutting = cutting;
  }

  cut() {
    this.#client.destroy();
    this.#server.destroy();
  }

  /**
   * Hand on what comes, in its order.
   *
   * @param {net.Socket} from
   * @param {net.Socket} to
   */
  #pass(from, to) {
    let last = Promise.resolve();
    from.on('data', (chunk) => {
      if (this.muted && from === this.#server) return;
      if ((this.#left -= 1) === 0) {
        this.#cutting();
        this.#end(from, to, chunk);
        return;
      }
      if (this.#left < 0) return;
      const waitMs = this.#random() * this.#delayMs;
      last = last.then(() => (waitMs < 1 ? undefined : new Promise((resolve) => setTimeout(resolve, waitMs))));
      last = last.then(() => void (to.destroyed || to.write(chunk)));
    });
    from.on('error', () => {});
    from.on('close', () => void last.then(() => to.end()));
  }

  /**
   * The last chunk of a connection: lost, cut in two, or (a client's) delivered after the client is gone.
   *
   * @param {net.Socket} from
   * @param {net.Socket} to
   * @param {Buffer} chunk
   */
  #end(from, to, chunk) {
    const fate = this.#random();
    if (fate < 1 / 3 && from === this.#client) {
      from.destroy();
      setTimeout(() => to.destroyed || to.end(chunk), 20 * this.#delayMs);
      return;
    }
    if (fate < 2 / 3 && !to.destroyed) to.write(chunk.subarray(0, chunk.length >> 1));
    this.cut();
  }
}
