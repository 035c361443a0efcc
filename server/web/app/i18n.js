/**
 * Texts by key, from the catalogue of the reader's language.
 *
 * A text holds `{name}` for a value, `{name:format}` for a value written by one of the `formats` that the
 * caller hands in, and `{count|one thing|# things}` for a number with its forms, in the order in which
 * `Intl.PluralRules` lists the categories of the language (English: one, other).
 */

/** A language is added by a file like `en.js` and a line here. */
const CATALOGUES = { en: () => import('./i18n/en.js') };
const FALLBACK = 'en';

let texts = {};
let locale = FALLBACK;
let plurals = new Intl.PluralRules(FALLBACK);
let categories = plurals.resolvedOptions().pluralCategories;
let lists = new Intl.ListFormat(FALLBACK);
let ages = new Intl.RelativeTimeFormat(FALLBACK);
let times = new Intl.DateTimeFormat(FALLBACK);

/** Load the catalogue of the first of the reader's languages that there is. */
export async function loadTexts() {
  const wanted = navigator.languages.map((language) => language.split('-')[0].toLowerCase());
  locale = wanted.find((language) => language in CATALOGUES) ?? FALLBACK;
  texts = (await CATALOGUES[locale]()).default;
  plurals = new Intl.PluralRules(locale);
  const order = ['zero', 'one', 'two', 'few', 'many', 'other'];
  categories = order.filter((category) => plurals.resolvedOptions().pluralCategories.includes(category));
  lists = new Intl.ListFormat(locale, { style: 'long', type: 'conjunction' });
  ages = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  times = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  document.documentElement.lang = locale;
}

/** Whether there is a text for `key`. @param {string} key */
export function has(key) {
  return Object.hasOwn(texts, key);
}

/** Whether the text of `key` tells of the value `name`. @param {string} key @param {string} name */
export function tells(key, name) {
  return new RegExp(`\\{${name}\\b`).test(texts[key] ?? '');
}

/**
 * The text of a key; the key itself where there is none.
 *
 * @param {string} key
 * @param {Record<string, any>} [values]
 * @param {Record<string, (value: any, values: Record<string, any>) => string>} [formats] by name; one
 *   named like a value is used for it where the text asks for no other
 * @returns {string}
 */
export function t(key, values = {}, formats = {}) {
  const text = texts[key] ?? key;
  return text.replace(/\{(\w+)(?::(\w+))?((?:\|[^|}]*)*)\}/g, (whole, name, format, forms) => {
    const value = values[name];
    if (forms) return form(forms.slice(1).split('|'), Number(value));
    const write = formats[format ?? name];
    if (write) return write(value, values);
    return value === undefined ? whole : String(value);
  });
}

/** The text of the first of the keys that there is one for. @param {string[]} keys */
export function first(keys, values, formats) {
  const key = keys.find(has);
  return key === undefined ? undefined : t(key, values, formats);
}

function form(forms, number) {
  const index = categories.indexOf(plurals.select(number));
  return (forms[index] ?? forms.at(-1)).replace('#', number.toLocaleString(locale));
}

/** Things in a row, as the language says it. @param {string[]} items */
export function list(items) {
  return lists.format(items);
}

/** A word that has no text of its own, made readable. @param {string} word */
export function humanized(word) {
  const text = String(word).replaceAll(/[_-]+/g, ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** How long ago, or a date. @param {number} ms */
export function since(ms) {
  const minutes = Math.round((ms - Date.now()) / 60_000);
  if (minutes > -60) return ages.format(Math.min(0, minutes), 'minute');
  if (minutes > -48 * 60) return ages.format(Math.round(minutes / 60), 'hour');
  return ages.format(Math.round(minutes / 1440), 'day');
}

/** The time of day. @param {number} ms */
export function time(ms) {
  return times.format(ms);
}
