// As much of a browser as the example page needs: one main element, whose children can be clicked.

class Element {
  textContent = '';
  /** @type {(() => unknown) | undefined} */
  onclick;
  /** @type {Element[]} */
  children = [];
  #changed;

  /**
   * @param {string} tag
   * @param {() => void} changed
   */
  constructor(tag, changed) {
    this.tag = tag;
    this.#changed = changed;
  }

  /** @param {...Element} children */
  replaceChildren(...children) {
    this.children = children;
    this.#changed();
  }

  /** The buttons that are there now. */
  get buttons() {
    return this.children.filter(({ tag }) => tag === 'button');
  }

  /** The first child of a kind. @param {string} tag */
  text(tag) {
    return this.children.find((child) => child.tag === tag)?.textContent ?? '';
  }
}

/**
 * Make the globals of a page at `server`. Gives its main element, and what is told whenever that changes.
 *
 * @param {string} server
 */
export function fakeBrowser(server) {
  /** @type {Set<() => void>} */
  const watchers = new Set();
  const main = new Element('main', () => watchers.forEach((watcher) => watcher()));
  /** @type {Map<string, string>} */
  const stored = new Map();
  /** @type {(() => void)[]} */
  const moved = [];
  /** @type {(() => void)[]} */
  const online = [];
  const location = {
    search: `?server=${encodeURIComponent(server)}`,
    origin: server,
    at: '',
    get hash() {
      return this.at;
    },
    set hash(value) {
      this.at = `#${value}`;
      for (const listener of moved) queueMicrotask(listener);
    },
  };
  Object.assign(globalThis, {
    location,
    document: {
      querySelector: () => main,
      createElement: (/** @type {string} */ tag) => new Element(tag, () => {}),
    },
    sessionStorage: {
      getItem: (/** @type {string} */ key) => stored.get(key) ?? null,
      setItem: (/** @type {string} */ key, /** @type {string} */ value) => void stored.set(key, value),
    },
    addEventListener: (/** @type {string} */ name, /** @type {() => void} */ listener) => {
      if (name === 'hashchange') moved.push(listener);
      if (name === 'online') online.push(listener);
    },
    removeEventListener: () => {},
  });
  const on = (/** @type {string} */ _name, /** @type {() => void} */ watcher) => {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
  };
  /** The browser is closed: clients that look for a new connection find no WebSocket and give up. */
  const quit = () => {
    Reflect.deleteProperty(globalThis, 'WebSocket');
    for (const listener of online) listener();
  };
  return { main, location, stored, on, quit };
}
