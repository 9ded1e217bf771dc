import { type DecodeOptions, decode } from 'cbor2'
import { Refusal } from '../errors.ts'
import type { Cbor, CborKey } from './items.ts'

export { encodeCbor } from './encode.ts'
export { type Cbor, type CborKey, type CborMap, isCborMap, isTag, Tag } from './items.ts'

const MAX_DEPTH = 64

const isKey = (key: unknown): key is CborKey => typeof key === 'string' || Number.isSafeInteger(key)

/**
 * The library compares keys by their bytes, so that 1 in one byte and 1 in two pass as different keys and the last one
 * wins. Here they are compared as the Map has them.
 */
function toMap(entries: [unknown, unknown, Uint8Array][]): Map<CborKey, unknown> {
  const map = new Map<CborKey, unknown>()
  for (const [key, value] of entries) {
    if (!isKey(key)) throw new TypeError('a key of a map is neither an integer nor a text')
    if (map.has(key)) throw new TypeError('a key of a map is repeated')
    map.set(key, value)
  }
  return map
}

const plainBytes = ({ buffer, byteOffset, byteLength }: Uint8Array) => new Uint8Array(buffer, byteOffset, byteLength)

const OPTIONS: DecodeOptions = {
  maxDepth: MAX_DEPTH,
  preferMap: true,
  ignoreGlobalTags: true,
  createObject: toMap,
}

/** What the reader of foreign CBOR allows; `code` is the code of its refusals. */
export interface CborBounds {
  code: string
  maxBytes: number
  /** Data items that may still be read, over all that is read with these bounds. Default: any number. */
  items?: { left: number }
}

/**
 * Counts data items up to `most`, in any order and depth, without decoding them: each costs the decoder about as much,
 * whatever its length. Bytes that are not CBOR count as something.
 */
function countItems(bytes: Uint8Array, most: number): number {
  let count = 0
  for (let at = 0; at < bytes.length && count <= most; count++) {
    const head = bytes[at++] ?? 0
    const [major, info] = [head >> 5, head & 0x1f]
    const size = info >= 24 && info <= 27 ? 2 ** (info - 24) : 0
    let length = size === 0 ? info : 0
    for (let end = at + size; at < end; at++) length = length * 256 + (bytes[at] ?? 0)
    if ((major === 2 || major === 3) && info !== 31) at += length
  }
  return count
}

function assertFewItems(bytes: Uint8Array, bounds: CborBounds): void {
  const { items } = bounds
  if (!items) return
  items.left -= countItems(bytes, items.left)
  if (items.left < 0) throw new Refusal(bounds.code, 'The CBOR has more data items than are read.')
}

/**
 * Decodes one data item of foreign CBOR: at most `maxBytes` long, of at most so many `items`, and 64 maps deep (the
 * library counts an array as two levels); every key of a map once, and an integer or a text; every length within the
 * data, and nothing after the item. Throws `Refusal(code)`.
 */
export function decodeCbor(bytes: Uint8Array, bounds: CborBounds): Cbor {
  if (bytes.length > bounds.maxBytes)
    throw new Refusal(bounds.code, `The CBOR has ${bytes.length} bytes; at most ${bounds.maxBytes} are read.`)
  assertFewItems(bytes, bounds)
  try {
    return decode<Cbor>(plainBytes(bytes), OPTIONS) // byte strings are parts of what is decoded
  } catch (error) {
    throw new Refusal(
      bounds.code,
      'The bytes are not one well-formed item of CBOR: it is cut off, followed by other bytes, nested deeper than ' +
        `${MAX_DEPTH} levels, or repeats the key of a map.`,
      [],
      { cause: error },
    )
  }
}
