/**
 * Play, watch, replay and verify card games on a Facedown server.
 *
 * @module
 *
 * @typedef {import('./actions.js').Action} Action
 * @typedef {import('./actions.js').Choice} Choice
 * @typedef {import('./actions.js').Offer} Offer
 * @typedef {import('./client.js').ClientOptions} ClientOptions
 * @typedef {import('./commands.js').Done} Done
 * @typedef {import('./generated/games.js').Games} Games
 * @typedef {import('./generated/protocol.js').Facts} Facts
 * @typedef {import('./generated/protocol.js').ToClient} ToClient
 * @typedef {import('./generated/protocol.js').ToServer} ToServer
 * @typedef {import('./generated/protocol.js').Update} Update
 * @typedef {import('./link.js').LinkStatus} LinkStatus
 * @typedef {import('./types.js').TableState} TableState
 * @typedef {import('./types.js').TableStatus} TableStatus
 * @typedef {import('./types.js').Viewer} Viewer
 * @typedef {import('./verify.js').Verdict} Verdict
 */

/**
 * @template {keyof Games} [G=any]
 * @typedef {import('./types.js').TableView<G>} TableView
 */

export {
  checkAction,
  countActions,
  isAllowed,
  listActions,
  parametersOf,
  randomAction,
  valuesOf,
} from './actions.js';
export { Api, readLog } from './api.js';
export { Client, connect } from './client.js';
export { FacedownError } from './errors.js';
export { Lobby } from './lobby.js';
export { applyPatch } from './patch.js';
export { randomText } from './random.js';
export { Replay } from './replay.js';
export { Table } from './table.js';
export { verify } from './verify.js';
