// JSON Schemas as TypeScript declarations.

/** @typedef {Record<string, any>} Schema */

/**
 * Interfaces and types for named schemas.
 *
 * @param {Record<string, Schema>} named
 */
export function declarations(named) {
  return Object.entries(named)
    .map(([name, schema]) => comment(schema.description, '') + declaration(name, schema))
    .join('\n');
}

/**
 * @param {string} name
 * @param {Schema} schema
 */
function declaration(name, schema) {
  if (schema.type !== 'object' || !schema.properties) return `export type ${name} = ${typeOf(schema)};\n`;
  return `export interface ${name} {\n${members(schema, '  ')}}\n`;
}

/**
 * @param {Schema} schema
 * @param {string} indent
 */
function members(schema, indent) {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties)
    .map(([name, inner]) => {
      const key = /^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name);
      const mark = required.has(name) ? '' : '?';
      return `${comment(inner.description, indent)}${indent}${key}${mark}: ${typeOf(inner)};\n`;
    })
    .join('');
}

/**
 * @param {Schema} schema
 * @returns {string}
 */
export function typeOf(schema) {
  if (schema.$ref) return schema.$ref.split('/').at(-1);
  if (schema.enum) return union(schema.enum.map((/** @type {unknown} */ value) => literal(value)));
  if (schema.const !== undefined) return literal(schema.const);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return union(choices.map(typeOf));
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type })));
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'array':
      return arrayOf(schema);
    case 'object':
      return objectOf(schema);
    default:
      return 'any';
  }
}

/** @param {Schema} schema */
function arrayOf(schema) {
  if (schema.prefixItems) return `[${schema.prefixItems.map(typeOf).join(', ')}]`;
  const item = schema.items ? typeOf(schema.items) : 'any';
  return / \| /.test(item) ? `(${item})[]` : `${item}[]`;
}

/** @param {Schema} schema */
function objectOf(schema) {
  if (schema.properties && Object.keys(schema.properties).length > 0) return `{\n${members(schema, '  ')}}`;
  const values = schema.additionalProperties;
  return `Record<string, ${values && typeof values === 'object' ? typeOf(values) : 'any'}>`;
}

/** @param {unknown} value */
function literal(value) {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value);
}

/** @param {string[]} types */
function union(types) {
  return [...new Set(types)].join(' | ');
}

/**
 * @param {string | undefined} text
 * @param {string} indent
 */
function comment(text, indent) {
  if (!text) return '';
  const lines = text.replaceAll('``', '`').replaceAll('*/', '* /').split('\n');
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}
