/** Telling things to those who cannot see the table, and short notices to all. */
import { h, render } from './dom.js';
import { first, t } from './i18n.js';

const SHOWN_MS = 8000;
const GATHER_MS = 150;

let waiting = [];
let timer;

/** Let a screen reader say this; what comes shortly after is said with it. @param {string} text */
export function announce(text) {
  if (!text) return;
  waiting.push(text);
  clearTimeout(timer);
  timer = setTimeout(() => {
    const live = document.getElementById('live');
    // A long line of moves (after a lost connection, or of quick bots) would be talked through to no end.
    if (live) render(live, waiting.slice(-6).join(' '));
    waiting = [];
  }, GATHER_MS);
}

let notices = [];
let number = 0;

/** Show a short notice, read out at once. @param {string} text @param {'bad' | 'good'} [kind] */
export function notify(text, kind = 'good') {
  const notice = { key: `notice-${(number += 1)}`, text, kind };
  const drop = () => {
    notices = notices.filter((other) => other !== notice);
    show();
  };
  notices = [...notices.filter((other) => other.text !== text), notice].slice(-3);
  setTimeout(drop, SHOWN_MS);
  show();

  function show() {
    const place = document.getElementById('alerts');
    if (!place) return;
    render(place, notices.map((one) => h('div', { key: one.key, class: `toast ${one.kind}` },
      h('p', null, one.text),
      h('button', { type: 'button', class: 'quiet', 'aria-label': t('close'), onclick: () => close(one) }, '×'))));
  }
  function close(one) {
    notices = notices.filter((other) => other !== one);
    show();
  }
}

/** What went wrong, and what to do about it. @param {any} error */
export function explain(error) {
  const values = { message: error?.message ?? String(error) };
  return first([`error.${error?.code}`], values) ?? t('error.other', values);
}

/** Run something that may fail, and tell of it. Gives undefined where it did. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    notify(explain(error), 'bad');
    if (!error?.code) throw error;
    return undefined;
  }
}

/** Copy a text, and say so. @param {string} text @param {string} done */
export async function copy(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    notify(done);
  } catch {
    notify(t('copy_failed', { text }), 'bad');
  }
}
