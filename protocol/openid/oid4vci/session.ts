import type { ClaimsSubject } from '../../claim-sources/outcome.ts'
import type { Json } from '../../json.ts'

export const GRANT_TYPES = ['pre-authorized_code', 'authorization_code'] as const
export type GrantType = (typeof GRANT_TYPES)[number]

/** `grant_type` of a token request for a pre-authorized code (OpenID4VCI 1.0, section 6.1). */
export const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

/**
 * `OFFERED`: nobody took the offer yet. `AUTHORIZED`: a wallet has an access token. `ISSUED`: it has all that was offered,
 * and may still send notifications. The others are ends.
 */
export const SESSION_STATES = [
  'OFFERED',
  'AUTHORIZED',
  'ISSUED',
  'COMPLETED',
  'FAILED',
  'EXPIRED',
  'CANCELLED',
] as const
export type SessionState = (typeof SESSION_STATES)[number]

/** `PENDING`: a wallet has asked, and the workflow issues. `FAILED`: it may ask again. */
export type IssuanceState = 'OFFERED' | 'PENDING' | 'ISSUED' | 'FAILED'

/** What happened, and when; without personal data. */
export interface SessionStep {
  step:
    | 'OFFER_CREATED'
    | 'LOGIN_BEGUN'
    | 'LOGIN_FAILED'
    | 'HOLDER_IDENTIFIED'
    | 'HOOK_ASKED'
    | 'HOOK_ANSWERED'
    | 'CODE_ISSUED'
    | 'CODE_REUSED'
    | 'TX_CODE_REFUSED'
    | 'TOKEN_ISSUED'
    | 'REFRESHED'
    | 'CREDENTIAL_REQUESTED'
    | 'CREDENTIAL_ISSUED'
    | 'CREDENTIAL_FAILED'
    | 'CREDENTIAL_RETRIED'
    | 'NOTIFIED'
    | 'ENDED'
  /** ISO time. */
  at: string
  issuanceId?: string
  /** Of a failure, a notification or the end. */
  code?: string
}

export interface SessionSubject {
  tenantId: string
  sessionId: string
}

/** Argument of the session's workflow. */
export interface SessionRun extends SessionSubject {
  looksPerRun?: number
}

export interface IssuanceSubject extends SessionSubject {
  issuanceId: string
}

/** One issuance that a wallet waits for. */
export interface PendingIssuance {
  issuanceId: string
  /** Whom to ask for claims, and with what; absent where the template names no claim source. */
  source?: ClaimsSubject
}

/** Why an issuance failed. */
export interface IssuanceFailure {
  code: string
  /** For the operator: names no value of the holder. */
  message: string
  /** For the wallet and its user. */
  forWallet: string
}

/** What the workflow of a session finds, and what it waits for. */
export interface SessionLook {
  state: SessionState | 'GONE'
  pending: PendingIssuance[]
  issued: number
  offered: number
  /** What the session waits for, as its operation says it; absent where it has ended. */
  waitsFor?: string
  /** Codes of what failed: of the session, or of issuances that may be tried again. */
  failures?: string[]
  /** Milliseconds to the end of the session; absent where it has ended. */
  nextInMs?: number
}

/** Claims for the credentials of a session, before a claim source adds its own. */
export interface SessionContent {
  /** Of the offer, for the authentication provider. */
  parameters?: Record<string, string>
  /** Given with the offer. */
  claims: Json
  /** The credentials may be suspended. */
  suspendable?: boolean
  /** What the authentication provider and the interaction hook said about the holder. */
  userClaims?: Json
  authenticationProvider?: { subjectId: string; url: string }
  userId?: string
}

/** What a session knows of the holder, and a claim source besides: the offer counts before the claim source (D-466). */
export const claimsOf = ({ claims }: SessionContent, fetched: Json = {}): Json => ({ ...fetched, ...claims })
