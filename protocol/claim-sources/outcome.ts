import type { ClaimRoots } from '../credentials/claim-paths.ts'
import type { Json } from '../json.ts'

/** For whom claims are fetched, and until when somebody waits for them. */
export interface ClaimsSubject extends ClaimRoots {
  tenantId: string
  claimSourceId: string
  /** Of the request that needs the claims, for the log. */
  requestId: string
  clientId: string
  /** ISO time at which the wallet stops to wait; absent: as configured, from now on. */
  until?: string
}

/** Which server of the two failed. */
export type ClaimsPart = 'claim_source' | 'token_endpoint'

/**
 * Why there are no claims; stable. `not_found`: the tenant has no such claim source. `too_long`: the request with its
 * parameters is larger than the platform sends. `answer`: another status than 2xx. `not_json`: no JSON that can be used.
 * `not_object`: JSON, but no object. `no_token`: the token endpoint answered without a usable token. `secret_unusable`:
 * the stored secret cannot be read. `timeout`,
 * `connection`, `not_called`, `busy`, `outbound.…`: those of outbound calls.
 */
export interface ClaimsFailure {
  code: string
  part: ClaimsPart
  /** Of the answer; absent where there was none. */
  responseCode?: number
  /** For the operator: names no value of the subject and no secret. */
  reason: string
  /** A later call may succeed. */
  mayPass: boolean
}

/** What a call of a claim source led to. */
export type ClaimsOutcome =
  | { state: 'fetched'; attempts: number; claims: Json }
  | {
      state: 'failed'
      attempts: number
      failure: ClaimsFailure
      /** For the wallet and its user: names neither host nor cause. */
      forWallet: string
    }

const REASONS: Readonly<Record<string, string>> = {
  busy: 'too many calls wait for this server or this tenant',
  connection: 'there was no connection, or it broke',
  not_called: 'the host has no public address',
  timeout: 'there was no whole answer in time',
  'outbound.bad_answer': 'the answer is not valid HTTP, or compressed',
  'outbound.blocked': 'the host is not on the public internet',
  'outbound.redirected': 'the answer is a redirect, which is not followed',
  'outbound.tls': 'the TLS connection is not trustworthy',
  'outbound.too_large': 'the answer is too large',
}

export const reasonOf = (code: string): string => REASONS[code] ?? 'the rules of outbound calls refuse it'

export const messageForWallet = ({ mayPass }: Pick<ClaimsFailure, 'mayPass'>): string =>
  mayPass
    ? 'The issuer cannot read the claims of the credential at the moment. Try again later.'
    : 'The issuer cannot read the claims of the credential. Contact the issuer.'
