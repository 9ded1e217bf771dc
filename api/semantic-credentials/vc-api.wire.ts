import type { Warning } from '../../protocol/semantic-credentials/warnings.ts'
import type { JsonObject, VerifiableCredential } from '../frame/wire.ts'
import type { DerivedCredential, IssuedCredential } from './wire.ts'

/** A credential that is signed as it is, without proof. Its contexts define further members. */
export type CompleteCredential = JsonObject

/** A W3C presentation with the holder's proof, or in an envelope that the holder has signed. */
export type ProvedPresentation = JsonObject

/** A W3C presentation before the holder signs it. */
export type UnsignedPresentation = JsonObject

/** Unknown members are ignored. */
export type VcApiIssueOptions = JsonObject

/**
 * Each member that is present is checked. checks: ['proof'] limits the verification to the form and the proofs; the
 * names of other checks may be added. Unknown members are ignored.
 */
export type VcApiVerifyOptions = JsonObject

/** Unknown members are ignored. */
export type VcApiDeriveOptions = JsonObject

/** Unknown members are ignored. */
export type VcApiProveOptions = JsonObject

/** The entry of a credential to change. */
export type VcApiStatusEntry = JsonObject | JsonObject[]

export interface VcApiIssueIn {
  /** A complete credential without proof; its issuer is a DID of the tenant. */
  credential: CompleteCredential
  options?: VcApiIssueOptions
}

export interface VcApiCredentialOut {
  verifiableCredential: IssuedCredential
}

export interface VcApiDerivedOut {
  verifiableCredential: DerivedCredential
}

export interface VcApiVerifyIn {
  verifiableCredential: IssuedCredential
  options?: VcApiVerifyOptions
}

export interface VcApiCheckOut {
  check: string
  /** JSON pointer into the presentation. */
  path?: string
  outcome: 'passed' | 'failed' | 'skipped'
  evidence: string
}

export interface VcApiVerifiedOut {
  /** Always true: if a check fails that is not skipped, the response is a 400, whose errors name the failed checks. */
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
  /** With a base proof of bbs-2023 or ecdsa-sd-2023. */
  verifiableCredential: VerifiableCredential
  options?: VcApiDeriveOptions
}

export interface VcApiStatusIn {
  /**
   * The credential's own id. If several have it, statusListCredential and statusListIndex in credentialStatus select
   * one.
   */
  credentialId: string
  /** The entry to change; its purpose is revocation by default. */
  credentialStatus: VcApiStatusEntry
  /** Required, here or in credentialStatus as '0' or '1'; a request without it is refused. */
  status?: boolean
  /** Not used: credentials get their entries when they are signed. */
  indexAllocator?: string
}

/** An empty object. */
// biome-ignore lint/complexity/noBannedTypes: tsoa turns an empty interface into the empty object schema
export type VcApiEmptyOut = {}

export interface VcApiVerifyPresentationIn {
  /** With the holder's proof, or as EnvelopedVerifiablePresentation. */
  verifiablePresentation: ProvedPresentation
  options?: VcApiVerifyOptions
}

export interface VcApiProveIn {
  /** Without proof. */
  presentation: UnsignedPresentation
  options?: VcApiProveOptions
}

export interface VcApiPresentationOut {
  verifiablePresentation: ProvedPresentation
}

export const verified = (warnings: Pick<Warning, 'message'>[], checks: VcApiCheckOut[]): VcApiVerifiedOut => ({
  verified: true,
  checks,
  warnings: warnings.map(({ message }) => message),
  errors: [],
})
