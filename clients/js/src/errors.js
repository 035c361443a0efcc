/** @import { Code } from './generated/protocol.js' */

/**
 * Why something did not work. `code` is from the server's closed list, or one of the client's own:
 *
 * - `unreachable`: no server answered, or none that speaks this protocol;
 * - `detached`: the table object is no viewer any more (`detail.reason` says why);
 * - `closed`: the client was closed;
 * - `unsupported`: this environment lacks something (the message says what to pass in).
 */
export class FacedownError extends Error {
  /**
   * @param {Code | 'unreachable' | 'detached' | 'closed' | 'unsupported'} code
   * @param {string} message
   * @param {{ detail?: Record<string, any>, status?: number, uncertain?: boolean, cause?: unknown }} [more]
   */
  constructor(code, message, more = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'FacedownError';
    this.code = code;
    /** What the server added, such as `{ free: [1, 2] }`. */
    this.detail = more.detail;
    /** The HTTP status, for requests. */
    this.status = more.status;
    /** For a command: it was sent, and whether it was carried out is not known. */
    this.uncertain = more.uncertain ?? false;
  }
}
