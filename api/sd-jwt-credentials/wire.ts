import { type CredentialReader, jsonOf } from '../../activities/credentials/read.ts'
import type { CredentialRow } from '../../activities/credentials/search.ts'
import type { SdJwtSignRequest } from '../../activities/sd-jwt-credentials/terms.ts'
import type { SdJwtVerdict, SdJwtVerifyRequest } from '../../activities/sd-jwt-credentials/verify.ts'
import type { PublicJwk } from '../../protocol/dids/jwk.ts'
import type { IssuedAs } from '../../protocol/sd-jwt-credentials/templates.ts'
import type { ListedIssuerOut } from '../credentials/trust.wire.ts'
import type { Count, DateTime, Did, JsonObject, TemplateVersion, Uuid } from '../frame/wire.ts'

/** vct, and the claims beside it; nbf, exp and sub may be among them. The platform sets iss, iat, cnf and status. */
export type SdJwtPayload = JsonObject

/** The way to a claim: names, indexes from 0, and null for every element of an array. */
export type SdJwtPath = unknown[]

/** A public JSON Web Key (RFC 7517). */
export type SdJwtHolderKey = JsonObject

/** The claims of a credential with all that is disclosed. */
export type SdJwtClaims = JsonObject

/** The credential as its holder keeps it: the JWT and every disclosure, each with ~ behind it. */
export type EncodedSdJwt = string

/**
 * How the credential names its issuer: did, a DID of the tenant; https, the tenant's address, whose metadata has the keys
 * of its DIDs; x5c, the certificate of a document signer.
 */
export type SdJwtIssuedAs = IssuedAs

interface IssuerIn {
  /** Default: x5c with a document_signer_id, or else did. */
  issued_as?: SdJwtIssuedAs | null
  /** A DID of the tenant, whose key signs. Default: its default issuer, or without one its only DID with a key that fits. */
  issuer_did?: Did | null
  /** With x5c. Default: the usable document signer that was created or changed last. */
  document_signer_id?: Uuid | null
}

export interface SdJwtSignIn extends IssuerIn {
  payload: SdJwtPayload
  /** Claims that the holder may leave out. Default: every claim at the root that may be one. */
  selectively?: SdJwtPath[] | null
  /**
   * Digests that stand for no claim, so that their number does not tell how many claims there are. Default: 0.
   * @isInt expected a whole number
   * @minimum 0
   * @maximum 50
   */
  decoys?: number | null
  /** The key of the holder, which the credential is bound to. Default: none. */
  holder_key?: SdJwtHolderKey | null
  /** Gives the credential an entry in a Token Status List. Default: false. */
  revocable?: boolean | null
  /**
   * A label to search the credential by; not part of it.
   * @maxLength 255
   */
  tag?: string | null
}

export interface SdJwtSignOut {
  id: Uuid
  encoded: EncodedSdJwt
  decoded: SdJwtClaims
}

export interface SdJwtTemplateSignIn {
  /** Claims of which the template takes what it names. */
  claims: JsonObject
  /** Default: that of the template. */
  issuer_did?: Did | null
  /** Default: that of the template. */
  document_signer_id?: Uuid | null
  /** The key of the holder, which the credential is bound to. Default: none. */
  holder_key?: SdJwtHolderKey | null
  /**
   * A label to search the credential by; not part of it.
   * @maxLength 255
   */
  tag?: string | null
}

export interface SdJwtTemplateSignOut extends SdJwtSignOut {
  template_id: Uuid
  template_version: TemplateVersion
}

export interface KeyBindingIn {
  /** The nonce that the verifier gave the holder. */
  nonce: string
  /** What the verifier calls itself. */
  audience: string
}

export interface SdJwtVerifyIn {
  /** The credential, with the disclosures that the holder made, and a key binding JWT where there is one. */
  payload: EncodedSdJwt
  /** Present: a key binding JWT must be there, made for this nonce and audience. */
  key_binding?: KeyBindingIn | null
  /** Whether the status is checked. Default: true. */
  check_revocation?: boolean | null
  /**
   * Whether the metadata of the type is fetched and checked. Default: where the credential has vct#integrity, and its type and
   * those that it extends are addresses.
   */
  check_type_metadata?: boolean | null
  /**
   * Issuers whose credentials are accepted: DIDs, https addresses, or names of the keys of IACAs. Default: any issuer of a
   * DID or an address, and the tenant's IACAs.
   * @maxItems 1000
   */
  trusted_issuers?: string[] | null
}

/** What is checked, in this order. */
export type SdJwtCheckName =
  | 'Syntax'
  | 'Header'
  | 'Disclosures'
  | 'IssuerKey'
  | 'Signature'
  | 'Trust'
  | 'Claims'
  | 'Validity'
  | 'KeyBinding'
  | 'TypeMetadata'
  | 'Policy'
  | 'Status'

interface SdJwtCheckOut {
  name: SdJwtCheckName
  /** skipped: it needs what another check did not find, or nobody asked for it. */
  result: 'passed' | 'failed' | 'skipped'
}

interface SdJwtReasonOut {
  /** The check. */
  type: SdJwtCheckName
  /** Stable. */
  code: string
  message: string
  /** Where the fault is in the claims: a JSON pointer. */
  path?: string
}

export interface SdJwtVerifyOut {
  verified: boolean
  /** Every check, in its order. */
  checks: SdJwtCheckOut[]
  /** Every fault that was found. */
  reason: SdJwtReasonOut[]
  /** What was not checked, or only in part. */
  warnings: ('OldType' | 'KeyBindingNotChecked' | 'StatusNotChecked' | 'TypeMetadataNotChecked')[]
  /** The disclosed claims, where they could be read: they are true only if verified is. */
  claims?: SdJwtClaims
  /** JSON pointers to the claims that a disclosure shows. */
  selective?: string[]
  /** Whose key signed: a DID, an https address, or the name of the key of an IACA. */
  issuer?: string
  /** Where an enforced trust list has the issuer; absent: none is enforced, or none has it. */
  trust?: ListedIssuerOut
}

/** true: revokes. false: undoes the revocation. */
export interface SdJwtRevocationIn {
  is_revoked: boolean
}

export interface SdJwtRevocationOut {
  isRevoked: boolean
}

export interface SdJwtCredentialOut {
  id: Uuid
  vct: string
  /** Absent where a document signer issued it. */
  issuer?: string
  document_signer_id?: Uuid
  issuance_date: DateTime
  expiration_date?: DateTime
  revocable: boolean
  is_revoked: boolean
  tag?: string
  /** The template that it was issued from. */
  template_id?: Uuid
  /** The batch that it was signed in, and its row there, from 1. */
  batch_id?: Uuid
  batch_row?: Count
}

export interface SdJwtCredentialDetailsOut extends SdJwtCredentialOut {
  encoded: EncodedSdJwt
  decoded: SdJwtClaims
}

export interface SdJwtCredentialPageOut {
  data: SdJwtCredentialOut[]
  limit: Count
  total_count: Count
  total_pages: Count
}

export const toSignRequest = (body: SdJwtSignIn): SdJwtSignRequest => ({
  payload: body.payload,
  ...(body.selectively && { selectively: body.selectively }),
  decoys: body.decoys ?? 0,
  ...(body.holder_key && { holderKey: body.holder_key as PublicJwk }),
  revocable: body.revocable ?? false,
  tag: body.tag ?? null,
  issuedAs: body.issued_as ?? (body.document_signer_id ? 'x5c' : 'did'),
  ...(body.issuer_did !== undefined && body.issuer_did !== null && { issuerDid: body.issuer_did }),
  ...(body.document_signer_id && { documentSignerId: body.document_signer_id.toLowerCase() }),
})

export const toVerifyRequest = (body: SdJwtVerifyIn): SdJwtVerifyRequest => ({
  payload: body.payload,
  ...(body.key_binding && { keyBinding: { ...body.key_binding } }),
  checkRevocation: body.check_revocation ?? true,
  checkTypeMetadata: body.check_type_metadata ?? 'where named',
  ...(body.trusted_issuers && { trustedIssuers: body.trusted_issuers }),
})

export const verdictToWire = ({
  verified,
  checks,
  faults,
  warnings,
  claims,
  selective,
  issuer,
  trust,
}: SdJwtVerdict): SdJwtVerifyOut => ({
  verified,
  checks,
  reason: faults.map(({ check, code, message, path }) => ({
    type: check,
    code,
    message,
    ...(path !== undefined && { path }),
  })),
  warnings,
  ...(claims && { claims }),
  ...(selective && { selective }),
  ...(issuer !== undefined && { issuer }),
  ...(trust && { trust }),
})

type Row = Awaited<ReturnType<CredentialReader['readCredential']>>

/** `iss`: of the credential; undefined where a document signer issued it. */
export function rowToWire(row: CredentialRow, iss: string | undefined): SdJwtCredentialOut {
  const { documentSignerId, expirationDate, tag, templateId, batchId, batchRow } = row
  return {
    id: row.id,
    vct: row.types[0] ?? '',
    ...(iss !== undefined && { issuer: iss }),
    ...(documentSignerId ? { document_signer_id: documentSignerId } : {}),
    issuance_date: row.issuanceDate.toISOString(),
    ...(expirationDate ? { expiration_date: expirationDate.toISOString() } : {}),
    revocable: Boolean(row.statusListId),
    is_revoked: row.revoked,
    ...(tag ? { tag } : {}),
    ...(templateId ? { template_id: templateId } : {}),
    ...(batchId && batchRow ? { batch_id: batchId, batch_row: batchRow } : {}),
  }
}

export function detailsToWire(row: Row): SdJwtCredentialDetailsOut {
  const { encoded, decoded } = jsonOf(row) as { encoded: string; decoded: JsonObject }
  return { ...rowToWire(row, typeof decoded.iss === 'string' ? decoded.iss : undefined), encoded, decoded }
}
