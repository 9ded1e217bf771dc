import { type CredentialReader, jsonOf } from '../../activities/credentials/read.ts'
import type { JsonObject } from '../frame/wire.ts'

/** Rows as the activities return them. */
export type SemanticCredential = Awaited<ReturnType<CredentialReader['readCredential']>>

export interface SignIn {
  /**
   * The credential without proof: @context, type, issuer {id, name, iconUrl, logoUrl}, credentialSubject, and optionally
   * name, description, credentialBranding {backgroundColor, watermarkImageUrl}, expirationDate and what your contexts define.
   * Pictures are https URLs of a public host, or data:image/png, jpeg or webp in base64 of at most 32 KiB; colours #rgb,
   * #rrggbb, #rrggbbaa or named ones of CSS.
   */
  payload: JsonObject
  /**
   * Ed25519Signature2018, BbsSignature2022 (signed as bbs-2023), eddsa-rdfc-2022, eddsa-2022, bbs-2023,
   * ecdsa-rdfc-2019.
   */
  proofType: string
  /** Gives the credential an entry in a status list. */
  revocable: boolean
  /** Adds a second entry, for suspension; only with revocable true and data model 2.0. Default: false. */
  suspendable?: boolean
  /**
   * A label to search the credential by; not part of it.
   * @maxLength 255
   */
  tag?: string | null
}

export interface SignOut {
  /** The signed credential, for its holder. */
  credential: JsonObject
  /** The platform's id of the credential, to read and revoke it. */
  id: string
  tag?: string
}

export interface VerifyIn {
  /** The `credential` of a sign response, or a credential of any other issuer. */
  payload: JsonObject
  /**
   * The verification fails with every context that is neither bundled, nor registered, nor in this list; an empty list
   * trusts no other. Without the list, `warnings` names such contexts. Not in the specification.
   * @maxItems 100
   */
  trustedContexts?: TrustedContext[] | null
}

/** The URL of a context, whose pinned content is trusted; or an inline context object, compared word for word. */
export type TrustedContext = string | JsonObject

export interface WarningOut {
  /** UntrustedContext, UncheckedResource, QueryWithoutContext, ChallengeUnchecked, DomainUnchecked. */
  type: string
  message: string
  /** JSON pointer into the verified document, or the path in the query. */
  path?: string
  /** URL of the context, or id of the related resource. */
  url?: string
}

export interface VerifyOut {
  verified: boolean
  /** Empty when verified. */
  reason: { type: string; message: string }[]
  /**
   * What the verification does not cover: contexts that are neither bundled nor registered, related resources that were
   * not fetched. Not in the specification.
   */
  warnings: WarningOut[]
}

export interface StatusOut {
  id: string
  type: string
  revocation_list_credential: string
  revocation_list_index: number
}

export interface CredentialOut {
  id: string
  credential: JsonObject
  credential_status?: StatusOut
  issuance_date: string
  tag?: string
  /** The batch that it was signed in, and its row there, from 1. */
  batch_id?: string
  batch_row?: number
}

export interface CredentialPageOut {
  data: CredentialOut[]
  limit: number
  total_count: number
  total_pages: number
}

const statusOf = (credential: JsonObject): StatusOut | undefined => {
  // the first of several entries is for revocation
  const [status] = [credential.credentialStatus].flat()
  if (typeof status !== 'object' || status === null || Array.isArray(status)) return undefined
  const entry = status as JsonObject
  return {
    id: String(entry.id),
    type: String(entry.type),
    revocation_list_credential: String(entry.revocationListCredential ?? entry.statusListCredential),
    revocation_list_index: Number(entry.revocationListIndex ?? entry.statusListIndex),
  }
}

export function rowToWire(row: SemanticCredential): CredentialOut {
  const { id, issuanceDate, tag, statusListId, batchId, batchRow } = row
  const credential = jsonOf(row)
  const status = statusListId ? statusOf(credential) : undefined
  return {
    id,
    credential,
    ...(status ? { credential_status: status } : {}),
    issuance_date: issuanceDate.toISOString(),
    ...(tag ? { tag } : {}),
    ...(batchId && batchRow ? { batch_id: batchId, batch_row: batchRow } : {}),
  }
}

/** For the API document. */
export const SIGN_EXAMPLE: SignOut = {
  id: '2a1fbdfb-4f8f-4a06-a2f3-4bb9c6d7d3a8',
  tag: 'course-7',
  credential: {
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    id: 'urn:uuid:2a1fbdfb-4f8f-4a06-a2f3-4bb9c6d7d3a8',
    type: ['VerifiableCredential'],
    issuer: { id: 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK' },
    validFrom: '2027-01-01T00:00:00Z',
    credentialSubject: { id: 'did:example:holder' },
  },
}

export const VERIFY_EXAMPLE: VerifyOut = {
  verified: false,
  reason: [{ type: 'Revoked', message: 'The issuer has revoked the credential.' }],
  warnings: [
    {
      type: 'UntrustedContext',
      message: 'The context https://issuer.example/contexts/course/v1 is neither bundled nor registered: …',
      path: '/@context/1',
      url: 'https://issuer.example/contexts/course/v1',
    },
  ],
}
