import { type CoseSign1, coseFault, HEADER, keyTypeOf } from '../cose/sign1.ts'
import { POLICY_REASONS, type PolicyReason } from '../credentials/policy.ts'
import { type ListedIssuer, NOT_LISTED, type TrustFinding, trustIn } from '../credentials/trust.ts'
import { verificationKey } from '../data-integrity/keys.ts'
import type { DidDocument } from '../dids/index.ts'
import { usableMethod } from '../dids/usable.ts'
import { type FieldError, isOutboundFault, Refusal } from '../errors.ts'
import { type Json, listOf } from '../json.ts'
import type { StatusState } from '../status-list/token.ts'
import { hasCome, isToCome, momentOfSeconds } from '../time.ts'
import type { CompactClaims } from './claims.ts'
import { type ReadClaims, readCwt, type StatusEntry } from './cwt.ts'
import { credentialOf, readCredential } from './semantic.ts'
import { fromText, PREFIXES, type Profile } from './text.ts'

export const ERROR_TYPES = [
  'PayloadInvalid',
  'UnsupportedAlgorithm',
  'IssuerNotTrusted',
  NOT_LISTED,
  ...POLICY_REASONS,
  'NotActive',
  'Expired',
  'IssuerPublicKeyInvalid',
  'SignatureInvalid',
  'Revoked',
  'UnsupportedRevocationType',
  'NetworkError',
] as const
export type ErrorType = (typeof ERROR_TYPES)[number]

/** Why a credential does not verify: the first check that failed. */
export interface VerificationError {
  type: ErrorType
  message: string
  details: FieldError[]
}

export interface CompactVerdict {
  verified: boolean
  /** What could be read, verified or not. */
  decoded?: Partial<CompactClaims> | Json
  error?: VerificationError
  /** Where a trust list has the issuer; absent: none is enforced, or none has it. */
  trust?: ListedIssuer
}

export interface VerificationRules {
  profile: Profile
  /** In place of the profile's: for credentials of other schemes. */
  prefix?: string
  now: Date
  toleranceMs: number
  assertExpiry: boolean
  assertNotBefore: boolean
  /** undefined: any issuer. */
  trustedIssuers?: readonly string[] | undefined
  /** Where trust lists have an issuer, or why they do not count it. Absent: none is enforced. */
  find?: ((issuer: string) => TrustFinding) | undefined
  /** Why the verifier may not rely on credentials of these types and this issuer. Absent: there is no policy. */
  reasonsAgainst?: (issuer: string, types: readonly string[]) => Promise<PolicyReason[]>
  resolveDid(did: string): Promise<DidDocument>
  /** Returns the state of the entry in its list; undefined: the status is not checked. */
  statusOf?: ((entry: StatusEntry, issuer: string) => Promise<StatusState>) | undefined
}

const failed = (type: ErrorType, message: string, details: FieldError[] = []): VerificationError => ({
  type,
  message,
  details,
})

/** The verdict on what contains no credential. */
export const notACredential = (message: string, details: FieldError[] = []): CompactVerdict => ({
  verified: false,
  error: failed('PayloadInvalid', message, details),
})

/** The DID URL that a `kid` names: by its fragment alone, or whole. */
export const keyUrlOf = (kid: string, issuer: string): string =>
  kid.startsWith('did:') ? kid : `${issuer}#${kid.replace(/^#/, '')}`

/** The DID URL of the issuer's key that signed; undefined where the header names none of the issuer's. */
function keyUrl(message: CoseSign1, issuer: string): string | undefined {
  const kid = message.protected.get(HEADER.kid)
  if (!(kid instanceof Uint8Array) || kid.length === 0 || kid.length > 2_048) return undefined
  const url = keyUrlOf(Buffer.from(kid).toString('utf8'), issuer)
  return url.startsWith(`${issuer}#`) ? url : undefined
}

/** The types of a credential of the W3C, or the one of a compact credential. */
const typesOf = ({ claims, vc }: ReadClaims): string[] =>
  (vc ? listOf(vc.type) : [claims.type]).filter((type): type is string => typeof type === 'string')

function timeError({ claims }: ReadClaims, rules: VerificationRules): VerificationError | undefined {
  const { nbf, exp } = claims
  if (rules.assertNotBefore && nbf !== undefined && isToCome(momentOfSeconds(nbf), rules))
    return failed('NotActive', 'The credential is not valid yet; see nbf.')
  if (rules.assertExpiry && exp !== undefined && hasCome(momentOfSeconds(exp), rules))
    return failed('Expired', 'The credential has expired; see exp.')
  return undefined
}

async function signatureError(message: CoseSign1, issuer: string, rules: VerificationRules) {
  const url = keyUrl(message, issuer)
  if (!url) return failed('PayloadInvalid', 'The protected header has no kid of a key of the issuer.')
  let key: ReturnType<typeof verificationKey>
  try {
    const { method, fault } = usableMethod(await rules.resolveDid(issuer), url, 'assertionMethod', rules)
    if (fault) return failed('IssuerPublicKeyInvalid', fault.message)
    key = verificationKey(method)
  } catch (error) {
    if (!(error instanceof Refusal || isOutboundFault(error))) throw error
    return failed('IssuerPublicKeyInvalid', `The issuer's key is not known: ${error.message}`)
  }
  const fault = coseFault(message, key)
  if (fault === 'key_unfit') return failed('IssuerPublicKeyInvalid', "The issuer's key is not one of the algorithm.")
  return fault && failed('SignatureInvalid', 'The signature is not one of the issuer over this credential.')
}

async function statusError({ status }: ReadClaims, issuer: string, { statusOf }: VerificationRules) {
  if (!statusOf || !status) return undefined
  if (status === 'unknown')
    return failed('UnsupportedRevocationType', 'The status of the credential is of a kind that is not supported.')
  try {
    const state = await statusOf(status, issuer)
    return state === 'valid' ? undefined : failed('Revoked', `The issuer has ${state} the credential.`)
  } catch (error) {
    if (isOutboundFault(error)) return failed('NetworkError', error.message)
    if (!(error instanceof Refusal)) throw error
    const isOfNetwork = error.code.startsWith('outbound.') || error.code === 'status_list.unavailable'
    return failed(isOfNetwork ? 'NetworkError' : 'UnsupportedRevocationType', error.message)
  }
}

/**
 * Verifies a credential of any issuer. The checks and their order are those of the platforms that made the format:
 * structure, algorithm, issuer, times, the issuer's key, signature; then the status, which is only asked of a credential
 * that is genuine. The first that fails is the error.
 */
export async function verifyCompact(text: string, rules: VerificationRules): Promise<CompactVerdict> {
  let message: CoseSign1
  let read: ReadClaims
  let decoded: CompactVerdict['decoded']
  try {
    message = readCwt(fromText(rules.prefix ?? PREFIXES[rules.profile], text))
    read = readCredential(message, rules.profile)
    decoded = read.vc ? credentialOf(read) : read.claims
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return notACredential(error.message, error.errors)
  }
  const { iss } = read.claims
  const finding = iss ? rules.find?.(iss) : undefined
  const error = await firstError()
  return { verified: error === undefined, decoded, ...(error && { error }), ...trustIn(finding) }

  async function firstError(): Promise<VerificationError | undefined> {
    if (!keyTypeOf(message) || message.protected.has(HEADER.crit) || message.unprotected.has(HEADER.crit))
      return failed(
        'UnsupportedAlgorithm',
        'The protected header names neither ES256 nor EdDSA, or critical parameters.',
      )
    if (!iss) return failed('PayloadInvalid', 'The credential has no issuer.')
    if (rules.trustedIssuers && !rules.trustedIssuers.includes(iss))
      return failed('IssuerNotTrusted', 'The issuer is not one of the trusted issuers.')
    if (finding && 'fault' in finding) return failed(NOT_LISTED, finding.fault)
    const [forbidden] = (await rules.reasonsAgainst?.(iss, typesOf(read))) ?? []
    if (forbidden) return failed(forbidden.type, forbidden.message)
    return (
      timeError(read, rules) ?? (await signatureError(message, iss, rules)) ?? (await statusError(read, iss, rules))
    )
  }
}
