import type { CoseSign1 } from '../cose/sign1.ts'
import { isRecordableType, MAX_TYPE_BYTES } from '../credentials/types.ts'
import { momentOf } from '../dates.ts'
import type { FieldError } from '../errors.ts'
import { isObject, type Json, listOf, type Place, pointerTo, USABLE_TEXT, unusableTexts } from '../json.ts'
import { isReservedName } from '../names.ts'
import { wholeSeconds } from '../time.ts'
import { LAST_SECOND, type UnsignedClaims } from './claims.ts'
import { type ReadClaims, readCredentialClaims } from './cwt.ts'
import { malformed, type Profile } from './text.ts'

const V1 = 'https://www.w3.org/2018/credentials/v1'
const V2 = 'https://www.w3.org/ns/credentials/v2'
const BASE = 'VerifiableCredential'

/** Members of a credential that are claims of the CWT, by data model (VC Data Model 1.1, section 6.3.1). */
const DATES = {
  [V1]: { from: 'issuanceDate', until: 'expirationDate' },
  [V2]: { from: 'validFrom', until: 'validUntil' },
} as const

/** Members that a claim of the CWT stands for, in either data model. */
const CLAIMED: Readonly<Record<string, 'nbf' | 'exp'>> = {
  issuanceDate: 'nbf',
  validFrom: 'nbf',
  expirationDate: 'exp',
  validUntil: 'exp',
}

const isModel = (context: unknown): context is keyof typeof DATES => context === V1 || context === V2

const datesOf = (contexts: unknown) => {
  const [base] = listOf(contexts)
  return DATES[isModel(base) ? base : V1]
}

export interface UnsignedSemantic {
  claims: UnsignedClaims
  vc: Json
  types: string[]
  errors: FieldError[]
}

/** Errors of texts that are told. */
const MAX_TEXT_ERRORS = 20

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '' && value.length <= 2_048

/** One subject or several, each with a claim at least. */
const areSubjects = (value: unknown): boolean => {
  const subjects = listOf(value)
  return subjects.length > 0 && subjects.every((each) => isObject(each) && Object.keys(each).length > 0)
}

/** Places of members that no reader takes, because every object has one of the name. */
function reservedNames(value: unknown, place?: Place): Place[] {
  if (Array.isArray(value)) return value.flatMap((each, step) => reservedNames(each, { step, within: place }))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([step, member]) => {
    const here = { step, within: place }
    return isReservedName(step) ? [here] : reservedNames(member, here)
  })
}

/**
 * Reads a credential of the W3C, data model 1.1 or 2.0, that becomes a CWT: issuer and dates become claims, the rest is
 * the claim `vc`. Contexts are carried and not processed: the signature is over the bytes (D-284). Errors name JSON
 * pointers.
 */
export function readSemanticPayload(payload: Json): UnsignedSemantic {
  const errors: FieldError[] = []
  const report = (path: string, code: string, message: string) =>
    errors.push({ path, code: `credential.${code}`, message })
  const { '@context': given = [V1], type: givenTypes = [], issuer, ...rest } = payload
  const contexts = listOf(given)
  if (!isModel(contexts[0])) report('/@context/0', 'base_context', `expected ${V1} or ${V2}`)
  for (const [at, context] of contexts.entries())
    if (!isText(context) && !isObject(context)) report(`/@context/${at}`, 'context', 'expected a URL or an object')
  const types = listOf(givenTypes).filter(isText)
  if (types.length < listOf(givenTypes).length || types.length > 20 || !types.every(isRecordableType))
    report('/type', 'type', `expected at most 20 names of types, each of at most ${MAX_TYPE_BYTES} bytes in UTF-8`)
  const isNamed = isObject(issuer)
  const { id: iss, ...about } = isNamed ? issuer : { id: issuer }
  if (iss !== undefined && iss !== null && !isText(iss))
    report(isNamed ? '/issuer/id' : '/issuer', 'issuer', 'expected a DID')
  for (const member of ['id', 'proof', 'credentialStatus'])
    if (rest[member] !== undefined) report(`/${member}`, 'reserved', 'expected no such member: the platform sets it')
  const { from, until } = datesOf(contexts)
  for (const member of Object.keys(CLAIMED))
    if (member !== from && member !== until && rest[member] !== undefined)
      report(`/${member}`, 'date_model', `expected ${from} and ${until}, as the data model has them`)
  const seconds = (member: string): number | undefined => {
    const value = rest[member]
    if (value === undefined || value === null) return undefined
    const moment = momentOf(value, { zoneRequired: true })
    const time = moment && Math.floor(moment.getTime() / 1_000)
    if (time !== undefined && time >= 0 && time <= LAST_SECOND) return time
    report(`/${member}`, 'date_time', 'expected a date and time since 1970 such as 2027-01-31T09:30:00Z')
    return undefined
  }
  const [nbf, exp] = [seconds(from), seconds(until)]
  if (nbf !== undefined && exp !== undefined && exp <= nbf)
    report(`/${until}`, 'date_order', `expected a time after ${from}`)
  const { [from]: _from, [until]: _until, credentialSubject: subject, ...others } = rest
  if (!areSubjects(subject)) report('/credentialSubject', 'subject', 'expected an object with at least one claim')
  for (const place of reservedNames({ ...others, credentialSubject: subject }).slice(0, MAX_TEXT_ERRORS))
    report(pointerTo(place), 'name', 'expected a name that is not reserved, such as constructor is')
  for (const place of unusableTexts(payload).slice(0, MAX_TEXT_ERRORS)) report(pointerTo(place), 'text', USABLE_TEXT)
  const all = [BASE, ...types.filter((type) => type !== BASE)]
  return {
    claims: {
      ...(isText(iss) && { iss }),
      ...(nbf !== undefined && { nbf }),
      ...(exp !== undefined && { exp }),
    },
    vc: {
      '@context': contexts,
      type: all,
      ...(Object.keys(about).length > 0 && { issuer: about }),
      ...others,
      credentialSubject: subject,
    },
    types: all.slice(1),
    errors,
  }
}

const contradicts = (member: string, claim: string) =>
  malformed(`The member ${member} of the claim vc is not what the claim ${claim} says.`)

/** The times of a credential: its claims, and where it has none the dates of its vc, which must not differ. */
function timesOf(vc: Json, claims: ReadClaims['claims']): Pick<UnsignedClaims, 'nbf' | 'exp'> {
  const times = { ...(claims.nbf !== undefined && { nbf: claims.nbf }), ...(claims.exp !== undefined && { exp: claims.exp }) } // biome-ignore format: one line
  for (const [member, claim] of Object.entries(CLAIMED)) {
    if (vc[member] === undefined) continue
    const moment = momentOf(vc[member], { zoneRequired: false })
    if (!moment) throw malformed(`The member ${member} of the claim vc is no date and time.`)
    const seconds = Math.floor(moment.getTime() / 1_000)
    if (Math.floor(times[claim] ?? seconds) !== seconds) throw contradicts(member, claim)
    times[claim] ??= seconds
  }
  return times
}

/**
 * Reads a credential. Of a compact-semantic one, `vc` is checked: its types and subject, and that it does not contradict
 * the claims that stand for its members (D-337). Throws `Refusal('compact_credential.malformed')`.
 */
export function readCredential(message: CoseSign1, profile: Profile): ReadClaims {
  const read = readCredentialClaims(message, profile)
  const { vc, claims } = read
  if (!vc) return read
  const types = listOf(vc.type)
  if (!types.every(isText) || !types.includes(BASE)) throw malformed(`The claim vc has no type ${BASE}.`)
  if (!areSubjects(vc.credentialSubject)) throw malformed('The claim vc has no credentialSubject with a claim.')
  const issuer = isObject(vc.issuer) ? vc.issuer.id : vc.issuer
  if (issuer !== undefined && issuer !== claims.iss) throw contradicts('issuer', 'iss')
  if (vc.id !== undefined && claims.jti !== undefined && vc.id !== claims.jti) throw contradicts('id', 'cti')
  const subjects = listOf(vc.credentialSubject)
  const isAbout = (sub: string) => subjects.every((each) => isObject(each) && (each.id ?? sub) === sub)
  if (claims.sub !== undefined && !isAbout(claims.sub)) throw contradicts('credentialSubject', 'sub')
  return {
    ...read,
    claims: { ...claims, ...timesOf(vc, claims) },
    // a status of another kind beside ours, or in its place, is one that nobody checks
    ...(vc.credentialStatus !== undefined && { status: 'unknown' }),
  }
}

const dateOf = (seconds: number): string | number =>
  seconds >= 0 && seconds <= LAST_SECOND ? wholeSeconds(new Date(seconds * 1_000)) : seconds

/** The credential of the W3C that a CWT carries, with what stands in claims of the CWT. */
export function credentialOf({ claims, vc = {} }: ReadClaims): Json {
  const { '@context': contexts, id = claims.jti, type, issuer, ...more } = vc
  const { from, until } = datesOf(contexts)
  const rest = Object.fromEntries(Object.entries(more).filter(([name]) => !Object.hasOwn(CLAIMED, name)))
  return {
    '@context': contexts,
    ...(id !== undefined && { id }),
    type,
    issuer: { ...(isObject(issuer) && issuer), id: claims.iss },
    ...(claims.nbf !== undefined && { [from]: dateOf(claims.nbf) }),
    ...(claims.exp !== undefined && { [until]: dateOf(claims.exp) }),
    ...rest,
    ...(claims.status && { credentialStatus: claims.status }),
  }
}
