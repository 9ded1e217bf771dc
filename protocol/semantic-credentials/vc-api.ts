import type { Json } from '../data-integrity/index.ts'
import type { PublicJwk } from '../dids/jwk.ts'
import { type FieldError, firstFault, Refusal } from '../errors.ts'
import { isObject, listOf } from '../json.ts'
import { boundsErrors } from './bounds.ts'
import { BASE_CONTEXT, credentialErrors } from './checks.ts'
import type { DisclosureTerms } from './enveloped/disclosure.ts'
import { OPTIONAL_CHECKS, type OptionalCheck } from './reasons.ts'
import { readStatusRequests, type StatusRequest, unusable } from './vc-api.status.ts'
import { type TrustedContexts, trustedContextsErrors } from './warnings.ts'

/** Options of a W3C VC API request; unknown members are ignored. */
export interface VcApiOptions {
  /** A cryptosuite, or the type of an older proof. */
  proofType?: string
  mandatoryPointers?: string[]
  selectivePointers?: string[]
  presentationHeader?: string
  challenge?: string
  domain?: string
  verificationMethod?: string
  /** Our extension: trusted contexts in addition to the bundled and the registered ones. */
  trustedContexts?: TrustedContexts
  /** Our extension: terms of vc+sd-jwt. */
  disclosure: DisclosureTerms
  /** The requested status entries: `credentialStatus` {type, statusPurpose, …} (VC API 0.3, Issue Credential). */
  statuses: StatusRequest[]
}

const MAX_POINTERS = 200

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

function texts(options: Json, name: string): string[] | undefined {
  const value = options[name]
  if (value === undefined || value === null) return undefined
  const usable = Array.isArray(value) && value.length <= MAX_POINTERS && value.every((each) => typeof each === 'string')
  if (!usable) throw unusable(`options.${name}`, `at most ${MAX_POINTERS} JSON pointers (RFC 6901)`)
  return value
}

function text(options: Json, name: string): string | undefined {
  const value = options[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string' || value.length > 4096) throw unusable(`options.${name}`, 'text')
  return value
}

function contexts(options: Json): TrustedContexts | undefined {
  const value = options.trustedContexts
  if (value === undefined || value === null) return undefined
  const [error] = trustedContextsErrors(value)
  if (error) throw unusable(`options.${error.path}`, error.message.replace(/^expected /, ''))
  return value as TrustedContexts
}

/** What the paths lead to is checked with the credential. */
function disclosureIn({ selectively, decoys, holderKey }: Json): DisclosureTerms {
  const isPaths = Array.isArray(selectively) && selectively.every(Array.isArray)
  if (isGiven(selectively) && !isPaths) throw unusable('options.selectively', 'a list of claim paths')
  if (isGiven(decoys) && typeof decoys !== 'number') throw unusable('options.decoys', 'a whole number')
  if (isGiven(holderKey) && !isObject(holderKey)) throw unusable('options.holderKey', 'a public JSON Web Key')
  return {
    ...(isPaths && { selectively }),
    ...(typeof decoys === 'number' && { decoys }),
    ...(isObject(holderKey) && { holderKey: holderKey as PublicJwk }),
  }
}

/** Reads the `options` of a VC API request. Throws `Refusal('request.invalid')`, which names the option. */
export function readVcApiOptions(options: Json = {}): VcApiOptions {
  const proofType = text(options, 'cryptosuite') ?? text(options, 'type')
  const all = {
    proofType: proofType === 'DataIntegrityProof' ? undefined : proofType,
    mandatoryPointers: texts(options, 'mandatoryPointers'),
    selectivePointers: texts(options, 'selectivePointers'),
    presentationHeader: text(options, 'presentationHeader'),
    challenge: text(options, 'challenge'),
    domain: text(options, 'domain'),
    verificationMethod: text(options, 'verificationMethod'),
    trustedContexts: contexts(options),
  }
  const present = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
  return { ...present, disclosure: disclosureIn(options), statuses: readStatusRequests(options.credentialStatus) }
}

/** Names of `options.checks`. */
export const CHECKS = ['proof', ...OPTIONAL_CHECKS] as const

/**
 * Reads the checks that the `checks` of a verification leave out: it names what is wanted, always with `proof`, and
 * without it every check is made. Throws `Refusal('request.invalid')` for names of other checks.
 */
export function readSkipped({ checks }: Json = {}): ReadonlySet<OptionalCheck> {
  if (checks === undefined || checks === null) return new Set()
  const isKnown = (name: unknown) => CHECKS.some((check) => check === name)
  if (!Array.isArray(checks) || checks.length > MAX_POINTERS || !checks.every(isKnown) || !checks.includes('proof'))
    throw unusable('options.checks', `a list with proof, and at most ${OPTIONAL_CHECKS.join(', ')} beside it`)
  return new Set(OPTIONAL_CHECKS.filter((check) => !checks.includes(check)))
}

/**
 * Checks that a credential is complete: a VC API issuer signs it as it is. Throws
 * `Refusal('credential.malformed' | 'credential.invalid')` with every breach of the data model.
 */
export function assertWhole(credential: Json): void {
  const bounds = boundsErrors(credential)
  if (bounds.length > 0)
    throw new Refusal('credential.malformed', `The credential is not valid: ${firstFault(bounds)}.`, bounds)
  const model = listOf(credential['@context'])[0] === BASE_CONTEXT['1.1'] ? '1.1' : '2.0'
  const errors = credentialErrors(credential, model)
  if (errors.length > 0)
    throw new Refusal('credential.invalid', `The credential is not valid: ${firstFault(errors)}.`, errors)
}

/**
 * Returns errors for an expected challenge or domain that a proof does not have (VC Data Integrity 1.0, section 4.4), and where
 * no proof could have it: a credential in an envelope answers nothing.
 */
export function answerErrors(
  { proof }: Json,
  { challenge, domain }: Pick<VcApiOptions, 'challenge' | 'domain'>,
): FieldError[] {
  const proofs = listOf(proof).filter(isObject)
  const isUnproved = proofs.length === 0
  const wrong = (member: string, message: string): FieldError => ({ path: `/proof/${member}`, code: 'Proof', message })
  return [
    ...(challenge !== undefined && (isUnproved || proofs.some((each) => each.challenge !== challenge))
      ? [wrong('challenge', 'is not the expected challenge')]
      : []),
    ...(domain !== undefined && (isUnproved || proofs.some((each) => !listOf(each.domain).includes(domain)))
      ? [wrong('domain', 'is not the expected domain')]
      : []),
  ]
}
