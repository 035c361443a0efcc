/**
 * What a table and a replay have in common, and what they tell.
 *
 * @module
 *
 * @import { Action, Offer } from './actions.js'
 * @import { FacedownError } from './errors.js'
 * @import { Games } from './generated/games.js'
 * @import { Presence, Said, Update, View } from './generated/protocol.js'
 *
 * @typedef {{ seat?: number, spectator?: true, open?: true }} Viewer who sees: a seat, a spectator, or (in
 *   a replay of an open log) somebody who sees all
 * @typedef {'open' | 'playing' | 'finished' | 'abandoned'} TableStatus
 * @typedef {'attaching' | 'live' | 'detached'} TableState whether what the object says is the present:
 *   `attaching` also after a lost connection
 */

/**
 * What a viewer sees of a table; `game` is null before the start.
 *
 * @template {keyof Games} [G=any]
 * @typedef {Omit<View, 'game' | 'status'> & { status: TableStatus, game: Games[G]['view'] | null }} TableView
 */

/**
 * @typedef {object} TableEvents
 * @property {undefined} change something of the table object changed: draw it again
 * @property {Update} update one commit, in order and each once; while a table catches up after a lost
 *   connection, `view` and `version` of the table follow with the last of them
 * @property {{ version: number, recovered: boolean }} attached the table is live (again); not `recovered`:
 *   from its state now, without the updates before
 * @property {{ action: Action, error: FacedownError }} rejected a command was refused
 * @property {Presence} presence a seat got its first connection or lost its last
 * @property {Said} said somebody talks
 * @property {TableStatus} status the status of the table changed
 * @property {TableState} state
 * @property {{ next: string }} rematch the same players go on at that table
 * @property {{ reason: string, error?: FacedownError }} detached for good
 *
 * @typedef {object} AttachOptions
 * @property {string} [token] of a seat, a spectator or the host; none: as a spectator
 * @property {'full' | 'patch' | 'none'} [views] how views travel; patches by default, which differ in
 *   nothing but size. `none`: there is no view
 *
 * @typedef {object} Wire what a table needs of its client
 * @property {(message: object) => boolean} send
 * @property {(id: string) => Promise<any>} answer the message that answers this id; undefined where the
 *   connection was lost before
 * @property {() => number} serverNow
 * @property {(table: any) => void} forget
 */

export {};
