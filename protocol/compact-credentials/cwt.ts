import { type Cbor, type CborBounds, type CborMap, decodeCbor, encodeCbor, isCborMap, isTag } from '../cose/cbor.ts'
import { type CoseSign1, coseSign1Of, HEADER } from '../cose/sign1.ts'
import type { Json } from '../json.ts'
import { isReservedName } from '../names.ts'
import { CLAIM as LIST_CLAIM } from '../status-list/token.ts'
import { uuidOfHex } from '../uuid.ts'
import {
  type ClaimValue,
  type CompactClaims,
  isClaimValue,
  isOwnName,
  MAX_CLAIMS,
  type StatusReference,
} from './claims.ts'
import { malformed, type Profile } from './text.ts'

/** Labels of claims (RFC 8392, section 4). */
const LABELS = { iss: 1, sub: 2, aud: 3, exp: 4, nbf: 5, iat: 6 } as const
const CTI = 7
/** The status as credentials of this kind elsewhere have it: a map of index (2) and address of the list (3). */
const STATUS = -65_537
const [STATUS_INDEX, STATUS_URL] = [2, 3]
/** The status of Token Status List (draft-ietf-oauth-status-list, section 6.2; IANA: CWT claim `status`). */
const TOKEN_STATUS = 65_535

/** The bits, gzipped, in a list that credentials name by claim -65537. */
export const BIT_INDEX_LIST = -65_538

/** `typ` of a CWT without a type of its own: its media type, or that type's number (RFC 9596; IANA, CoAP formats). */
const PLAIN_TYPES: readonly unknown[] = ['application/cwt', 'cwt', 61]

/** A CWT, also one whose COSE tag is in it (RFC 8392, section 6). */
const CWT_TAG = 61
/** An array of unsigned bytes (RFC 8746): how others write their `cti`. */
const BYTES_TAG = 64

const CODE = 'compact_credential.malformed'
/** Bytes of a credential or a list that are read. */
const BOUNDS: CborBounds = { code: CODE, maxBytes: 10_000 }

/** Place of a credential in a status list of either kind. */
export interface StatusEntry {
  kind: 'bit-index' | 'token'
  index: number
  url: string
}

/** Claims of a credential that was read. */
export interface ReadClaims {
  claims: Omit<CompactClaims, 'iss'> & { iss?: string }
  /** The credential of the W3C in it, of profile compact-semantic. */
  vc?: Json
  /** Undefined for a credential without a status; `unknown` for a status of a kind that we do not know. */
  status?: StatusEntry | 'unknown'
}

const isInteger = (value: Cbor | undefined): value is number => Number.isSafeInteger(value)

/** Bytes of an id as texts: base64url, and a UUID's URN in credentials of the W3C. */
const jtiOf = (bytes: Uint8Array, profile: Profile): string => {
  const hex = Buffer.from(bytes).toString('hex')
  if (profile === 'compact' || bytes.length !== 16) return Buffer.from(bytes).toString('base64url')
  return `urn:uuid:${uuidOfHex(hex)}`
}

/** The 16 bytes of a UUID. */
export const bytesOfUuid = (uuid: string): Uint8Array => Buffer.from(uuid.replaceAll('-', ''), 'hex')

/** The id of a credential as its claims have it. */
export const jtiOfUuid = (uuid: string, profile: Profile): string => jtiOf(bytesOfUuid(uuid), profile)

/** Returns the payload of a credential. The status stands in it twice, once for each kind of reader (D-283). */
export function encodeClaims(
  uuid: string,
  { iss, sub, aud, exp, nbf, iat, type, property_set: own = {} }: Omit<CompactClaims, 'jti' | 'status'>,
  { vc, status }: { vc?: Json | undefined; status?: StatusReference | undefined },
): Uint8Array {
  const registered = Object.entries({ iss, sub, aud, exp, nbf, iat }).flatMap(([name, value]) =>
    value === undefined ? [] : [[LABELS[name as keyof typeof LABELS], value] as const],
  )
  const map: CborMap = new Map<number | string, Cbor>(registered)
  map.set(CTI, bytesOfUuid(uuid))
  if (type !== undefined) map.set('type', type)
  for (const [name, value] of Object.entries(own)) map.set(name, value)
  if (vc) map.set('vc', toCbor(vc))
  if (status) {
    const index = Number(status.index)
    map.set(STATUS, new Map<number, Cbor>([[STATUS_INDEX, index], [STATUS_URL, status.url]])) // biome-ignore format: one entry
    const entry = new Map<string, Cbor>([['idx', index], ['uri', status.url]]) // biome-ignore format: one entry
    map.set(TOKEN_STATUS, new Map([['status_list', entry]]))
  }
  return encodeCbor(map)
}

/** JSON as CBOR: objects as maps. */
export function toCbor(value: unknown): Cbor {
  if (Array.isArray(value)) return value.map(toCbor)
  if (typeof value === 'object' && value !== null)
    return new Map(Object.entries(value).map(([name, member]) => [name, toCbor(member)]))
  return value as string | number | boolean | null
}

/** CBOR as JSON: maps of texts as objects. Throws for what JSON does not have. */
function toJson(value: Cbor): unknown {
  if (Array.isArray(value)) return value.map(toJson)
  if (isCborMap(value))
    return Object.fromEntries(
      [...value].map(([name, member]) => {
        if (typeof name !== 'string' || isReservedName(name))
          throw malformed('A member of the claim vc has a name that is no text, or is reserved.')
        return [name, toJson(member)]
      }),
    )
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw malformed('The claim vc has a value that JSON does not have.')
}

/** Reads a CWT that COSE_Sign1 protects (RFC 8392, section 7.2). Throws `Refusal('compact_credential.malformed')`. */
export function readCwt(bytes: Uint8Array, bounds = BOUNDS): CoseSign1 {
  const item = decodeCbor(bytes, bounds)
  return coseSign1Of(isTag(item) && item.tag === CWT_TAG ? (item.contents as Cbor) : item, bounds)
}

/** The claims of a CWT by their labels. */
export function claimsOf({ payload }: CoseSign1, bounds = BOUNDS): CborMap {
  if (payload === undefined) throw malformed('The CWT has no payload.')
  const claims = decodeCbor(payload, bounds)
  if (!isCborMap(claims)) throw malformed('The payload of the CWT is not a map of claims.')
  return claims
}

/** The claims of every CWT, with their names. */
export function registeredClaims(map: CborMap): Omit<CompactClaims, 'iss'> & { iss?: string } {
  const claims: Record<string, ClaimValue> = {}
  for (const [name, label] of Object.entries(LABELS)) {
    const value = map.get(label)
    if (value === undefined) continue
    const isText = label <= LABELS.aud
    if (isText ? typeof value !== 'string' : typeof value !== 'number' || !Number.isFinite(value))
      throw malformed(`The claim ${name} is not a ${isText ? 'text' : 'number of seconds'}.`)
    claims[name] = value as string | number
  }
  return claims
}

const entryOf = (kind: StatusEntry['kind'], index: Cbor | undefined, url: Cbor | undefined): StatusEntry => {
  if (isInteger(index) && index >= 0 && typeof url === 'string' && URL.canParse(url)) return { kind, index, url }
  throw malformed('The status has no index of 0 or more, or no URL of a list.')
}

function statusOf(map: CborMap): StatusEntry | 'unknown' | undefined {
  const own = map.get(STATUS)
  if (own !== undefined) {
    if (!isCborMap(own)) throw malformed('The status is not a map.')
    return entryOf('bit-index', own.get(STATUS_INDEX), own.get(STATUS_URL))
  }
  const status = map.get(TOKEN_STATUS)
  if (status === undefined) return undefined
  if (!isCborMap(status)) throw malformed('The status is not a map.')
  const list = status.get('status_list')
  if (list === undefined) return 'unknown'
  if (!isCborMap(list)) throw malformed('The status_list of the status is not a map.')
  return entryOf('token', list.get('idx'), list.get('uri'))
}

function ctiOf(map: CborMap): Uint8Array | undefined {
  const value = map.get(CTI)
  const bytes = isTag(value) && value.tag === BYTES_TAG ? value.contents : value
  if (bytes === undefined || (bytes instanceof Uint8Array && bytes.length <= 64)) return bytes
  throw malformed('The claim cti is not a byte string of at most 64 bytes.')
}

/**
 * Throws for a CWT of another kind, such as a status list, which the same key signs (RFC 8725, section 3.11, and RFC
 * 9596): by its `typ`, and by the claims of lists, which need not have one (D-338).
 */
function assertCredential({ protected: header, unprotected }: CoseSign1, map: CborMap): void {
  const typ = header.get(HEADER.typ) ?? unprotected.get(HEADER.typ)
  if (typ !== undefined && !PLAIN_TYPES.includes(typeof typ === 'string' ? typ.toLowerCase() : typ))
    throw malformed('The typ of the CWT is not that of a credential.')
  if (map.has(BIT_INDEX_LIST) || map.has(LIST_CLAIM.statusList))
    throw malformed('The CWT is a status list and no credential.')
}

/** Reads the claims of a credential. Throws `Refusal('compact_credential.malformed')`. */
export function readCredentialClaims(message: CoseSign1, profile: Profile): ReadClaims {
  const map = claimsOf(message)
  assertCredential(message, map)
  const claims: ReadClaims['claims'] = registeredClaims(map)
  const cti = ctiOf(map)
  if (cti) claims.jti = jtiOf(cti, profile)
  const own: [string, ClaimValue][] = []
  for (const [name, value] of map) {
    if (typeof name !== 'string' || name === 'vc') continue
    if (name === 'type' && typeof value === 'string') claims.type = value
    else if (isOwnName(name) && isClaimValue(value)) own.push([name, value])
    else throw malformed('A claim has a reserved name, or a value that is no text, number, true or false.')
  }
  if (own.length > MAX_CLAIMS) throw malformed(`The credential has more than ${MAX_CLAIMS} claims.`)
  if (own.length > 0) claims.property_set = Object.fromEntries(own)
  const status = statusOf(map)
  if (typeof status === 'object') claims.status = { index: String(status.index), url: status.url }
  const vc = map.get('vc')
  if ((vc !== undefined) !== (profile === 'compact-semantic') || (vc !== undefined && !isCborMap(vc)))
    throw malformed(profile === 'compact' ? 'A compact credential has no claim vc.' : 'The claim vc is not a map.')
  return { claims, ...(vc !== undefined && { vc: toJson(vc) as Json }), ...(status && { status }) }
}
