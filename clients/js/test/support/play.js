// Players for tests: they know no game, and act whenever they may.
import WebSocket from 'ws';

import { connect, randomAction } from '../../src/index.js';

/** Options for clients in tests: short waits, and a WebSocket for Node 20. */
export const QUICK = { WebSocket, backoffMs: 5, maxBackoffMs: 100 };

/**
 * @param {string} url
 * @param {import('../../src/index.js').ClientOptions} [options]
 */
export function client(url, options = {}) {
  return connect(url, { ...QUICK, ...options });
}

/**
 * A table with everybody seated: its id, the host token and the tokens of the seats.
 *
 * @param {import('../../src/index.js').Api} api
 * @param {string} game
 * @param {number} seats
 * @param {object} [settings]
 */
export async function seated(api, game, seats, settings = {}) {
  const { table, host_token: hostToken } = await api.createTable({ game, seats, ...settings });
  const tokens = [];
  for (let seat = 0; seat < seats; seat += 1) {
    tokens.push((await api.sit(table, { name: `Player ${seat}` })).token);
  }
  return { table, hostToken, tokens };
}

/**
 * Act at random whenever the game waits for this seat, until the game is over.
 *
 * @param {import('../../src/index.js').Table} table
 * @param {() => number} random
 * @returns {Promise<import('../../src/index.js').Done[]>} what was done
 */
export function playAtRandom(table, random) {
  /** @type {import('../../src/index.js').Done[]} */
  const done = [];
  let acting = false;
  return new Promise((resolve, reject) => {
    const turn = async () => {
      if (table.over && !acting) resolve(done);
      if (acting || !table.mayAct) return;
      acting = true;
      try {
        done.push(await table.act(randomAction(table.actions, random)));
      } catch (error) {
        reject(error);
        return;
      }
      acting = false;
      void turn();
    };
    table.on('change', turn);
    table.on('detached', ({ reason }) => reject(new Error(`detached: ${reason}`)));
    void turn();
  });
}

/**
 * Resolves as soon as `holds` does, looked at again at every such event.
 *
 * @param {{ on: (name: any, listener: () => void) => () => void }} source
 * @param {string} name
 * @param {() => boolean} holds
 */
export function until(source, name, holds) {
  return /** @type {Promise<void>} */ (
    new Promise((resolve) => {
      let off = () => {};
      const look = () => {
        if (!holds()) return;
        off();
        resolve();
      };
      off = source.on(name, look);
      look();
    })
  );
}
