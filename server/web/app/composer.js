/**
 * Putting an action together from what is offered: one value after another, by whatever is clicked.
 *
 * @typedef {{ value: string | number, key: string }} Picked `key` tells equal cards apart
 */
import { parametersOf } from '../lib/actions.js';

/** The choices made so far for the next action at a table. */
export class Composer {
  /** @type {any[]} */
  offers = [];
  /** @type {string | undefined} */
  type;
  /** @type {Record<string, Picked[]>} */
  picked = {};
  #send;
  #asks;

  /**
   * @param {(action: any) => void} send
   * @param {() => boolean} asks whether every action is to be confirmed
   */
  constructor(send, asks) {
    this.#send = send;
    this.#asks = asks;
  }

  /** What is offered now. What was picked stays where it still can be. @param {any[]} offers */
  update(offers) {
    if (offers === this.offers) return;
    this.offers = offers;
    if (this.type !== undefined && !this.#offer()) this.clear();
  }

  /** Take everything back. */
  clear() {
    this.type = undefined;
    this.picked = {};
  }

  /** The offers that allow `value` for the parameter `name`. */
  allowing(name, value, type) {
    return this.offers.filter((offer) => (type === undefined || offer.type === type) && values(offer[name]).includes(value));
  }

  /** Whether this value (this one of several equal ones) is picked. */
  has(name, value, key = String(value)) {
    return (this.picked[name] ?? []).some((one) => one.value === value && one.key === key);
  }

  /**
   * Pick a value, or take it back. An action that is complete with it is sent, where it has only one
   * parameter with one value.
   */
  pick(name, value, { type, key = String(value) } = {}) {
    const able = this.allowing(name, value, type);
    const offer = able.find((one) => one.type === this.type && this.#suits(one, name)) ?? able[0];
    if (!offer) return;
    if (offer.type !== this.type || !this.#suits(offer, name)) this.picked = {};
    this.type = offer.type;
    const choice = offer[name];
    const before = this.picked[name] ?? [];
    if (this.has(name, value, key)) this.picked[name] = before.filter((one) => one.key !== key);
    else if (choice.one_of) this.picked[name] = [{ value, key }];
    else this.picked[name] = [...before, { value, key }].slice(-choice.max);
    const parameters = parametersOf(offer);
    if (parameters.length === 1 && choice.one_of && !this.#asks()) this.confirm();
  }

  /** Choose a kind of action that needs nothing more, or must be filled in. @param {any} offer */
  choose(offer) {
    this.picked = {};
    this.type = offer.type;
    if (parametersOf(offer).length === 0 && !this.#asks()) this.confirm();
  }

  /** The action as it is picked, or undefined where something is missing. */
  get action() {
    const offer = this.#offer();
    if (!offer) return undefined;
    const action = { type: offer.type };
    for (const [name, choice] of parametersOf(offer)) {
      const picked = (this.picked[name] ?? []).map((one) => one.value);
      if ('one_of' in choice) {
        if (picked.length !== 1) return undefined;
        [action[name]] = picked;
      } else {
        if (picked.length < choice.min || picked.length > choice.max) return undefined;
        action[name] = picked;
      }
    }
    return action;
  }

  /** Send the action. */
  confirm() {
    const { action } = this;
    if (!action) return;
    this.clear();
    this.#send(action);
  }

  /** Whether an action with several values, such as a bid, can be sent now. @param {any} offer */
  ready(offer) {
    return this.type === offer.type ? this.action !== undefined : parametersOf(offer).every(([, choice]) => choice.min === 0);
  }

  /** Send an offer as it is picked, or with nothing where nothing is needed. @param {any} offer */
  finish(offer) {
    if (this.type !== offer.type) this.choose(offer);
    this.confirm();
  }

  #offer() {
    return this.offers.find((offer) => offer.type === this.type && this.#suits(offer));
  }

  /** Whether what is picked fits an offer, not counting the parameter `except`. */
  #suits(offer, except) {
    return Object.entries(this.picked).every(([name, picked]) =>
      name === except || picked.every((one) => values(offer[name]).includes(one.value)));
  }
}

/** The values of a choice. @param {any} choice @returns {(string | number)[]} */
export function values(choice) {
  return choice?.one_of ?? choice?.some_of ?? [];
}
