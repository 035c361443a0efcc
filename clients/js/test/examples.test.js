// The page and the bot of the README: they are the files in examples/, and a page and bots play games.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import WebSocket from 'ws';

import { Api } from '../src/index.js';
import { until } from './support/play.js';
import { fakeBrowser } from './support/dom.js';
import { seeded } from './support/proxy.js';
import { startServer } from './support/server.js';

/** @param {string} name */
const file = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
/** @type {string} */
let folder;
/** @type {ReturnType<typeof fakeBrowser> | undefined} */
let page;
/** @type {import('node:child_process').ChildProcess[]} */
const bots = [];

before(async () => {
  server = await startServer();
  folder = await mkdtemp(join(tmpdir(), 'facedown-page-'));
});
after(async () => {
  for (const bot of bots) bot.kill();
  await server?.remove();
  page?.quit();
  await rm(folder, { recursive: true, force: true });
});

test('the README shows the examples as they are', async () => {
  const readme = await readFile(file('README.md'), 'utf8');
  for (const [name, most] of /** @type {[string, number][]} */ ([['page.html', 50], ['bot.js', 30]])) {
    const text = await readFile(file(`examples/${name}`), 'utf8');
    assert.ok(readme.includes(`\n${text}\`\`\``), `README.md shows another ${name}`);
    const lines = text.trimEnd().split('\n');
    assert.ok(lines.length <= most, `${name} has ${lines.length} lines`);
    assert.ok(lines.every((line) => line.length <= 130));
  }
});

/** Start the bot of the README; what it prints. @param {string} table @returns {Promise<string>} */
function bot(table) {
  const child = spawn(process.execPath, [file('examples/bot.js'), server.url, table]);
  bots.push(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve(said.trim()) : reject(new Error(said))));
  });
}

test('the page plays every game with the bots, knowing none', { timeout: 240_000 }, async (t) => {
  const games = await new Api(server.url).games();
  const browser = fakeBrowser(server.url);
  page = browser;
  Object.assign(globalThis, { WebSocket });
  const html = await readFile(file('examples/page.html'), 'utf8');
  const [, script = ''] = /<script type="module">\n(.*)<\/script>/s.exec(html) ?? [];
  const index = pathToFileURL(file('src/index.js')).href;
  for (const { game, title, seats } of games) {
    await t.test(game, async () => {
      browser.location.at = '';
      const module = join(folder, `${game}.mjs`);
      await writeFile(module, script.replace("'@facedown/client'", `'${index}'`));
      await import(pathToFileURL(module).href);
      await playOnPage(browser, title, seats[0]);
    });
  }
});

/**
 * Open a table by clicking, let bots sit down, and click at random until the game is over.
 *
 * @param {ReturnType<typeof fakeBrowser>} page
 * @param {string} title
 * @param {number} seats
 */
async function playOnPage(page, title, seats) {
  const random = seeded(7);
  const { main } = page;
  const named = (/** @type {string} */ text) => main.buttons.find(({ textContent }) => textContent === text);
  await until(page, '', () => named(`${title} for ${seats}`) !== undefined);
  void named(`${title} for ${seats}`)?.onclick?.();
  await until(page, '', () => named('Sit down') !== undefined);
  const table = page.location.hash.slice(1);
  void named('Sit down')?.onclick?.();
  await until(page, '', () => named('Sit down') === undefined && page.stored.has(table) && main.text('pre') !== '');
  const results = Array.from({ length: seats - 1 }, () => bot(table));
  const step = () => {
    if (!main.text('h1').includes('your turn')) return;
    void main.buttons[Math.floor(random() * main.buttons.length)]?.onclick?.();
  };
  const off = page.on('', step);
  await until(page, '', () => main.text('h1').startsWith('finished'));
  off();
  const { result } = JSON.parse(main.text('pre'));
  for (const said of await Promise.all(results)) assert.deepEqual(JSON.parse(said), result);
}
