/** Fields for the options of a game, from their JSON Schema. */
import { h } from './dom.js';
import { first, humanized } from './i18n.js';

/** The schema of the options as an object, whatever it refers to. @param {any} schema */
function root(schema) {
  return follow(schema, schema);
}

function follow(schema, whole) {
  if (!schema?.$ref) return schema;
  const path = schema.$ref.replace(/^#\//, '').split('/');
  return { ...follow(path.reduce((at, part) => at?.[part], whole), whole), ...without(schema) };
}

function without({ $ref: _, $defs: __, ...rest }) {
  return rest;
}

function properties(schema) {
  return Object.entries(root(schema).properties ?? {}).map(([name, value]) => [name, follow(value, schema)]);
}

/** A field for each option. @param {any} schema */
export function fields(schema) {
  return properties(schema).map(([name, option]) => {
    const id = `o-${name}`;
    const label = first([`option.${name}`]) ?? humanized(name);
    const help = h('p', { class: 'small', id: `${id}-help` }, option.description ?? '');
    const common = { id, name: id, 'aria-describedby': `${id}-help` };
    if (option.type === 'boolean') {
      return h('div', { key: name, class: 'row tick' }, h('input', { ...common, type: 'checkbox', checked: option.default ?? false }), h('label', { for: id }, label), help);
    }
    return h('div', { key: name, class: 'row' }, h('label', { for: id }, label), control(option, common), help);
  });
}

function control(option, common) {
  if (option.enum) {
    return h('select', { ...common, value: String(option.default ?? option.enum[0]) }, option.enum.map((value) => h('option', { value: String(value) }, first([`word.${value}`]) ?? humanized(value))));
  }
  if (option.type === 'integer' || option.type === 'number') {
    return h('input', { ...common, type: 'number', min: option.minimum, max: option.maximum, step: option.type === 'integer' ? 1 : 'any', value: option.default ?? '' });
  }
  if (option.type === 'string') return h('input', { ...common, value: option.default ?? '' });
  // Lists and objects, such as the cards of a printed box, are written as JSON.
  return h('textarea', { ...common, rows: 3, spellcheck: 'false', placeholder: 'JSON' });
}

/**
 * The options that differ from what the game takes anyway.
 *
 * @param {any} schema
 * @param {HTMLFormControlsCollection} elements of the form
 */
export function readFields(schema, elements) {
  const found = {};
  for (const [name, option] of properties(schema)) {
    const field = elements[`o-${name}`];
    const value = option.type === 'boolean' ? field.checked : read(option, field.value.trim(), name);
    if (value !== undefined && value !== option.default) found[name] = value;
  }
  return found;
}

function read(option, text, name) {
  if (text === '') return undefined;
  if (option.enum) return option.enum.find((value) => String(value) === text);
  if (option.type === 'integer' || option.type === 'number') return Number(text);
  if (option.type === 'string') return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw Object.assign(new Error(`${name}: ${error.message}`), { code: 'bad_json' });
  }
}
