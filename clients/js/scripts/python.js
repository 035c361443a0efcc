// How scripts and tests run the server's Python: $PYTHON, else the repository's .venv, else python3.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The repository, or what $FACEDOWN_ROOT names in its place. */
export const root = process.env.FACEDOWN_ROOT ?? fileURLToPath(new URL('../../../', import.meta.url));

const own = `${root}/.venv/bin/python`;

export const python = process.env.PYTHON ?? (existsSync(own) ? own : 'python3');

/** The environment in which Python finds the server's packages. */
export const environment = { ...process.env, PYTHONPATH: root, PYTHONDONTWRITEBYTECODE: '1' };

/**
 * What a Python script prints, read as JSON.
 *
 * @param {string} script
 * @returns {any}
 */
export function ask(script) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const printed = execFileSync(python, [path], { cwd: root, env: environment, maxBuffer: 2 ** 28 });
  return JSON.parse(printed.toString());
}
