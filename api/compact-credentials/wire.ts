import { type CredentialReader, jsonOf } from '../../activities/credentials/read.ts'
import { jtiOfUuid } from '../../protocol/compact-credentials/cwt.ts'
import type { Profile } from '../../protocol/compact-credentials/text.ts'
import type { ErrorType } from '../../protocol/compact-credentials/verify.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { ListedIssuerOut } from '../credentials/trust.wire.ts'
import type { Count, DateTime, Did, JsonObject, Uri, Uuid } from '../frame/wire.ts'

/**
 * The id of a compact credential: its jti, 16 bytes in base64url; or the UUID of these bytes, as the log has it.
 * @pattern ^([A-Za-z0-9_-]{22}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})$ expected the id of a compact credential
 */
export type CompactId = string

/**
 * The id of a compact-semantic credential, `urn:uuid:` and a UUID; or only the UUID.
 * @pattern ^(urn:uuid:)?[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$ expected a UUID
 */
export type CompactSemanticId = string

/**
 * Claims to sign. `iss` is a DID of the tenant; without it the tenant's default issuer signs. Claims of the issuer's own
 * stand in `property_set`, or beside the others.
 */
export type UnsignedClaims = JsonObject

/**
 * A W3C credential to sign, of data model 1.1 or 2.0: issuer and dates become claims of the CWT. Its issuer is a DID of
 * the tenant; without one the tenant's default issuer signs.
 */
export type UnsignedSemantic = JsonObject

/** The claims of a credential. */
export type DecodedClaims = JsonObject

/** The W3C credential in the CWT. */
export type DecodedSemantic = JsonObject

export interface CompactSignIn {
  payload: UnsignedClaims
  /** Gives the credential an entry in a status list. */
  revocable: boolean
  /**
   * A label to search the credential by; not part of it.
   * @maxLength 255
   */
  tag?: string | null
}

export interface CompactSemanticSignIn {
  payload: UnsignedSemantic
  /** Gives the credential an entry in a status list. */
  revocable: boolean
  /**
   * A label to search the credential by; not part of it.
   * @maxLength 255
   */
  tag?: string | null
}

/** The credential as text, for its holder and for QR codes: CSC:/1/ and base32. */
export type EncodedCompact = string

export interface CompactSignOut {
  id: CompactId
  encoded: EncodedCompact
  decoded: DecodedClaims
}

export interface CompactSemanticSignOut {
  id: CompactSemanticId
  encoded: EncodedCompact
  decoded: DecodedSemantic
}

export interface CompactVerifyIn {
  /** The credential as text. */
  payload: string
  /** Whether an expired credential fails. Default: true. */
  assert_expiry?: boolean | null
  /** Whether a credential that is not valid yet fails. Default: true. */
  assert_not_before?: boolean | null
  /** Whether a revoked credential fails. Default: true. */
  check_revocation?: boolean | null
  /**
   * DIDs whose credentials are accepted; an empty list accepts none. Default: any issuer.
   * @maxItems 1000
   */
  trusted_issuers?: string[] | null
}

interface DetailOut {
  path: string
  code: string
  message: string
}

/** The first check that failed. */
interface VerificationErrorOut {
  type: ErrorType
  message: string
  details: DetailOut[]
}

export interface CompactVerifyOut {
  verified: boolean
  /** The claims, where they could be read: they are true only if verified is. */
  decoded?: DecodedClaims
  /** Present when not verified. */
  error?: VerificationErrorOut
  /** Where an enforced trust list has the issuer; absent: none is enforced, or none has it. */
  trust?: ListedIssuerOut
}

export interface CompactSemanticVerifyOut {
  verified: boolean
  /** The credential, where it could be read: its claims are true only if verified is. */
  decoded?: DecodedSemantic
  /** Present when not verified. */
  error?: VerificationErrorOut
  /** Where an enforced trust list has the issuer; absent: none is enforced, or none has it. */
  trust?: ListedIssuerOut
}

/** One of the two, which mean the same. */
export interface CompactRevocationIn {
  /** true: revokes. false: undoes the revocation. */
  is_revoked?: boolean
  /** As is_revoked. */
  isRevoked?: boolean
}

export interface CompactRevocationOut {
  isRevoked: boolean
}

interface StoredOut {
  encoded: EncodedCompact
  issuer: Did
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

export interface CompactOut extends StoredOut {
  id: CompactId
  decoded: DecodedClaims
}

export interface CompactSemanticOut extends StoredOut {
  id: CompactSemanticId
  decoded: DecodedSemantic
}

export interface CompactPageOut {
  data: CompactOut[]
  limit: Count
  total_count: Count
  total_pages: Count
}

export interface CompactSemanticPageOut {
  data: CompactSemanticOut[]
  limit: Count
  total_count: Count
  total_pages: Count
}

interface CompactListOut {
  id: Uuid
  issuer: Did
  url: Uri
}

export interface CompactListsOut {
  data: CompactListOut[]
  limit: Count
  total_count: Count
  total_pages: Count
}

type Row = Awaited<ReturnType<CredentialReader['readCredential']>>

export function rowToWire(row: Row, profile: Profile): CompactOut & CompactSemanticOut {
  const { encoded, decoded } = jsonOf(row) as { encoded: string; decoded: JsonObject }
  const { tag, statusListId, expirationDate, templateId, batchId, batchRow } = row
  const issuer = profile === 'compact' ? decoded.iss : (decoded.issuer as JsonObject).id
  return {
    id: jtiOfUuid(row.id, profile),
    encoded,
    decoded,
    issuer: String(issuer),
    issuance_date: row.issuanceDate.toISOString(),
    ...(expirationDate ? { expiration_date: expirationDate.toISOString() } : {}),
    revocable: Boolean(statusListId),
    is_revoked: row.revoked,
    ...(tag ? { tag } : {}),
    ...(templateId ? { template_id: templateId } : {}),
    ...(batchId && batchRow ? { batch_id: batchId, batch_row: batchRow } : {}),
  }
}

/** What the body of a change of a revocation says. Throws `request.invalid`. */
export function wantedRevocation({ is_revoked: snake, isRevoked: camel }: CompactRevocationIn): boolean {
  const wanted = snake ?? camel
  const isTwice = snake !== undefined && camel !== undefined
  if (wanted !== undefined && !isTwice) return wanted
  throw new Refusal('request.invalid', 'The body must say once whether the credential is revoked; see errors.', [
    {
      path: 'is_revoked',
      code: isTwice ? 'twice' : 'required',
      message: isTwice ? 'expected either is_revoked or isRevoked' : 'expected true or false',
    },
  ])
}

/** The file of a form stands for the payload. */
export const verifyRequest = (body: CompactVerifyIn, sentFile: Uint8Array | undefined) => ({
  payload: sentFile ?? body.payload,
  assertExpiry: body.assert_expiry,
  assertNotBefore: body.assert_not_before,
  checkRevocation: body.check_revocation,
  trustedIssuers: body.trusted_issuers,
})
