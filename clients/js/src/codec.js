import { FacedownError } from './errors.js';

/**
 * How messages travel over one kind of connection.
 *
 * @typedef {object} Codec
 * @property {string} protocol the WebSocket subprotocol
 * @property {(message: object) => string | Uint8Array<ArrayBuffer>} encode
 * @property {(frame: any) => any} decode
 *
 * @typedef {{ encode: (value: any, options?: any) => Uint8Array<ArrayBuffer>, decode: (bytes: any) => any }} MessagePack
 *   the part of `@msgpack/msgpack` that is used
 */

/** @type {Codec} */
const json = { protocol: 'facedown.v1.json', encode: JSON.stringify, decode: JSON.parse };

/**
 * The codec of a name. MessagePack is loaded here, so that whoever uses JSON need not have it.
 *
 * @param {'json' | 'msgpack'} name
 * @param {MessagePack} [library] in place of `@msgpack/msgpack`, for pages that cannot import by name
 * @returns {Promise<Codec>}
 */
export async function loadCodec(name, library) {
  if (name === 'json') return json;
  const { encode, decode } = library ?? (await importMessagePack());
  return {
    protocol: 'facedown.v1.msgpack',
    encode: (message) => encode(message, { ignoreUndefined: true }),
    decode: (frame) => decode(frame),
  };
}

/** @returns {Promise<MessagePack>} */
async function importMessagePack() {
  try {
    return await import('@msgpack/msgpack');
  } catch (cause) {
    const text = 'codec "msgpack" needs @msgpack/msgpack: install it, or pass it as the option `msgpack`';
    throw new FacedownError('unsupported', text, { cause });
  }
}
