import { promisify } from 'node:util'
import { gunzip, gunzipSync, gzipSync } from 'node:zlib'
import { Refusal } from '../errors.ts'
import { unpacking } from './unpacking.ts'

export { permute } from './permutation.ts'

/** Lists that are credentials of the W3C. */
export type CredentialListKind = 'RevocationList2020' | 'BitstringStatusList'
/** The list of compact credentials is a CWT (protocol/compact-credentials/status-lists.ts), that of mobile ones a token (token.ts). */
export type StatusListKind = CredentialListKind | 'BitIndexRevocationList' | 'TokenStatusList'
export type StatusPurpose = 'revocation' | 'suspension'

/** Smallest size of a list, for the privacy of holders (Bitstring Status List, 6.1; RevocationList2020, 6.1). */
export const MINIMUM_ENTRIES = 131_072
/** 134 million entries; the bound stops gzip bombs. */
const MAXIMUM_BYTES = 16 * 1024 * 1024

const refusal = (code: string, message: string) => new Refusal(`status_list.${code}`, message)

/** Bits of a list of `size` entries, each 0 but those in `indexes`; index 0 is the left-most (highest) bit of byte 0. */
export function setBits(size: number, indexes: Iterable<number>): Uint8Array {
  const most = MAXIMUM_BYTES * 8
  if (!Number.isInteger(size) || size < MINIMUM_ENTRIES || size > most || size % 8 !== 0) {
    throw refusal(
      'size',
      `The size of a status list must be ${MINIMUM_ENTRIES} to ${most} entries, and a multiple of eight.`,
    )
  }
  const bits = new Uint8Array(size / 8)
  for (const index of indexes) {
    assertInside(bits, index, 1)
    bits[index >> 3] = (bits[index >> 3] ?? 0) | (0x80 >> (index & 7))
  }
  return bits
}

function assertInside(bits: Uint8Array, index: number, statusSize: number): void {
  if (Number.isInteger(index) && index >= 0 && (index + 1) * statusSize <= bits.length * 8) return
  throw refusal('index_out_of_range', 'The status index is outside the range of its list.')
}

export const getBit = (bits: Uint8Array, index: number): boolean => readStatus(bits, index, 1) === 1

/** The number in the `statusSize` bits of entry `index` (Bitstring Status List, 3.2, validate: step 11). */
export function readStatus(bits: Uint8Array, index: number, statusSize: number): number {
  assertInside(bits, index, statusSize)
  let status = 0
  for (let at = index * statusSize; at < (index + 1) * statusSize; at += 1) {
    const bit = ((bits[Math.floor(at / 8)] ?? 0) >> (7 - (at % 8))) & 1
    status = status * 2 + bit
  }
  return status
}

/** Compresses the same bits to the same bytes: without time (RFC 1952, MTIME 0), with `Unix` as system everywhere. */
function gzip(bits: Uint8Array): Buffer {
  const packed = gzipSync(bits, { level: 9 })
  packed.writeUInt32LE(0, 4)
  packed[9] = 3
  return packed
}

/** `encodedList`: base64url of the gzipped bits, in Bitstring lists after the multibase prefix `u`. */
export function encodeList(kind: CredentialListKind, bits: Uint8Array): string {
  const text = gzip(bits).toString('base64url')
  return kind === 'BitstringStatusList' ? `u${text}` : text
}

export interface DecodeRules {
  /** Minimum number of entries. */
  minimumEntries?: number
}

/**
 * Returns the bits of an `encodedList` as issuers write it: base64url or base64, with or without padding and multibase
 * prefix. Throws `Refusal('status_list.malformed' | '.too_large' | '.too_short')`.
 */
export function decodeList(encodedList: string, rules: DecodeRules = {}): Uint8Array {
  const packed = packedOf(encodedList)
  try {
    return longEnough(gunzipSync(packed, UNPACKED), rules)
  } catch (error) {
    throw asRefusal(error)
  }
}

/** Like `decodeList`, off the event loop: the largest list takes tens of milliseconds. */
export async function decodeListAside(encodedList: string, rules: DecodeRules = {}): Promise<Uint8Array> {
  const packed = packedOf(encodedList)
  try {
    return longEnough(await unpacking(() => promisify(gunzip)(packed, UNPACKED)), rules)
  } catch (error) {
    throw asRefusal(error)
  }
}

const UNPACKED = { maxOutputLength: MAXIMUM_BYTES }

function packedOf(encodedList: string): Buffer {
  // gzip begins with 1f 8b 08, so its base64 begins with H4sI and never with the prefix itself
  const text = encodedList.startsWith('u') ? encodedList.slice(1) : encodedList
  if (!/^H4sI[\w+/-]+={0,2}$/.test(text)) throw refusal('malformed', 'The encodedList is not gzip in base64url.')
  return Buffer.from(text, 'base64')
}

function longEnough(bits: Uint8Array, { minimumEntries = MINIMUM_ENTRIES }: DecodeRules): Uint8Array {
  if (bits.length * 8 >= minimumEntries) return bits
  throw refusal('too_short', `The status list has ${bits.length * 8} entries; at least ${minimumEntries} are required.`)
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof RangeError)
    return refusal('too_large', `The status list is larger than ${MAXIMUM_BYTES} bytes when decompressed.`)
  return refusal('malformed', 'The encodedList cannot be decompressed.')
}
