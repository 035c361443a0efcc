/**
 * Which module draws which game. A game without one is drawn by the generic renderer.
 *
 * A renderer has `board(frame)`, and as it likes `own(frame)` (the reader's hand), `notes(frame)` (what else they know), `seat(frame, seat)` (what
 * a plate says: `{ score, badges, extra }`), `stand(frame)` (where the game is, in a few words),
 * `claims(type, parameter, frame)` (what the board lets one pick), `words(frame, type, parameter, value)`,
 * `face(type, parameter, value)` (a small picture of a value) and `reasons(frame)` (for the final scores).
 */
import { generic } from './generic.js';
import { holdMyBeer } from './hold-my-beer.js';
import { meinSchatz } from './mein-schatz.js';
import { oopsie } from './oopsie.js';
import { threadTheNeedle } from './thread-the-needle.js';
import { trickAndTrade } from './trick-and-trade.js';
import { trinketTrove } from './trinket-trove.js';

const RENDERERS = {
  'hold-my-beer': holdMyBeer,
  'mein-schatz': meinSchatz,
  oopsie,
  'thread-the-needle': threadTheNeedle,
  'trick-and-trade': trickAndTrade,
  'trinket-trove': trinketTrove,
};

/** @param {string} game @param {boolean} plain whether the reader prefers the table as lists */
export function rendererFor(game, plain) {
  const own = Object.hasOwn(RENDERERS, game) ? RENDERERS[game] : undefined;
  if (!own) return generic;
  // The lists name values as the game's own renderer does, a level by its points for example.
  return plain ? { ...generic, words: own.words, stand: own.stand, reasons: own.reasons } : own;
}
