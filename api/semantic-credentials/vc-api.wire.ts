import type { Warning } from '../../protocol/semantic-credentials/warnings.ts'
import type { JsonObject } from '../frame/wire.ts'

export interface VcApiIssueIn {
  /** A complete credential without proof; its issuer is a DID of the tenant. */
  credential: JsonObject
  /** cryptosuite or type, mandatoryPointers (bbs-2023), credentialStatus: {type, statusPurpose, statusMessage, statusReference}, or two of them. */
  options?: JsonObject
}

export interface VcApiCredentialOut {
  verifiableCredential: JsonObject
}

export interface VcApiVerifyIn {
  verifiableCredential: JsonObject
  /**
   * challenge, domain and trustedContexts are checked when present. checks: ['proof'] asks for the form and the proofs
   * alone; credentialIssuer, credentialValidity and credentialStatus may be added. Without it every check is made.
   */
  options?: JsonObject
}

export interface VcApiCheckOut {
  check: string
  /** JSON pointer into the presentation. */
  path?: string
  outcome: 'passed' | 'failed' | 'skipped'
  evidence: string
}

export interface VcApiVerifiedOut {
  /** Always true, for the checks that are not skipped: else it is a 400, whose errors name the failed checks. */
  verified: boolean
  checks: VcApiCheckOut[]
  /**
   * What the verification does not cover: unregistered contexts, related resources that were not fetched, a challenge or
   * domain without an expected value.
   */
  warnings: string[]
  errors: string[]
}

export interface VcApiDeriveIn {
  /** With a bbs-2023 base proof. */
  verifiableCredential: JsonObject
  /** selectivePointers; presentationHeader in base64url. */
  options?: JsonObject
}

export interface VcApiStatusIn {
  /**
   * The credential's own id. If several have it, statusListCredential and statusListIndex in credentialStatus select
   * one.
   */
  credentialId: string
  /**
   * {type, statusPurpose, statusListCredential, statusListIndex}; statusPurpose is revocation (default) or suspension.
   */
  credentialStatus: JsonObject | JsonObject[]
  /** Required, here or in credentialStatus as '0' or '1', so that an absent member revokes nothing. */
  status?: boolean
  /** Not used: credentials get their entries when they are signed. */
  indexAllocator?: string
}

/** {} */
// biome-ignore lint/complexity/noBannedTypes: tsoa turns an empty interface into the empty object schema
export type VcApiEmptyOut = {}

export interface VcApiVerifyPresentationIn {
  /** With the holder's proof. */
  verifiablePresentation: JsonObject
  /** challenge, domain and trustedContexts are checked when present; checks as for a credential. */
  options?: JsonObject
}

export interface VcApiProveIn {
  /** Without proof. */
  presentation: JsonObject
  /** verificationMethod (default: a key of the holder's DID), cryptosuite or type, challenge, domain. */
  options?: JsonObject
}

export interface VcApiPresentationOut {
  verifiablePresentation: JsonObject
}

export const verified = (warnings: Pick<Warning, 'message'>[], checks: VcApiCheckOut[]): VcApiVerifiedOut => ({
  verified: true,
  checks,
  warnings: warnings.map(({ message }) => message),
  errors: [],
})
