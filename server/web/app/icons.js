/**
 * Small signs of the page, drawn here. Signs of cards are in `symbols.js`.
 *
 * A drawing is a list of strokes in a field of 24 by 24; a text is the path of a line, `{ fill }` of a filled
 * shape, with `soft: true` in a paler tone.
 */
import { h } from './dom.js';
import { SYMBOLS } from './symbols.js';

const HEAD = 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z';
const EYES = { fill: 'M8 9h2v2.5H8zM14 9h2v2.5h-2z' };

const SIGNS = {
  brand: [{ fill: 'M4.2 8.6 12 6.7l3.4 12.7-7.8 1.9z', soft: true }, 'M4.2 8.6 12 6.7l3.4 12.7-7.8 1.9z', 'M12 3.2l8 2-3.2 13-2-.5', 'M15.5 8l1.6 2.6'],
  back: ['M15 5l-7 7 7 7'],
  menu: ['M4 7h16M4 12h16M4 17h16'],
  list: ['M9 6h11M9 12h11M9 18h11', { fill: 'M3 5h3v2H3zM3 11h3v2H3zM3 17h3v2H3z' }],
  link: ['M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1.5 1.5', 'M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1.5-1.5'],
  eye: ['M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z', 'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z'],
  leave: ['M14 4H6v16h8', 'M11 12h10M17.5 8.5L21 12l-3.5 3.5'],
  check: ['M5 12.5l4.5 4.5L19 7.5'],
  clock: ['M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16z', 'M12 8v4.5l3 2'],
  talk: ['M4 5h16v11H10l-5 4v-4H4z', 'M8 9h8M8 12h5'],
  people: ['M9 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM3 19c0-4 3-5.5 6-5.5s6 1.5 6 5.5', 'M16 5.5a3 3 0 0 1 0 5.5M18 14c2 .6 3.5 2 3.5 5'],
  bot: ['M5 9h14v10H5zM12 9V5', { fill: 'M12 3a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3zM8 12h2.5v2.5H8zM13.5 12H16v2.5h-2.5z' }, 'M9 17h6'],
  bolt: [{ fill: 'M13 2L5 13.5h5L9.5 22 19 9.5h-6z' }],
  play: [{ fill: 'M7 4.5v15l12.5-7.5z' }],
  pause: [{ fill: 'M6 5h4v14H6zM14 5h4v14h-4z' }],
  first: ['M6 5v14', { fill: 'M19 5v14l-10-7z' }],
  last: ['M18 5v14', { fill: 'M5 5v14l10-7z' }],
  step: ['M9 5l7 7-7 7'],
  crown: [{ fill: 'M3 8l4.5 4L12 5l4.5 7L21 8l-2 10H5zM5 19.5h14v1.8H5z' }],
  lead: [{ fill: 'M6 3h2v18H6zM9 4h10l-3 4 3 4H9z' }],
  sun: ['M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.5v2.5M12 19v2.5M2.5 12H5M19 12h2.5M5.3 5.3l1.8 1.8M16.9 16.9l1.8 1.8M18.7 5.3l-1.8 1.8M7.1 16.9l-1.8 1.8'],
  moon: [{ fill: 'M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z' }],
  half: ['M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16z', { fill: 'M12 4a8 8 0 0 1 0 16z' }],
  online: [{ fill: 'M4 15h3v4H4zM10.5 10h3v9h-3zM17 5h3v14h-3z' }],
  offline: [{ fill: 'M4 15h3v4H4z' }, 'M11 19v-7M18 19V6M3.5 3.5l17 17'],
  points: [{ fill: 'M12 2.5l2.9 6.2 6.8.8-5 4.6 1.3 6.7-6-3.3-6 3.3 1.3-6.7-5-4.6 6.8-.8z' }],
  cards: ['M4 6.5l8-2 3.5 13-8 2z', 'M14 5h6v13h-3'],
  target: ['M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z', { fill: 'M12 11a1 1 0 1 0 0 2 1 1 0 0 0 0-2z' }],
  'game-hold-my-beer': ['M5 8h10v12H5zM15 10h3.5a1.5 1.5 0 0 1 1.5 1.5v4a1.5 1.5 0 0 1-1.5 1.5H15M8 11.5v5.5M12 11.5v5.5', { fill: 'M4 8a3 3 0 0 1 2.5-4.5A4 4 0 0 1 13 3.5 3 3 0 0 1 16 8z', soft: true }],
  'game-oopsie': ['M4 18l5-12 5 12M6 14h6', 'M18.5 5v9', { fill: 'M17.2 17h2.6v2.6h-2.6z' }],
  'game-thread-the-needle': ['M20 4L5 19', 'M17 4.5c2.5-1.5 4 0 2.5 2.5L18 8.5 15.5 6z', 'M18 6c-8-3-14 1-10 5s9 2 8 6-8 4-12 2'],
  'game-trick-and-trade': ['M4 9h13l-3.5-4M20 15H7l3.5 4'],
  'game-mein-schatz': ['M3.5 11h17v8.5h-17zM3.5 11C3.5 7 6 5 8 5h8c2 0 4.5 2 4.5 6', { fill: 'M10 10h4v5h-4z', soft: true }, 'M12 12.5v2'],
  'game-trinket-trove': ['M12 3v3M12 6a6 6 0 0 1 6 6v3l1.5 3h-15L6 15v-3a6 6 0 0 1 6-6z', { fill: 'M10 18h4a2 2 0 0 1-4 0z' }],
  'react-thumbs_up': ['M4 11h3.5v9H4zM7.5 11l3.5-7c1.5 0 2.5 1 2.5 2.5V9.5h5c1 0 1.8.9 1.6 2l-1.3 7c-.2.9-.9 1.5-1.8 1.5H7.5'],
  'react-clap': ['M7 13l-2-3.5c-.6-1 .8-2 1.5-1L9 12M9 12L6.5 7c-.5-1 1-2 1.7-1l3.3 5M11.5 11L9.5 6.5c-.5-1 1.2-1.7 1.7-.7l3.5 6.2.8-2.5c.4-1.2 2-.8 1.8.5l-.8 5.5c-1 5-6.5 6-9 2.5L5 14.5c-.6-1 .8-2 2-1.5', 'M15.5 3.5l-.5 2M18.5 4.5L17 6.5M20.5 7.5l-2 1'],
  'react-laugh': [HEAD, 'M7 10.5c.6-1.3 2.4-1.3 3 0M14 10.5c.6-1.3 2.4-1.3 3 0', { fill: 'M7 13.5h10c0 3-2.3 5-5 5s-5-2-5-5z' }],
  'react-wow': [HEAD, EYES, 'M12 14a2 2 0 1 0 0 4 2 2 0 0 0 0-4z'],
  'react-sad': [HEAD, EYES, 'M8 17.5c1-3 7-3 8 0'],
  'react-party': ['M3.5 20.5L8 8.5l7.5 7.5z', 'M13 9c0-2 1-3 3-3.5M15 11.5c2-.5 3.5 0 4.5 1.5', { fill: 'M11 3h1.8v1.8H11zM18.5 7.5h1.8v1.8h-1.8zM19 3h1.5v1.5H19zM20 16h1.5v1.5H20z' }],
  'react-think': [HEAD, EYES, 'M9 16h6'],
  'react-heart': [{ fill: 'M12 20.5C5.5 15.5 3 12.3 3 8.8 3 6 5.1 4.3 7.3 4.3c1.9 0 3.7 1 4.7 2.8 1-1.8 2.8-2.8 4.7-2.8C18.9 4.3 21 6 21 8.8c0 3.5-2.5 6.7-9 11.7z' }],
};

/**
 * A sign. It says nothing to a screen reader: the words are beside it.
 *
 * @param {string} name
 * @param {string} [more] further classes
 */
export function icon(name, more = '') {
  return drawing(SIGNS[name] ?? SYMBOLS[name] ?? [], `icon ${more}`);
}

/** @param {any[]} parts @param {string} classes */
export function drawing(parts, classes) {
  return h('svg', { class: classes, viewBox: '0 0 24 24', 'aria-hidden': 'true', focusable: 'false' }, parts.map(stroke));
}

/** One stroke of a drawing. */
export function stroke(part) {
  if (typeof part === 'string') return h('path', { d: part, class: 'line' });
  return h('path', { d: part.fill, class: part.soft ? 'fill soft' : part.cut ? 'fill cut' : 'fill' });
}
