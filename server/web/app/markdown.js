/** The little Markdown that the rules of the games use, as elements: never as markup of the page. */
import { h } from './dom.js';

/** @param {string} text @returns {any[]} */
export function markdown(text) {
  return text.trim().split(/\n\s*\n/).map(block);
}

function block(text) {
  const lines = text.split('\n');
  const heading = /^(#+)\s+(.*)$/.exec(lines[0]);
  if (heading) return h('h3', null, inline(heading[2]));
  if (lines[0].startsWith('|')) return table(lines);
  if (/^[-*] /.test(lines[0])) return h('ul', null, items(lines).map((item) => h('li', null, inline(item))));
  return h('p', null, inline(lines.join(' ')));
}

function items(lines) {
  const found = [];
  for (const line of lines) {
    if (/^[-*] /.test(line)) found.push(line.slice(2));
    else found[found.length - 1] += ` ${line.trim()}`;
  }
  return found;
}

function table(lines) {
  const rows = lines.filter((line) => !/^\|[\s|:-]+\|$/.test(line)).map((line) => line.slice(1, -1).split('|').map((cell) => cell.trim()));
  const [head, ...body] = rows;
  return h('table', null,
    h('thead', null, h('tr', null, head.map((cell) => h('th', { scope: 'col' }, inline(cell))))),
    h('tbody', null, body.map((row) => h('tr', null, row.map((cell) => h('td', null, inline(cell)))))));
}

function inline(text) {
  return text.split(/(\*\*[^*]+\*\*|\*[^*]+\*|`[^`]+`)/).map((part) => {
    if (part.startsWith('**')) return h('strong', null, part.slice(2, -2));
    if (part.startsWith('*') && part.length > 2) return h('em', null, part.slice(1, -1));
    if (part.startsWith('`')) return h('code', null, part.slice(1, -1));
    return part;
  });
}
