import type { Json } from '../../data-integrity/index.ts'
import { isObject, listOf } from '../../json.ts'
import { methodId, type ProofRules } from '../proofs.ts'
import type { Reason } from '../reasons.ts'
import type { Verdict } from '../verify.ts'
import type { TrustedContexts } from '../warnings.ts'
import type { MeaningRequest } from './meaning.ts'
import type { PresentationQuery } from './queries.ts'

/** Every check of a presentation, in the order in which they are made and `reason` names the first that failed. */
export const PRESENTATION_CHECKS = [
  'form',
  'challenge',
  'domain',
  'request',
  'holderProof',
  'holder',
  'credentialForm',
  'credentialIssuer',
  'credentialProof',
  'credentialValidity',
  'credentialStatus',
  'holderBinding',
  'query',
] as const
export type CheckName = (typeof PRESENTATION_CHECKS)[number]

export interface Check {
  check: CheckName
  /** JSON pointer into the presentation; for a query its place in the template, such as `query.0.credentialQuery.0`. */
  path?: string
  outcome: 'passed' | 'failed' | 'skipped'
  /** What was found, for people. */
  evidence: string
}

/** What somebody asked for, under which a presentation is an answer. */
export interface Asked {
  /** Of the stored request, and whether it still takes an answer; a template asks without one. */
  request?: { id: string; state: 'open' | 'used' | 'expired' }
  domain?: string
  queries: PresentationQuery[]
  /** Contexts that a presentation and its credentials may have besides the known ones; undefined: any. */
  trustedContexts?: TrustedContexts
}

export interface PresentationToVerify extends Omit<ProofRules, 'purpose'> {
  /** From `normalisePresentation`. */
  presentation: Json
  /** What the proof must answer; undefined: whatever it answers. */
  challenge?: string
  domain?: string
  /** Whether nobody's expectation is enough. */
  requireChallenge?: boolean
  requireDomain?: boolean
  /** Contexts of the presentation's own that are not trusted; those of its credentials are found with the credentials. */
  untrusted?: Reason[]
  asked: Asked[]
  /** Subject = holder = who signed. False: the proofs alone, as the W3C's interface asks for. */
  bindHolder: boolean
  /** See `meansTheSame`. */
  means(request: MeaningRequest): Promise<boolean>
  /** All of a credential's own checks, its status among them. */
  verifyCredential(credential: unknown): Promise<Verdict>
}

/** The domains that a proof must be made for: the caller's, and those of what was asked. */
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

/** Text of a stranger, short enough for an answer. */
export const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

/** The proofs with the path of each. */
export function proofsOf({ proof }: Json): { proof: Json; path: string }[] {
  const at = (index: number) => (Array.isArray(proof) ? `/proof/${index}` : '/proof')
  return listOf(proof).flatMap((each, index) => (isObject(each) ? [{ proof: each, path: at(index) }] : []))
}

export const signerOf = (proof: Json): string => methodId(proof).split('#')[0] ?? ''
