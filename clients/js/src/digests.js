// The digest chain of a log: each line's `digest` covers that line and, through the digest of the line
// before, all lines before it.
import { sha256 } from './dealing.js';

/**
 * The digest of a line, which may hold one already.
 *
 * @param {string} before the digest of the line before; nothing before the first line
 * @param {Record<string, any>} line
 */
export function digestOf(before, { digest: _, ...bare }) {
  return sha256(new TextEncoder().encode(before + canonical(bare)));
}

/**
 * JSON without blanks, the members of objects in the order of their names (RFC 8785).
 *
 * @param {any} value
 * @returns {string}
 */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join(',')}}`;
}

/**
 * The index of the first line whose digest does not fit, or -1.
 *
 * @param {any[]} lines
 */
export async function firstBroken(lines) {
  let before = '';
  for (const [index, line] of lines.entries()) {
    if ((await digestOf(before, line)) !== line.digest) return index;
    before = line.digest;
  }
  return -1;
}
