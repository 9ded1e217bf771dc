import type { ListedIssuer, TrustFinding } from '../credentials/trust.ts'
import type { PublicJwk } from '../dids/jwk.ts'
import { isPrivateJwk } from '../dids/jwk.ts'
import { Refusal } from '../errors.ts'
import { isObject, type Json } from '../json.ts'
import { faulty } from './faults.ts'
import type { ReadJwt } from './read.ts'

/** Where the key of an issuer is found (draft-ietf-oauth-sd-jwt-vc-19, section 2.5). */
export type IssuerReference =
  /** Certificates in the header, in DER, the signer's own first. */
  | { by: 'x5c'; chain: Uint8Array[]; issuer?: string }
  /** `keyUrl`: the verification method that the `kid` names. */
  | { by: 'did'; issuer: string; keyUrl: string }
  /** JWT VC Issuer Metadata. */
  | { by: 'metadata'; issuer: string; kid?: string }

const MAX_CHAIN = 5
const MAX_NAME = 2_048

const refuse = (code: string, message: string) => faulty('IssuerKey', code, message)

function chainOf(x5c: unknown): Uint8Array[] {
  if (!Array.isArray(x5c) || x5c.length === 0 || x5c.length > MAX_CHAIN)
    throw refuse('x5c_form', `The x5c of the header is no list of 1 to ${MAX_CHAIN} certificates.`)
  return (x5c as unknown[]).map((each) => {
    const bytes = typeof each === 'string' ? Buffer.from(each, 'base64') : undefined
    if (!bytes || bytes.length === 0 || bytes.toString('base64') !== each)
      throw refuse('x5c_form', 'A certificate in the x5c of the header is not base64.')
    return bytes
  })
}

/**
 * Says by which of the mechanisms the key of an issuer is found: the header's certificates come first, then the form of
 * `iss` decides, so that nobody chooses another one for an issuer (section 7.2). Throws `Faulty`.
 */
export function issuerReference({ header, payload }: Pick<ReadJwt, 'header' | 'payload'>): IssuerReference {
  const { iss } = payload
  const { kid } = header
  if (iss !== undefined && (typeof iss !== 'string' || iss === '' || iss.length > MAX_NAME))
    throw refuse('iss_form', 'The iss is not a text.')
  if (kid !== undefined && (typeof kid !== 'string' || kid === '' || kid.length > MAX_NAME))
    throw refuse('kid_form', 'The kid of the header is not a text.')
  if (header.x5c !== undefined) {
    if (iss?.startsWith('did:')) throw refuse('issuer_ambiguous', 'The issuer is a DID, and the header has an x5c.')
    return { by: 'x5c', chain: chainOf(header.x5c), ...(iss !== undefined && { issuer: iss }) }
  }
  if (iss === undefined) throw refuse('issuer_missing', 'The credential has neither an iss nor an x5c.')
  if (iss.startsWith('did:')) {
    const keyUrl = kid === undefined ? undefined : kid.startsWith('did:') ? kid : `${iss}#${kid.replace(/^#/, '')}`
    if (!keyUrl?.startsWith(`${iss}#`)) throw refuse('kid_of_other', 'The kid of the header is no key of the issuer.')
    return { by: 'did', issuer: iss, keyUrl }
  }
  if (metadataUrlOf(iss) === undefined)
    throw refuse('issuer_unsupported', 'The issuer is neither a DID nor an https URL without query and fragment.')
  return { by: 'metadata', issuer: iss, ...(kid !== undefined && { kid }) }
}

export const METADATA_PATH = '/.well-known/jwt-vc-issuer'

/**
 * The address of an issuer's metadata (section 3.1): the well-known path between host and path. Undefined for what can
 * have none.
 */
export function metadataUrlOf(issuer: string): string | undefined {
  if (!issuer.startsWith('https://') || /[?#\s\\]/.test(issuer) || !URL.canParse(issuer)) return undefined
  const { origin, pathname, username, password } = new URL(issuer)
  if (username !== '' || password !== '') return undefined
  return `${origin}${METADATA_PATH}${pathname.replace(/\/$/, '')}`
}

/** JWT VC Issuer Metadata, as it is published (section 3.2). */
export interface IssuerMetadata {
  issuer: string
  jwks: { keys: (PublicJwk & { kid: string })[] }
}

/** Our own: the keys of an issuer by their names. */
export const issuerMetadata = (issuer: string, keys: readonly (PublicJwk & { kid: string })[]): IssuerMetadata => ({
  issuer,
  jwks: { keys: [...keys] },
})

const MAX_KEYS = 100

export const invalidMetadata = (message: string) => new Refusal('issuer_metadata.invalid', message)

/** Where the keys of metadata are. */
export type KeySource = { keys: Json[] } | { jwksUri: string }

/** Members of a key that say which one it is, and what it may be used for; no others are kept. */
const KEY_MEMBERS = ['kid', 'kty', 'crv', 'x', 'y', 'n', 'e', 'use', 'key_ops', 'alg'] as const
/** Characters of each at most: those of an RSA key of 16,384 bits. */
const MAX_MEMBER = 2_731
const MAX_OPERATIONS = 10

const isMember = (value: unknown): boolean => typeof value === 'string' && value.length <= MAX_MEMBER

/** A key without its other members; none where one that is kept has no usable value (RFC 7517, section 5). */
function keptKey(key: Json): Json[] {
  const kept: Json = {}
  for (const name of KEY_MEMBERS) {
    const value = key[name]
    if (value === undefined) continue
    const isKept =
      name === 'key_ops'
        ? Array.isArray(value) && value.length <= MAX_OPERATIONS && value.every(isMember)
        : isMember(value)
    if (!isKept) return []
    kept[name] = value
  }
  return [kept]
}

/**
 * The keys of a JWK Set (RFC 7517, section 5), each with the members that have a meaning here. Throws
 * `Refusal('issuer_metadata.invalid')`.
 */
export function readKeySet(set: unknown): Json[] {
  const keys = isObject(set) ? set.keys : undefined
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > MAX_KEYS || !keys.every(isObject))
    throw invalidMetadata(`The key set of the issuer is no list of 1 to ${MAX_KEYS} keys.`)
  if (keys.some(isPrivateJwk)) throw invalidMetadata('The key set of the issuer has a private key.')
  return keys.flatMap(keptKey)
}

/** Reads metadata of others (section 3.2 and 3.3). Throws `Refusal('issuer_metadata.invalid' | '.of_other')`. */
export function readIssuerMetadata(metadata: unknown, issuer: string): KeySource {
  if (!isObject(metadata)) throw invalidMetadata('The metadata of the issuer is no JSON object.')
  if (metadata.issuer !== issuer)
    throw new Refusal('issuer_metadata.of_other', 'The metadata of the issuer names another issuer.')
  const { jwks, jwks_uri: jwksUri } = metadata
  if ((jwks === undefined) === (jwksUri === undefined))
    throw invalidMetadata('The metadata of the issuer has not exactly one of jwks and jwks_uri.')
  if (jwks !== undefined) return { keys: readKeySet(jwks) }
  if (typeof jwksUri !== 'string' || !jwksUri.startsWith('https://') || !URL.canParse(jwksUri))
    throw invalidMetadata('The jwks_uri of the issuer is no https URL.')
  return { jwksUri }
}

/**
 * The key that a `kid` names; without a kid the only one. Throws `Refusal('issuer_metadata.key_missing')`, also where
 * several have the name.
 */
export function chooseKey(keys: readonly Json[], kid: string | undefined): Json {
  const named = kid === undefined ? keys : keys.filter((key) => key.kid === kid)
  const fit = named.filter(({ use, key_ops }) => (use === undefined || use === 'sig') && mayVerify(key_ops))
  const [key] = fit
  if (key && fit.length === 1) return key
  throw new Refusal(
    'issuer_metadata.key_missing',
    kid === undefined
      ? 'The header has no kid, and the issuer has not exactly one key.'
      : 'The issuer has not exactly one key with the kid of the header.',
  )
}

const mayVerify = (operations: unknown): boolean =>
  operations === undefined || (Array.isArray(operations) && operations.includes('verify'))

/** Where a trust list has the issuer. Throws `Faulty` where none has. */
export function listedBy(finding: TrustFinding): ListedIssuer {
  if ('fault' in finding) throw faulty('Trust', 'issuer_not_listed', finding.fault)
  return finding.listed
}
