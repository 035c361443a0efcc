/**
 * Listeners by the name of an event. `Events` maps each name to what its listeners are given.
 *
 * @template {object} Events
 */
export class Emitter {
  /** @type {Map<keyof Events, Set<(data: any) => void>>} */
  #listeners = new Map();

  /**
   * Call `listener` at every such event, until the returned function is called.
   *
   * @template {keyof Events} Name
   * @param {Name} name
   * @param {(data: Events[Name]) => void} listener
   * @returns {() => void}
   */
  on(name, listener) {
    const there = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, there.add(listener));
    return () => this.off(name, listener);
  }

  /**
   * Call `listener` no more.
   *
   * @template {keyof Events} Name
   * @param {Name} name
   * @param {(data: Events[Name]) => void} listener
   */
  off(name, listener) {
    this.#listeners.get(name)?.delete(listener);
  }

  /**
   * Tell the listeners. One that throws stops neither the others nor the connection; what it threw is
   * reported as an uncaught error.
   *
   * @template {keyof Events} Name
   * @param {Name} name
   * @param {Events[Name]} data
   */
  emit(name, data) {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        listener(data);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
