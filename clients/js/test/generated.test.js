import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { stale } from '../scripts/generate.js';
import { sizes } from '../scripts/size.js';

const here = fileURLToPath(new URL('..', import.meta.url));

test('the generated types and decks are those of the server', () => {
  assert.deepEqual(stale(), [], 'run npm run generate');
});

test('every exported module has its declarations', () => {
  execFileSync('npm', ['run', '--silent', 'types'], { cwd: here });
  const { exports } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
  for (const { types, default: code } of Object.values(exports).filter((entry) => entry.types)) {
    assert.ok(existsSync(join(here, types)) && existsSync(join(here, code)));
  }
  // A program that uses the package as others do, through its declarations.
  const program = join(here, 'test', 'support', 'typed.ts');
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--lib', 'es2023,dom', '--types', '', '--ignoreConfig'];
  execFileSync('npx', ['tsc', ...flags, program], { cwd: here, stdio: 'inherit' });
});

test('MessagePack is the only thing that is needed, and only for MessagePack', async () => {
  const { dependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
  assert.deepEqual(Object.keys(dependencies), ['@msgpack/msgpack']);
  const importing = sources(join(here, 'src'))
    .filter((path) => path.endsWith('.js'))
    .filter((path) => /(from|import\()\s*'[^.]/.test(readFileSync(path, 'utf8')));
  assert.deepEqual(importing.map((path) => path.slice(here.length)), [join('src', 'codec.js')]);
  assert.ok(!/^import .*msgpack/m.test(readFileSync(join(here, 'src', 'codec.js'), 'utf8')));
});

test('the package stays small', async () => {
  for (const { what, gzip } of await sizes()) assert.ok(gzip < 20_000, `${what}: ${gzip} bytes`);
});

test('files stay short', () => {
  for (const path of [...sources(join(here, 'src')), ...sources(join(here, 'test')), ...sources(join(here, 'scripts'))]) {
    if (!path.includes('generated')) assert.ok(readFileSync(path, 'utf8').split('\n').length <= 400, path);
  }
});

/** @param {string} folder @returns {string[]} */
function sources(folder) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? sources(path) : [path];
  });
}
