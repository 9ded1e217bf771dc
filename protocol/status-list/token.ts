import { promisify } from 'node:util'
import { deflateSync, type gunzip, inflate } from 'node:zlib'
import { type Cbor, type CborBounds, type CborMap, encodeCbor, isCborMap } from '../cose/cbor.ts'
import { Refusal } from '../errors.ts'
import { momentOfSeconds } from '../time.ts'
import { unpacking } from './unpacking.ts'

/** Media types of a Status List Token (draft-ietf-oauth-status-list, section 5). */
export const TOKEN_TYPES = {
  jwt: 'application/statuslist+jwt',
  cwt: 'application/statuslist+cwt',
} as const

/** Claims of a CWT (RFC 8392, section 4; draft-ietf-oauth-status-list, section 5.2). */
export const CLAIM = { iss: 1, sub: 2, exp: 4, iat: 6, statusList: 65_533, ttl: 65_534 } as const

/** Bytes of a list's statuses at most; the bound stops compression bombs. */
const UNPACKED = { maxOutputLength: 16 * 1024 * 1024 }
/** Bytes of a published list that are read. */
export const LIST_BYTES = 4 * 1024 * 1024
/** Data items of a list as a CWT, most of them in the headers: the statuses are one byte string. */
const LIST_ITEMS = 1_000

/** What is read of a list as a CWT; a new one for each list. */
export const listBounds = (): CborBounds => ({
  code: 'status_list.malformed',
  maxBytes: LIST_BYTES,
  items: { left: LIST_ITEMS },
})

/** A list to sign: its bits with index 0 left-most in byte 0, as in all lists of the engine. */
export interface UnsignedToken {
  url: string
  /** Absent where the certificate of the signer says who it is. */
  issuer?: string
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
export const tokenList = (bits: Uint8Array): Uint8Array => deflateSync(reversed(bits), { level: 9 })

/** Claims that every list in the form of a CWT has. */
export const listClaims = ({ url, issuer, issuedAt, expiresAt }: UnsignedToken): [number, Cbor][] => [
  ...(issuer === undefined ? [] : [[CLAIM.iss, issuer] as [number, Cbor]]),
  [CLAIM.sub, url],
  [CLAIM.exp, secondsOf(expiresAt)],
  [CLAIM.iat, secondsOf(issuedAt)],
]

/** The payload of a Status List Token in CWT format (section 5.2). */
export const tokenCwtPayload = (list: UnsignedToken): Uint8Array =>
  encodeCbor(
    new Map<number, Cbor>([
      ...listClaims(list),
      [CLAIM.ttl, list.ttlSeconds],
      [CLAIM.statusList, new Map<string, Cbor>([['bits', 1], ['lst', tokenList(list.bits)]])], // biome-ignore format: one pair
    ]),
  )

/** The same statuses as a Status List Token in JWT format (section 5.1): its `typ` and claims. */
export const statusListJwt = (list: UnsignedToken) => ({
  typ: 'statuslist+jwt',
  claims: {
    ...(list.issuer !== undefined && { iss: list.issuer }),
    sub: list.url,
    iat: secondsOf(list.issuedAt),
    exp: secondsOf(list.expiresAt),
    ttl: list.ttlSeconds,
    status_list: { bits: 1, lst: Buffer.from(tokenList(list.bits)).toString('base64url') },
  },
})

export const malformedList = (what: string) =>
  new Refusal('status_list.malformed', `The status list is malformed: ${what}.`)

export async function unpack(bytes: Uint8Array, how: typeof gunzip | typeof inflate): Promise<Uint8Array> {
  try {
    return await unpacking(() => promisify<Uint8Array, typeof UNPACKED, Buffer>(how)(bytes, UNPACKED))
  } catch {
    throw malformedList('its bits cannot be decompressed')
  }
}

export type StatusState = 'valid' | 'revoked' | 'suspended'

/** Status types (section 7.1): VALID, INVALID, SUSPENDED. */
const STATES: readonly StatusState[] = ['valid', 'revoked', 'suspended']

/**
 * What a status says. Throws `Refusal('status_list.unknown_status')` for one that only its application knows: the credential
 * is not valid by it, and not known to be revoked.
 */
export function stateOf(value: number): StatusState {
  const state = STATES[value]
  if (state) return state
  throw new Refusal(
    'status_list.unknown_status',
    `The credential has the status ${value} in its list, which says neither that it is valid nor that it is revoked or suspended.`,
  )
}

/** A verified list. */
export interface ReadList {
  expiresAt?: Date
  /** Of the decompressed statuses. */
  bytes: number
  /** The status of an index. Throws `Refusal('status_list.index_out_of_range')`. */
  valueAt(index: number): number
  isSet(index: number): boolean
}

/** Statuses of so many bits each as a list. */
export const listOfStatuses = (statuses: Uint8Array, width: number): Omit<ReadList, 'expiresAt'> => {
  const valueAt = (index: number) => statusAt(statuses, width, index)
  return { bytes: statuses.length, valueAt, isSet: (index) => valueAt(index) !== 0 }
}

/** Throws `Refusal('status_list.mismatch')` for a list whose `sub` is not the address that the credential names. */
export function assertSubject(claims: CborMap, url: string): void {
  if (claims.get(CLAIM.sub) === url) return
  throw new Refusal('status_list.mismatch', 'The sub of the status list differs from its URL.')
}

/** Reads the statuses of a token's claims (section 5.2). Throws `Refusal('status_list.malformed' | '.mismatch')`. */
export async function readStatuses(claims: CborMap, url: string): Promise<Omit<ReadList, 'expiresAt'>> {
  assertSubject(claims, url)
  const list = claims.get(CLAIM.statusList)
  const width = isCborMap(list) ? Number(list.get('bits')) : 0
  const packed = isCborMap(list) ? list.get('lst') : undefined
  if (!(packed instanceof Uint8Array) || ![1, 2, 4, 8].includes(width))
    throw malformedList('it has no status_list with bits and lst')
  return listOfStatuses(await unpack(packed, inflate), width)
}

/** The end of a list by its claim `exp`. Throws `Refusal('status_list.malformed')` for an end that is no time. */
export function endOf(claims: CborMap): Date | undefined {
  const exp = claims.get(CLAIM.exp)
  if (exp === undefined) return undefined
  if (typeof exp !== 'number' || !Number.isFinite(exp)) throw malformedList('its exp is not a number of seconds')
  return momentOfSeconds(exp)
}

/** The status of an entry in a Token Status List (section 4.1). */
export function statusAt(statuses: Uint8Array, width: number, index: number): number {
  const place = index * width
  const byte = statuses[Math.floor(place / 8)]
  if (byte === undefined)
    throw new Refusal('status_list.index_out_of_range', 'The status index is outside the range of its list.')
  return (byte >> (place % 8)) & (2 ** width - 1)
}

/** A place in a Token Status List: `status_list` of a `status` (sections 6.1 and 6.2). */
export interface TokenEntry {
  index: number
  url: string
}
