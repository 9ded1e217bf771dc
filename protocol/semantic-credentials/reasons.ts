import { POLICY_REASONS } from '../credentials/policy.ts'
import { NOT_LISTED } from '../credentials/trust.ts'
import type { Json } from '../data-integrity/index.ts'
import { momentOf } from '../dates.ts'
import { isOutboundFault, Refusal, type Unavailable } from '../errors.ts'
import { listOf } from '../json.ts'
import { type Clock, hasCome, isToCome } from '../time.ts'

/** Every check that can fail, as `reason[].type` names it. */
const REASONS = [
  'Syntax',
  'Context',
  'UntrustedContext',
  'Issuer',
  'IssuerNotTrusted',
  NOT_LISTED,
  ...POLICY_REASONS,
  'Proof',
  'NotYetValid',
  'Expired',
  'Revoked',
  'Suspended',
  'StatusUnavailable',
] as const
export type ReasonType = (typeof REASONS)[number]

/** Checks of a credential that a caller may leave out; its form and its proofs are checked always. */
export const OPTIONAL_CHECKS = ['credentialIssuer', 'credentialValidity', 'credentialStatus'] as const
export type OptionalCheck = (typeof OPTIONAL_CHECKS)[number]

export interface Reason {
  type: ReasonType
  /** Of an enveloped credential: what is wrong with its envelope, `envelope.*`. */
  code?: string
  message: string
}

export type StatusVerdict = { state: 'valid' | 'revoked' | 'suspended' } | { state: 'unavailable'; message: string }

/** Reads the status of one `credentialStatus` entry. Its `Refusal` or `Unavailable` becomes `StatusUnavailable`. */
export type StatusCheck = (entry: Json, credential: Json) => Promise<StatusVerdict>

/** Whether an error of an outbound call is a verdict for the caller, and no fault of ours. */
export const foreseen = (error: unknown): error is Refusal | Unavailable =>
  error instanceof Refusal || isOutboundFault(error)

/** Checks the dates of both data models: one that is null or empty must not hide the other. */
export function timeReasons(credential: Json, clock: Clock): Reason[] {
  const moments = (...members: string[]): Date[] =>
    members.flatMap((member) => momentOf(credential[member], { zoneRequired: false }) ?? [])
  const reasons: Reason[] = []
  for (const from of moments('validFrom', 'issuanceDate'))
    if (isToCome(from, clock))
      reasons.push({ type: 'NotYetValid', message: `The credential is valid from ${from.toISOString()}.` })
  for (const until of moments('validUntil', 'expirationDate'))
    if (hasCome(until, clock))
      reasons.push({ type: 'Expired', message: `The credential expired at ${until.toISOString()}.` })
  return reasons
}

export async function statusReasons(credential: Json, status: StatusCheck | undefined): Promise<Reason[]> {
  const unavailable = (message: string): Reason => ({ type: 'StatusUnavailable', message })
  const one = async (entry: unknown): Promise<Reason[]> => {
    if (status === undefined) return [unavailable('The status of the credential cannot be checked here.')]
    try {
      const verdict = await status(Object(entry), credential)
      if (verdict.state === 'unavailable') return [unavailable(verdict.message)]
      if (verdict.state === 'revoked') return [{ type: 'Revoked', message: 'The issuer has revoked the credential.' }]
      return verdict.state === 'suspended'
        ? [{ type: 'Suspended', message: 'The issuer has suspended the credential.' }]
        : []
    } catch (error) {
      if (!foreseen(error)) throw error
      return [unavailable(error.message)]
    }
  }
  return (await Promise.all(listOf(credential.credentialStatus).map(one))).flat()
}
