import { decode } from 'cbor2/decoder'
import { Tag } from 'cbor2/tag'

/** A credential holds a portrait at most; what is longer is not read here. */
const MOST_BYTES = 2_000_000
const MOST_BYTES_SHOWN = 32
/** Label of embedded CBOR (RFC 8949, section 3.4.5.1). */
const EMBEDDED = 24

const OPTIONS = {
  maxDepth: 64,
  rejectDuplicateKeys: true,
  preferMap: true,
  ignoreGlobalTags: true,
  collapseBigInts: true,
}

/** Map, array, text, number, bytes or tag, as it stands in the bytes. Throws for what is no CBOR. */
export function read(bytes: Uint8Array): unknown {
  if (bytes.length > MOST_BYTES) throw new RangeError(`${bytes.length} bytes are more than are read here.`)
  return decode(bytes, OPTIONS)
}

export const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array

/** A member of a map; undefined where there is no map. */
export const member = (map: unknown, key: string | number): unknown => (map instanceof Map ? map.get(key) : undefined)

/** What a tag holds, and anything else as it is. */
export const untagged = (value: unknown): unknown => (value instanceof Tag ? value.contents : value)

/** Embedded CBOR, read: bytes, with tag 24 around them or not. */
export function embedded(value: unknown): unknown {
  const bytes = value instanceof Tag && Number(value.tag) === EMBEDDED ? value.contents : value
  return isBytes(bytes) ? read(bytes) : undefined
}

/** The four parts of a COSE_Sign1 (RFC 9052, section 4.2), with both headers as one. */
export function readSign1(value: unknown): { header: Map<unknown, unknown>; payload: Uint8Array } {
  const parts: unknown = untagged(value)
  if (!Array.isArray(parts) || parts.length !== 4 || !isBytes(parts[0]) || !isBytes(parts[2]))
    throw new TypeError('This is no COSE_Sign1.')
  const header = parts[0].length > 0 ? read(parts[0]) : new Map()
  const entries = [header, parts[1]].flatMap((each) => (each instanceof Map ? [...each] : []))
  return { header: new Map(entries), payload: parts[2] }
}

export const fromBase64Url = (text: string): Uint8Array =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))

export const toBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Base32 in upper case without padding (RFC 4648), as compact credentials have it. */
export function fromBase32(text: string): Uint8Array {
  const bytes: number[] = []
  let [held, bits] = [0, 0]
  for (const character of text) {
    const value = BASE32.indexOf(character)
    if (value < 0) throw new TypeError('This is no base32.')
    held = ((held << 5) | value) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push((held >> bits) & 0xff)
  }
  return Uint8Array.from(bytes)
}

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

const bytesText = (bytes: Uint8Array): string =>
  bytes.length > MOST_BYTES_SHOWN
    ? `h'${hexOf(bytes.subarray(0, MOST_BYTES_SHOWN))}…' (${bytes.length})`
    : `h'${hexOf(bytes)}'`

/** As JSON has it: bytes in hex as CBOR's notation has them, maps as objects. */
export function plain(value: unknown): unknown {
  if (isBytes(value)) return bytesText(value)
  if (value instanceof Tag) return plain(value.contents)
  if (Array.isArray(value)) return value.map(plain)
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, each]) => [String(key), plain(each)]))
  return typeof value === 'bigint' ? value.toString() : value
}

export const textOf = (value: unknown): string => {
  const simple = plain(value)
  return typeof simple === 'string' ? simple : (JSON.stringify(simple) ?? '')
}
