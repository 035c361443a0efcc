/** What happened at a table, in words. */
import { h } from './dom.js';
import { t, time } from './i18n.js';

/** The lines of a table's history. */
export class History {
  /** By version. @type {Map<number, any>} */
  #lines = new Map();
  #frame;

  /** @param {any} frame */
  constructor(frame) {
    this.#frame = frame;
  }

  /** Take versions of a log, or updates. @param {any[]} lines */
  add(lines) {
    for (const { version, at_ms, by, events } of lines) {
      if (version !== undefined && events) this.#lines.set(version, { version, at_ms, by, events });
    }
  }

  /** The lines up to a version, oldest first. @param {number} [until] */
  upTo(until = Infinity) {
    return [...this.#lines.values()].filter((line) => line.version <= until).sort((a, b) => a.version - b.version);
  }

  /** What was settled when the table was opened, once that is known. */
  get opening() {
    return this.#lines.get(1)?.events[0];
  }

  /** All events of some types, oldest first. @param {...string} types */
  happened(...types) {
    return this.upTo().flatMap((line) => line.events).filter((event) => types.includes(event.type));
  }

  /** @param {number} [until] the last version to show */
  draw(until) {
    return h('ol', { class: 'history', 'data-history': true, tabindex: 0, 'aria-label': t('history'), made: stay },
      this.upTo(until).map((line) => this.#drawn(line)));
  }

  /** A line in words: made once, and again when somebody else sits down. */
  #drawn(line) {
    const { words, view, seat } = this.#frame;
    const names = view?.seats.map((one) => one.name).join('\n');
    if (line.names !== names) {
      line.names = names;
      const texts = line.events.map((event) => [event, words.event(event)]).filter(([, text]) => text);
      line.drawn = texts.length === 0 ? null : h('li', { key: `v${line.version}`, class: line.by === seat ? 'by-me' : '' },
        h('time', { datetime: new Date(line.at_ms).toISOString() }, time(line.at_ms)),
        h('div', null, texts.map(([event, text]) => h('p', { class: weight(event.type) }, text))));
    }
    return line.drawn;
  }
}

const HEADINGS = new Set(['started', 'hand_dealt', 'strawmen_dealt', 'round_began', 'finished', 'abandoned', 'hand_scored', 'round_scored']);

function weight(type) {
  return HEADINGS.has(type) ? 'heading' : '';
}

/** Keep the end in sight while it is in sight. @param {HTMLElement} element */
export function stay(element) {
  let near = true;
  element.addEventListener('scroll', () => {
    near = element.scrollHeight - element.scrollTop - element.clientHeight < 40;
  });
  const follow = () => {
    if (near) element.scrollTop = element.scrollHeight;
  };
  new MutationObserver(follow).observe(element, { childList: true });
  new ResizeObserver(follow).observe(element);
}
