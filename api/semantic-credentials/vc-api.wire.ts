import type { Warning } from '../../protocol/semantic-credentials/warnings.ts'
import type { JsonObject } from '../frame/wire.ts'

export interface VcApiIssueIn {
  /** Whole, without proof; its issuer is a DID of the tenant. */
  credential: JsonObject
  /** cryptosuite or type, mandatoryPointers (bbs-2023), credentialStatus: {type, statusPurpose, statusMessage, statusReference}, or two of them. */
  options?: JsonObject
}

export interface VcApiCredentialOut {
  verifiableCredential: JsonObject
}

export interface VcApiVerifyIn {
  verifiableCredential: JsonObject
  /** challenge, domain and trustedContexts are enforced when given; every check is made, whatever checks says. */
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
  /** What does not verify is a 400, whose errors name the checks that failed. */
  verified: boolean
  checks: VcApiCheckOut[]
  /** What the verdict does not vouch for: contexts that nobody registered, a challenge or domain that nobody expected. */
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
  /** The credential's own id. credentialStatus with statusListCredential and statusListIndex says more exactly which. */
  credentialId: string
  /** {type, statusPurpose, statusListCredential, statusListIndex}; statusPurpose is revocation (when unsaid) or suspension. */
  credentialStatus: JsonObject | JsonObject[]
  /** Required, here or in credentialStatus as '0' or '1': nothing is revoked by leaving something out. */
  status?: boolean
  /** Not used: credentials are given their entries when they are signed. */
  indexAllocator?: string
}

/** {} */
// biome-ignore lint/complexity/noBannedTypes: tsoa turns an empty interface into the empty object schema
export type VcApiEmptyOut = {}

export interface VcApiVerifyPresentationIn {
  /** With the holder's proof. */
  verifiablePresentation: JsonObject
  /** challenge, domain and trustedContexts are enforced when given. */
  options?: JsonObject
}

export interface VcApiProveIn {
  /** Without proof. */
  presentation: JsonObject
  /** verificationMethod (else the holder's DID signs), cryptosuite or type, challenge, domain. */
  options?: JsonObject
}

export interface VcApiPresentationOut {
  verifiablePresentation: JsonObject
}

export const verified = (warnings: Pick<Warning, 'message'>[], checks: VcApiCheckOut[] = []): VcApiVerifiedOut => ({
  verified: true,
  checks,
  warnings: warnings.map(({ message }) => message),
  errors: [],
})
