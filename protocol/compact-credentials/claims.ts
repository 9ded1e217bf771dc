import { isRecordableType, MAX_TYPE_BYTES } from '../credentials/types.ts'
import type { FieldError } from '../errors.ts'
import { isObject, isUsableText, type Json, referenceToken, USABLE_TEXT } from '../json.ts'
import { isReservedName } from '../names.ts'

export type ClaimValue = string | number | boolean

/** Claims of a credential as the API shows them. */
export interface CompactClaims {
  iss: string
  sub?: string
  aud?: string
  /** Seconds since 1970-01-01T00:00:00Z (RFC 8392, NumericDate). */
  exp?: number
  nbf?: number
  iat?: number
  /** 16 bytes in base64url. */
  jti?: string
  type?: string
  /** Claims of the issuer's own. */
  property_set?: Record<string, ClaimValue>
  status?: StatusReference
}

/** Place in a status list; the index is a decimal number. */
export interface StatusReference {
  index: string
  url: string
}

/** Claims before they are signed; without `iss` the tenant's default issuer signs. */
export type UnsignedClaims = Omit<CompactClaims, 'iss' | 'jti' | 'status'> & { iss?: string }

export const TIMES = ['exp', 'nbf', 'iat'] as const
export const TEXTS = ['iss', 'sub', 'aud', 'type'] as const
/** Names with a meaning of their own in a CWT, in a JWT, or here. */
const REGISTERED: ReadonlySet<string> = new Set([...TIMES, ...TEXTS, 'jti', 'cti', 'status', 'vc', 'property_set'])

/** The end of the year 9999, after which a date has no text. */
export const LAST_SECOND = 253_402_300_799
const MAX_CLAIM_TEXT = 2_048
const MAX_TYPE = 1_024
const MAX_NAME = 128
export const MAX_CLAIMS = 100

export const isClaimValue = (value: unknown): value is ClaimValue =>
  typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))

/** Whether a claim of the issuer's own may have the name. */
export const isOwnName = (name: string): boolean =>
  name.length > 0 && name.length <= MAX_NAME && !REGISTERED.has(name) && !isReservedName(name)

export const isTime = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= LAST_SECOND

const isLineOf = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= most && isUsableText(value)

type Report = (path: string, code: string, message: string) => void

/** The claims under names without a meaning of their own; `at` is where they stand. */
function ownClaims(
  claims: Json,
  at: string,
  report: Report,
  isSkipped: (name: string) => boolean,
): [string, ClaimValue][] {
  const own: [string, ClaimValue][] = []
  for (const name of Object.keys(claims)) {
    if (isSkipped(name)) continue
    const value = claims[name]
    if (!isUsableText(name)) {
      report(at, 'text', `${USABLE_TEXT} in names`)
      continue
    }
    const refuse = (code: string, message: string) => report(`${at}/${referenceToken(name)}`, code, message)
    if (!isOwnName(name)) {
      refuse('name', `expected a name of 1 to ${MAX_NAME} characters that is not reserved`)
    } else if (!isClaimValue(value)) {
      refuse('value', 'expected a text, a number or true or false')
    } else if (typeof value === 'string' && value.length > MAX_CLAIM_TEXT) {
      refuse('length', `expected at most ${MAX_CLAIM_TEXT} characters`)
    } else if (typeof value === 'string' && !isUsableText(value)) {
      refuse('text', USABLE_TEXT)
    } else own.push([name, value])
  }
  return own
}

const isRegistered = (name: string): boolean => REGISTERED.has(name)

/**
 * Reads the claims of a sign request. Claims of the issuer's own stand in `property_set`, or beside the others as other
 * platforms write them (D-281). Errors name JSON pointers.
 */
export function readClaims(payload: Json): { claims: UnsignedClaims; errors: FieldError[] } {
  const errors: FieldError[] = []
  const report: Report = (path, code, message) => errors.push({ path, code: `claim.${code}`, message })
  const set = payload.property_set
  const claims: Json = {}
  for (const name of TEXTS) {
    const value = payload[name]
    if (value === undefined || value === null) continue
    const [most, isShort] = name === 'type' ? [MAX_TYPE, isRecordableType] : [MAX_CLAIM_TEXT, () => true]
    if (isLineOf(value, most) && isShort(value)) claims[name] = value
    else {
      const bytes = name === 'type' ? `, at most ${MAX_TYPE_BYTES} bytes in UTF-8` : ''
      report(`/${name}`, 'text', `expected a text of 1 to ${most} characters${bytes}`)
    }
  }
  for (const name of TIMES) {
    const value = payload[name]
    if (value === undefined || value === null) continue
    if (isTime(value)) claims[name] = value
    else report(`/${name}`, 'time', 'expected whole seconds since 1970-01-01T00:00:00Z')
  }
  for (const name of ['jti', 'cti', 'status', 'vc'])
    if (payload[name] !== undefined) report(`/${name}`, 'reserved', 'expected no such member: the platform sets it')
  const beside = ownClaims(payload, '', report, isRegistered)
  const inSet = isObject(set) ? ownClaims(set, '/property_set', report, () => false) : []
  const own = beside.length === 0 ? inSet : [...beside, ...inSet]
  if (set !== undefined && set !== null && !isObject(set))
    report('/property_set', 'object', 'expected an object of claims')
  if (beside.length > 0 && new Set(own.map(([name]) => name)).size < own.length)
    report('/property_set', 'twice', 'expected no name that also stands beside property_set with the claims')
  if (own.length > MAX_CLAIMS) report('/property_set', 'too_many', `expected at most ${MAX_CLAIMS} claims`)
  const { exp, nbf } = claims
  if (isTime(exp) && isTime(nbf) && exp <= nbf) report('/exp', 'time_order', 'expected a time after nbf')
  const propertySet = own.length > 0 ? { property_set: Object.fromEntries(own) } : {}
  return { claims: { ...claims, ...propertySet }, errors }
}
