// Prints how large the package is in a bundle: minified, and as it travels (gzip).
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';

/**
 * @param {string} what
 * @param {string} code the module to bundle
 * @param {string[]} [external]
 */
export async function sizeOf(what, code, external = []) {
  const result = await build({
    stdin: { contents: code, resolveDir: fileURLToPath(new URL('../src', import.meta.url)) },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    external,
    write: false,
  });
  const bytes = result.outputFiles[0]?.contents ?? new Uint8Array();
  return { what, bytes: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length };
}

const LIBRARY = '@msgpack/msgpack';

/** The sizes that the README states. */
export function sizes() {
  return Promise.all([
    sizeOf('all of it', "export * from './index.js'", [LIBRARY]),
    sizeOf('to play: connect and the helpers for actions', "export { connect, listActions } from './index.js'", [LIBRARY]),
    sizeOf('to verify', "export { verify } from './verify.js'"),
    sizeOf('all of it with MessagePack', "export * from './index.js'"),
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { what, bytes, gzip } of await sizes()) {
    console.log(`${String(bytes).padStart(8)} bytes ${String(gzip).padStart(8)} gzip  ${what}`);
  }
}
