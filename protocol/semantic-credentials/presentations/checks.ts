import type { ListedIssuer } from '../../credentials/trust.ts'
import type { Json } from '../../data-integrity/index.ts'
import { isObject, listOf } from '../../json.ts'
import type { OpenedPresentation } from '../enveloped/index.ts'
import { type ExpectedBinding, keyUrl } from '../enveloped/verify.ts'
import { methodId, type ProofRules } from '../proofs.ts'
import type { OptionalCheck, Reason } from '../reasons.ts'
import type { Verdict } from '../verify.ts'
import type { TrustedContexts } from '../warnings.ts'
import type { MeaningRequest } from './meaning.ts'
import type { PresentationQuery } from './queries.ts'

/** Every check of a presentation, in its order; `reason` names the first that failed. */
export const PRESENTATION_CHECKS = [
  'form',
  'challenge',
  'domain',
  'request',
  'holderProof',
  'holder',
  'credentialForm',
  'credentialIssuer',
  'credentialTrust',
  'credentialProof',
  'credentialValidity',
  'credentialStatus',
  'holderBinding',
  'query',
] as const
export type CheckName = (typeof PRESENTATION_CHECKS)[number]

export interface Check {
  check: CheckName
  /** JSON pointer into the presentation; for a query its path in the template, such as `query.0.credentialQuery.0`. */
  path?: string
  outcome: 'passed' | 'failed' | 'skipped'
  /** What the check found, for people. */
  evidence: string
  /** Where a trust list has the issuer: of a passed `credentialTrust`. */
  trust?: ListedIssuer
}

/** A stored request or a template that a presentation must match. */
export interface Asked {
  /** The stored request with its state; absent for a template. */
  request?: { id: string; state: 'open' | 'used' | 'expired' }
  domain?: string
  queries: PresentationQuery[]
  /** Contexts that are accepted in addition to the known ones; undefined: any. */
  trustedContexts?: TrustedContexts
}

export interface PresentationToVerify extends Omit<ProofRules, 'purpose'> {
  /** From `normalisePresentation`. */
  presentation: Json
  /** The envelope that the presentation came in; it stands in place of a proof. */
  envelope?: OpenedPresentation
  /** The presentation as it came, for proofs that sign the JSON itself. Default: `presentation`. */
  asSent?: Json
  /** The expected challenge; undefined: any. */
  challenge?: string
  domain?: string
  /** true: the check fails if no challenge is expected. */
  requireChallenge?: boolean
  requireDomain?: boolean
  /** Untrusted contexts of the presentation itself; those of its credentials are in their verdicts. */
  untrusted?: Reason[]
  asked: Asked[]
  /** true: subject, holder and signer must be the same. false: only the proofs count, as in the W3C VC API. */
  bindHolder: boolean
  /** Checks of the credentials that the caller leaves out; `verifyCredential` leaves them out too. */
  skip?: ReadonlySet<OptionalCheck>
  /** See `meansTheSame`. */
  means(request: MeaningRequest): Promise<boolean>
  /** Makes all checks of a credential, with its status. */
  verifyCredential(credential: unknown, binding?: ExpectedBinding): Promise<Verdict>
}

/** The domains that a proof must have: the caller's, and those of the requests. */
export const expectedDomains = ({ domain, asked }: Pick<PresentationToVerify, 'domain' | 'asked'>): string[] =>
  [...new Set([domain, ...asked.map((each) => each.domain)])].filter((each) => each !== undefined)

export const outcome =
  (outcome: Check['outcome']) =>
  (check: CheckName, evidence: string, path?: string): Check => ({
    check,
    ...(path !== undefined && { path }),
    outcome,
    evidence: evidence.slice(0, 1000),
  })
export const passed = outcome('passed')
export const failed = outcome('failed')
export const skipped = outcome('skipped')

/**
 * Whether the verifier itself names the exchange that a presentation is of. What the presenter has signed names only the
 * one that the presenter chose, which another holder may have answered (D-839).
 */
export const isExchangeExpected = (request: Pick<PresentationToVerify, 'challenge' | 'domain' | 'asked'>): boolean =>
  request.challenge !== undefined && expectedDomains(request).length > 0

export interface PlacedProof {
  proof: Json
  path: string
  /** JSON pointer to one of its members. */
  pathOf(member: 'challenge' | 'domain'): string
}

/** The proofs with the path of each. */
export function proofsOf({ proof }: Json): PlacedProof[] {
  const at = (index: number) => (Array.isArray(proof) ? `/proof/${index}` : '/proof')
  return listOf(proof).flatMap((each, index): PlacedProof[] => {
    const path = at(index)
    return isObject(each) ? [{ proof: each, path, pathOf: (member) => `${path}/${member}` }] : []
  })
}

/** DID of a holder, as the presentation names it. */
export const holderOf = ({ holder }: Json): unknown => (isObject(holder) ? holder.id : holder)

/** Whose key a `kid` without a DID names. */
export const controllerOf = ({ presentation }: OpenedPresentation): string | undefined => {
  const did = holderOf(presentation) ?? presentation.iss
  return typeof did === 'string' ? did : undefined
}

/**
 * Everything that says who presents: the proofs, and before them the envelope, whose `nonce` and `aud` are challenge and
 * domain.
 */
export function signaturesOf({
  presentation,
  envelope,
}: Pick<PresentationToVerify, 'presentation' | 'envelope'>): PlacedProof[] {
  const proofs = proofsOf(presentation)
  if (!envelope) return proofs
  const { mediaType, presentation: content } = envelope
  const proof = {
    type: mediaType,
    verificationMethod: keyUrl(envelope, controllerOf(envelope)),
    challenge: content.nonce,
    domain: content.aud,
  }
  return [{ proof, path: '/id', pathOf: () => '/id' }, ...proofs]
}

export const signerOf = (proof: Json): string => methodId(proof).split('#')[0] ?? ''

/**
 * What the key binding of a credential in a presentation must be for: the exchange of the presentation, so its expected
 * challenge and domains, or those that its holder has signed. Undefined where it has none: then no key binding counts.
 */
export function bindingOf(request: PresentationToVerify): ExpectedBinding | undefined {
  const [signed] = signaturesOf(request)
  const nonce = request.challenge ?? signed?.proof.challenge
  const domains = expectedDomains(request)
  const audience =
    domains.length > 0 ? domains : listOf(signed?.proof.domain).filter((each) => typeof each === 'string')
  if (typeof nonce !== 'string' || nonce === '' || audience.length === 0) return undefined
  return { session: { nonce, audience }, isRequired: false }
}
