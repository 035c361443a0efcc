// Writes types/: what tsc makes of the JSDoc in src, and the generated declarations beside it.
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('..', import.meta.url));
const tsc = fileURLToPath(import.meta.resolve('typescript/package.json')).replace('package.json', 'bin/tsc');

rmSync(`${here}types`, { recursive: true, force: true });
execFileSync(process.execPath, [tsc, '-p', 'tsconfig.types.json'], { cwd: here, stdio: 'inherit' });
for (const name of readdirSync(`${here}src/generated`).filter((file) => file.endsWith('.d.ts'))) {
  cpSync(`${here}src/generated/${name}`, `${here}types/generated/${name}`);
}
