import type { FormatName } from './formats.ts'

/** What a policy knows of a credential that is about to be signed, or that is verified. */
export interface JudgedCredential {
  format: FormatName
  /** The DID of the issuer, or the name of the key of the IACA; undefined where the credential leads to none. */
  issuer: string | undefined
  /** Names of the authorities that have certified its signer; they count where the ecosystem does not know the issuer's own. */
  authorities?: readonly string[]
  /** As the credential names them, with or without VerifiableCredential; the document type of a mobile credential. */
  types: readonly string[]
}

/** Why a policy forbids a credential, as verdicts name it. */
export const POLICY_REASONS = ['IssuerNotAllowed', 'VerifierNotAllowed'] as const

export interface PolicyReason {
  type: (typeof POLICY_REASONS)[number]
  message: string
}

/** Fields of the request that a refusal names. */
export interface JudgedFields {
  issuer: string
  type: string
}

/**
 * What every format asks before it signs, and when it verifies. The answer follows a change within a second, in every
 * process. A tenant without a policy may do all.
 */
export interface PolicyGate {
  /** Throws `Refusal` for a credential that the tenant may not issue. */
  assertMayIssue(tenantId: string, credential: JudgedCredential, fields: JudgedFields): Promise<void>
  /** Why the tenant may not rely on a credential; empty where it may. */
  reasonsAgainst(tenantId: string, credential: JudgedCredential): Promise<PolicyReason[]>
}
