// A real server with an embedded store in a folder of its own, started by the test that uses it.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { environment, python } from '../../scripts/python.js';

const RUN = 'from server.cli import app; app()';

/**
 * Start a server on a free port, or on `port` over `data`.
 *
 * @param {{ port?: number, data?: string, env?: Record<string, string> }} [options]
 */
export async function startServer({ port = 0, data, env = {} } = {}) {
  const folder = data ?? (await mkdtemp(join(tmpdir(), 'facedown-js-')));
  const args = ['-c', RUN, 'serve', '--port', String(port), '--data', join(folder, 'data'), '--log-level', 'warning'];
  const child = spawn(python, args, {
    cwd: folder,
    env: { ...environment, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const url = await address(child);
  return {
    url,
    port: Number(new URL(url).port),
    folder,
    /** Stop it, keeping its data. */
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
    async remove() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/**
 * The address that the server says it serves at.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<string>}
 */
function address(child) {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      said += text;
      const found = /serves at (http:\/\/\S+)/.exec(said);
      if (found?.[1]) resolve(found[1]);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
  });
}
