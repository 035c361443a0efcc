/**
 * Drawing: plain descriptions of elements, and one function that makes the page show them.
 *
 * Text only ever becomes text nodes, so nothing that players write can become markup. An element that
 * stays keeps its focus and its place; give elements that come and go among others a `key`.
 *
 * @typedef {{ tag: string, props: Record<string, any>, children: Child[] }} Element
 * @typedef {Element | string} Child
 */

const SVG = 'http://www.w3.org/2000/svg';

/** What must be set as a property, since the attribute says only how it began. */
const PROPERTIES = new Set(['value', 'checked', 'disabled', 'open', 'selected', 'indeterminate']);

/** @type {WeakMap<Node, Element>} */
const shown = new WeakMap();

/**
 * Describe an element.
 *
 * @param {string} tag
 * @param {Record<string, any> | null} [props] attributes; `on...`: listeners; `style`: an object; `key`;
 *   `made`: called once with the new element
 * @param {...any} children elements, texts, lists of them; null, undefined and booleans are nothing
 * @returns {Element}
 */
export function h(tag, props, ...children) {
  return { tag, props: props ?? {}, children: flat(children) };
}

/**
 * Make `parent` hold exactly `children`.
 *
 * @param {globalThis.Element} parent
 * @param {...any} children
 */
export function render(parent, ...children) {
  patchChildren(parent, flat(children), parent.namespaceURI === SVG);
}

/** @param {any[]} children @returns {Child[]} */
function flat(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && typeof child !== 'boolean')
    .map((child) => (typeof child === 'object' ? child : String(child)));
}

function patchChildren(parent, next, svg) {
  const keyed = new Map();
  const loose = [];
  for (const node of parent.childNodes) {
    const key = shown.get(node)?.props.key;
    if (key === undefined) loose.push(node);
    else keyed.set(key, node);
  }
  const nodes = next.map((child) => match(child, keyed, loose));
  const kept = new Set(nodes);
  for (const node of [...parent.childNodes]) if (!kept.has(node)) node.remove();
  let at = parent.firstChild;
  next.forEach((child, index) => {
    const node = nodes[index] ?? create(child, svg);
    if (node === at) at = at.nextSibling;
    else parent.insertBefore(node, at);
    if (typeof child !== 'string') patch(node, child, svg);
    else if (node.data !== child) node.data = child;
  });
}

function match(child, keyed, loose) {
  if (typeof child !== 'string' && child.props.key !== undefined) {
    const node = keyed.get(child.props.key);
    keyed.delete(child.props.key);
    return node && shown.get(node).tag === child.tag ? node : undefined;
  }
  const wanted = typeof child === 'string' ? undefined : child.tag;
  const index = loose.findIndex((node) => (node.nodeType === 3 ? undefined : shown.get(node)?.tag) === wanted);
  return index < 0 ? undefined : loose.splice(index, 1)[0];
}

function create(child, svg) {
  if (typeof child === 'string') return document.createTextNode(child);
  return svg || child.tag === 'svg' ? document.createElementNS(SVG, child.tag) : document.createElement(child.tag);
}

function patch(node, element, svg) {
  const before = shown.get(node);
  if (before === element) return; // drawn from the very same description: nothing has changed
  const old = before?.props ?? {};
  shown.set(node, element);
  for (const name of Object.keys(old)) if (!(name in element.props)) setProp(node, name, undefined, old[name]);
  for (const [name, value] of Object.entries(element.props)) {
    if (value !== old[name]) setProp(node, name, value, old[name]);
  }
  patchChildren(node, element.children, svg || element.tag === 'svg');
  // A choice can only be made once its options are there.
  if (!before && element.tag === 'select' && 'value' in element.props) node.value = element.props.value;
  if (!before) element.props.made?.(node);
}

function setProp(node, name, value, old) {
  if (name === 'key' || name === 'made') return;
  if (name.startsWith('on')) {
    node[name] = value ?? null;
  } else if (name === 'style') {
    for (const part of Object.keys(old ?? {})) if (!(part in (value ?? {}))) node.style.removeProperty(part);
    for (const [part, text] of Object.entries(value ?? {})) node.style.setProperty(part, String(text));
  } else if (PROPERTIES.has(name) && name in node) {
    node[name] = value ?? (name === 'value' ? '' : false);
  } else if (name.startsWith('aria-') && typeof value === 'boolean') {
    node.setAttribute(name, String(value)); // an empty one would say nothing
  } else if (value === undefined || value === null || value === false) {
    node.removeAttribute(name);
  } else {
    node.setAttribute(name, value === true ? '' : String(value));
  }
}
