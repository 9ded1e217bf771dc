import { promisify } from 'node:util'
import { deflateSync, gunzip, gzipSync, inflate } from 'node:zlib'
import { type Cbor, encodeCbor, isCborMap } from '../cose/cbor.ts'
import { coseFault, HEADER, type ToSign } from '../cose/sign1.ts'
import type { VerificationKey } from '../data-integrity/keys.ts'
import { Refusal } from '../errors.ts'
import { getBit } from '../status-list/index.ts'
import { type Clock, hasCome } from '../time.ts'
import { claimsOf, readCwt, registeredClaims, type StatusEntry } from './cwt.ts'

/** The bits, gzipped, in a list that credentials name by claim -65537. */
const BIT_INDEX_LIST = -65_538
/** draft-ietf-oauth-status-list, section 5.2: labels of `status_list` and `ttl` in a CWT. */
const [STATUS_LIST, TTL] = [65_533, 65_534]

export const TOKEN_TYPES = {
  jwt: 'application/statuslist+jwt',
  cwt: 'application/statuslist+cwt',
} as const

/** Bytes of a list's bits at most; the bound stops compression bombs. */
const UNPACKED = { maxOutputLength: 16 * 1024 * 1024 }
/** Bytes of a published list that are read. */
export const LIST_BYTES = 4 * 1024 * 1024
const BOUNDS = { code: 'status_list.malformed', maxBytes: LIST_BYTES }

/** A list to sign: its bits with index 0 left-most in byte 0, as in all lists of the engine. */
export interface UnsignedList {
  url: string
  issuer: string
  /** DID URL of the key. */
  keyUrl: string
  bits: Uint8Array
  issuedAt: Date
  expiresAt: Date
  /** Seconds that a reader may keep it. */
  ttlSeconds: number
}

const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1_000)

/** The order of bits in a byte that Token Status List has: index 0 is the right-most bit of byte 0 (section 4.1). */
const reversed = (bits: Uint8Array): Uint8Array =>
  bits.map((byte) => {
    let turned = 0
    for (let at = 0; at < 8; at += 1) turned |= ((byte >> at) & 1) << (7 - at)
    return turned
  })

/** `lst`: the statuses with one bit each, as zlib compresses them best (section 4.1). */
export const tokenList = (bits: Uint8Array): Uint8Array => new Uint8Array(deflateSync(reversed(bits), { level: 9 }))

/** The fragment of a DID URL: the `kid` of a CWT. */
export const kidOf = (keyUrl: string): Uint8Array => new Uint8Array(Buffer.from(keyUrl.slice(keyUrl.indexOf('#') + 1)))

const claims = ({ url, issuer, issuedAt, expiresAt }: UnsignedList): [number, Cbor][] => [
  [1, issuer],
  [2, url],
  [4, secondsOf(expiresAt)],
  [6, secondsOf(issuedAt)],
]

/** The list that claim -65537 of our credentials names, as a CWT. */
export const bitIndexList = (list: UnsignedList): ToSign => ({
  protected: new Map([[HEADER.kid, kidOf(list.keyUrl)]]),
  payload: encodeCbor(new Map([...claims(list), [BIT_INDEX_LIST, new Uint8Array(gzipSync(list.bits, { level: 9 }))]])),
})

/** The same statuses as a Status List Token in CWT format (section 5.2). */
export const statusListCwt = (list: UnsignedList): ToSign => ({
  protected: new Map<number, Cbor>([
    [HEADER.kid, kidOf(list.keyUrl)],
    [HEADER.typ, TOKEN_TYPES.cwt],
  ]),
  payload: encodeCbor(
    new Map<number, Cbor>([...claims(list), [TTL, list.ttlSeconds], [STATUS_LIST, tokenCbor(list.bits)]]),
  ),
})

const tokenCbor = (bits: Uint8Array): Cbor => new Map<string, Cbor>([['bits', 1], ['lst', tokenList(bits)]]) // biome-ignore format: one pair

/** The same statuses as a Status List Token in JWT format (section 5.1): its `typ` and claims. */
export const statusListJwt = (list: UnsignedList) => ({
  typ: 'statuslist+jwt',
  claims: {
    iss: list.issuer,
    sub: list.url,
    iat: secondsOf(list.issuedAt),
    exp: secondsOf(list.expiresAt),
    ttl: list.ttlSeconds,
    status_list: { bits: 1, lst: Buffer.from(tokenList(list.bits)).toString('base64url') },
  },
})

const malformed = (what: string) => new Refusal('status_list.malformed', `The status list is malformed: ${what}.`)

/** A verified list: whether an index is set. */
export interface ReadList {
  expiresAt?: Date
  /** Of the decompressed statuses. */
  bytes: number
  isSet(index: number): boolean
}

const unpack = async (bytes: Uint8Array, how: typeof gunzip | typeof inflate): Promise<Uint8Array> => {
  try {
    return await promisify<Uint8Array, typeof UNPACKED, Buffer>(how)(bytes, UNPACKED)
  } catch {
    throw malformed('its bits cannot be decompressed')
  }
}

/**
 * Reads and verifies a list in the form of a CWT that a credential names by the kind of its entry. Throws
 * `Refusal('status_list.…')`.
 */
export async function readList(
  bytes: Uint8Array,
  { kind, url }: StatusEntry,
  issuer: string,
  keyOf: (kid: string) => Promise<VerificationKey>,
  clock: Clock,
): Promise<ReadList> {
  const message = readCwt(bytes, BOUNDS)
  const map = claimsOf(message, BOUNDS)
  const { iss, sub, exp } = registeredClaims(map)
  const kid = message.protected.get(HEADER.kid)
  if (!(kid instanceof Uint8Array)) throw malformed('its protected header has no kid')
  if (iss !== undefined && iss !== issuer)
    throw new Refusal('status_list.mismatch', 'The status list is of another issuer.')
  if (coseFault(message, await keyOf(Buffer.from(kid).toString('utf8'))))
    throw new Refusal('status_list.not_verified', 'The signature of the status list is not one of the issuer.')
  const expiresAt = exp === undefined ? undefined : new Date(Math.min(exp, 8.64e12) * 1_000)
  if (expiresAt && hasCome(expiresAt, clock))
    throw new Refusal('status_list.not_verified', 'The status list has expired.')
  if (kind === 'bit-index') {
    const packed = map.get(BIT_INDEX_LIST)
    if (!(packed instanceof Uint8Array)) throw malformed(`it has no claim ${BIT_INDEX_LIST}`)
    const bits = await unpack(packed, gunzip)
    return { ...(expiresAt && { expiresAt }), bytes: bits.length, isSet: (index) => getBit(bits, index) }
  }
  if (sub !== url) throw new Refusal('status_list.mismatch', 'The sub of the status list differs from its URL.')
  const list = map.get(STATUS_LIST)
  const width = isCborMap(list) ? list.get('bits') : undefined
  const packed = isCborMap(list) ? list.get('lst') : undefined
  if (!(packed instanceof Uint8Array) || ![1, 2, 4, 8].includes(Number(width)))
    throw malformed('it has no status_list with bits and lst')
  const statuses = await unpack(packed, inflate)
  return {
    ...(expiresAt && { expiresAt }),
    bytes: statuses.length,
    isSet: (index) => statusAt(statuses, Number(width), index) !== 0,
  }
}

/** The status of an entry in a Token Status List (section 4.1). */
export function statusAt(statuses: Uint8Array, width: number, index: number): number {
  const place = index * width
  const byte = statuses[Math.floor(place / 8)]
  if (byte === undefined)
    throw new Refusal('status_list.index_out_of_range', 'The status index is outside the range of its list.')
  return (byte >> (place % 8)) & (2 ** width - 1)
}
