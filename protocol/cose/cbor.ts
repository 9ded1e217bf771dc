import { type DecodeOptions, decode, encode, Tag } from 'cbor2'
import { Refusal } from '../errors.ts'

export { Tag } from 'cbor2'

/** A data item of CBOR (RFC 8949) as we read it: maps are Maps, and tags keep their number and have no effect. */
export type Cbor = null | undefined | boolean | number | bigint | string | Uint8Array | Tag | Cbor[] | CborMap
export type CborMap = Map<CborKey, Cbor>
/** COSE, CWT and ISO/IEC 18013-5 have integers and texts as keys. */
export type CborKey = number | string

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
}

/**
 * Decodes one data item of foreign CBOR: at most `maxBytes` long, and 64 maps deep (the library counts an array as two
 * levels); every key of a map once, and an integer or a text; every length within the data, and nothing after the item.
 * Throws `Refusal(code)`.
 */
export function decodeCbor(bytes: Uint8Array, bounds: CborBounds): Cbor {
  if (bytes.length > bounds.maxBytes)
    throw new Refusal(bounds.code, `The CBOR has ${bytes.length} bytes; at most ${bounds.maxBytes} are read.`)
  try {
    return decode<Cbor>(bytes, OPTIONS)
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

/** Encodes with the shortest lengths (RFC 8949, section 4.1); keys of a Map keep their order. */
export const encodeCbor = (value: Cbor): Uint8Array => encode(value)

export const isCborMap = (value: Cbor): value is CborMap => value instanceof Map
export const isTag = (value: Cbor): value is Tag => value instanceof Tag
