/**
 * What may be done, as the server offers it in `actions`: no rules needed.
 *
 * An offer is `{ type, parameter: choice, ... }`. One offer and one value for each of its parameters
 * make an action; every combination is legal, nothing else is.
 *
 * @typedef {string | number} Value
 * @typedef {{ one_of: Value[] }} OneOf exactly one of the values
 * @typedef {{ some_of: Value[], min: number, max: number }} SomeOf `min` to `max` of the values, each as
 *   often as it is listed, in any order
 * @typedef {OneOf | SomeOf} Choice
 * @typedef {{ type: string, [parameter: string]: string | Choice }} Offer
 * @typedef {{ type: string, [parameter: string]: any }} Action
 */

/**
 * All actions that the offers stand for, one after another. Choices of several values can make very
 * many: take as many as you need.
 *
 * @param {readonly Offer[]} offers
 * @returns {Generator<Action>}
 */
export function* listActions(offers) {
  for (const offer of offers) yield* combinations(offer.type, parametersOf(offer));
}

/**
 * How many actions the offers stand for.
 *
 * @param {readonly Offer[]} offers
 */
export function countActions(offers) {
  let total = 0;
  for (const offer of offers) {
    let ways = 1;
    for (const [, choice] of parametersOf(offer)) ways *= countValues(choice);
    total += ways;
  }
  return total;
}

/**
 * Whether the offers allow `action`.
 *
 * @param {readonly Offer[]} offers
 * @param {Action} action
 */
export function isAllowed(offers, action) {
  return checkAction(offers, action) === undefined;
}

/**
 * Why the offers do not allow `action`, in a sentence, or undefined where they do.
 *
 * @param {readonly Offer[]} offers
 * @param {Action} action
 * @returns {string | undefined}
 */
export function checkAction(offers, action) {
  if (offers.length === 0) return 'nothing can be done now';
  const same = offers.filter((offer) => offer.type === action.type);
  if (same.length === 0) {
    const kinds = [...new Set(offers.map((offer) => offer.type))].join(', ');
    return `${JSON.stringify(action.type)} is not possible now; possible: ${kinds}`;
  }
  let first;
  for (const offer of same) {
    const why = mismatch(offer, action);
    if (why === undefined) return undefined;
    first ??= why;
  }
  return first;
}

/**
 * One of the actions, drawn at random: an offer, then a value for each parameter.
 *
 * @param {readonly Offer[]} offers
 * @param {() => number} [random] gives numbers from 0 to below 1
 * @returns {Action}
 * @throws {RangeError} where nothing is offered
 */
export function randomAction(offers, random = Math.random) {
  if (offers.length === 0) throw new RangeError('there is nothing to choose from: actions is empty');
  const offer = /** @type {Offer} */ (pick(offers, random));
  /** @type {Action} */
  const action = { type: offer.type };
  for (const [name, choice] of parametersOf(offer)) action[name] = randomValue(choice, random);
  return action;
}

/**
 * The parameters of an offer with their choices.
 *
 * @param {Offer} offer
 * @returns {[string, Choice][]}
 */
export function parametersOf(offer) {
  return /** @type {[string, Choice][]} */ (Object.entries(offer).filter(([name]) => name !== 'type'));
}

/**
 * @param {string} type
 * @param {[string, Choice][]} parameters
 * @returns {Generator<Action>}
 */
function* combinations(type, parameters) {
  const last = parameters.at(-1);
  if (last === undefined) {
    yield { type };
    return;
  }
  const [name, choice] = last;
  for (const action of combinations(type, parameters.slice(0, -1))) {
    for (const value of valuesOf(choice)) yield { ...action, [name]: value };
  }
}

/**
 * All values that a choice allows: single values, or lists of them.
 *
 * @param {Choice} choice
 * @returns {Generator<Value | Value[]>}
 */
export function* valuesOf(choice) {
  if ('one_of' in choice) yield* choice.one_of;
  else yield* multisets([...tally(choice.some_of)], choice.min, choice.max);
}

/**
 * @param {[Value, number][]} counts
 * @param {number} min
 * @param {number} max
 * @returns {Generator<Value[]>}
 */
function* multisets(counts, min, max) {
  const [head, ...rest] = counts;
  if (head === undefined) {
    if (min <= 0) yield [];
    return;
  }
  const [value, held] = head;
  const left = rest.reduce((sum, [, number]) => sum + number, 0);
  for (let taken = Math.max(0, min - left); taken <= Math.min(held, max); taken += 1) {
    for (const others of multisets(rest, min - taken, max - taken)) {
      yield [...Array(taken).fill(value), ...others];
    }
  }
}

/** @param {Choice} choice */
function countValues(choice) {
  if ('one_of' in choice) return choice.one_of.length;
  // ways[n]: how many multisets of n values there are, value after value.
  let ways = [1, ...Array(choice.max).fill(0)];
  for (const held of tally(choice.some_of).values()) {
    ways = ways.map((_, size) => ways.slice(Math.max(0, size - held), size + 1).reduce((a, b) => a + b, 0));
  }
  return ways.slice(choice.min).reduce((a, b) => a + b, 0);
}

/** @param {readonly Value[]} values */
function tally(values) {
  /** @type {Map<Value, number>} */
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/**
 * @param {Offer} offer
 * @param {Action} action
 * @returns {string | undefined}
 */
function mismatch(offer, action) {
  const parameters = parametersOf(offer);
  for (const [name, choice] of parameters) {
    if (!Object.hasOwn(action, name)) return `${offer.type} needs the parameter ${name}: ${described(choice)}`;
    if (!fits(choice, action[name])) {
      return `${offer.type}.${name} cannot be ${JSON.stringify(action[name])}; it is ${described(choice)}`;
    }
  }
  const known = ['type', ...parameters.map(([name]) => name)];
  const other = Object.keys(action).find((name) => !known.includes(name));
  return other === undefined ? undefined : `${offer.type} has no parameter ${JSON.stringify(other)}`;
}

/**
 * @param {Choice} choice
 * @param {any} value
 */
function fits(choice, value) {
  if ('one_of' in choice) return choice.one_of.includes(value);
  if (!Array.isArray(value) || value.length < choice.min || value.length > choice.max) return false;
  const held = tally(choice.some_of);
  return [...tally(value)].every(([item, number]) => number <= (held.get(item) ?? 0));
}

/** @param {Choice} choice */
function described(choice) {
  if ('one_of' in choice) return `one of ${choice.one_of.join(', ')}`;
  return `a list of ${choice.min} to ${choice.max} of ${choice.some_of.join(', ')}`;
}

/**
 * @param {Choice} choice
 * @param {() => number} random
 */
function randomValue(choice, random) {
  if ('one_of' in choice) return pick(choice.one_of, random);
  const size = choice.min + Math.floor(random() * (choice.max - choice.min + 1));
  const left = [...choice.some_of];
  return Array.from({ length: size }, () => left.splice(Math.floor(random() * left.length), 1)[0]);
}

/**
 * @template T
 * @param {readonly T[]} values
 * @param {() => number} random
 */
function pick(values, random) {
  return values[Math.floor(random() * values.length)];
}
