import type { CredentialSummary } from '../../activities/credentials/search.ts'
import type { TimelineEvent } from '../../activities/credentials/timeline.ts'
import { type FormatSlug, slugOf } from '../../protocol/credentials/formats.ts'
import type { CredentialState } from '../../protocol/credentials/state.ts'
import type { PageLimit, PageNumber, PageQuery } from '../frame/pagination.ts'
import type { Count, DateTime, Did, JsonObject, TemplateVersion, Uuid } from '../frame/wire.ts'

/** Format of a credential, as in paths. */
export type CredentialFormatName = 'web-semantic' | 'compact' | 'compact-semantic' | 'mobile' | 'sd-jwt-vc'

/** The first that applies: revoked, suspended, expired, active. */
export type CredentialStateName = CredentialState

/** A DID, or the id of a document signer. */
export type CredentialIssuer = string

/**
 * The id of a credential of any format, as signing returned it: a UUID, or the jti of a compact credential, which stands for
 * the same UUID.
 * @pattern ^([A-Za-z0-9_-]{22}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})$ expected the id of a credential
 */
export type CredentialId = string

/** All filters together; without one, every credential whose format the token may read. */
export interface CredentialSearch extends PageQuery {
  /** Returns only credentials of this format. */
  format?: CredentialFormatName
  /** Returns only credentials with this tag. */
  tag?: string
  /** Returns only credentials of this type; VerifiableCredential finds all of the W3C data models. */
  type?: string
  /** Returns only credentials that were signed from this template. */
  templateId?: Uuid
  /** Returns only credentials of this batch. */
  batchId?: Uuid
  /** Returns only credentials of this issuer: a DID, or the id of a document signer. */
  issuer?: CredentialIssuer
  /** Returns only credentials in this state. */
  state?: CredentialStateName
}

/**
 * The id of a subject, as the credential has it: a DID or another URI.
 * @minLength 1
 * @maxLength 2048 expected at most 2048 characters
 */
export type CredentialSubjectId = string

/** All filters together, as of listCredentials; a member that is absent or null filters nothing. */
export interface CredentialSearchIn {
  /** Returns only credentials that are about this subject. It stands in no address, where it would be personal data. */
  subject?: CredentialSubjectId | null
  /** Returns only credentials of this format. */
  format?: CredentialFormatName | null
  /** Returns only credentials with this tag. */
  tag?: string | null
  /** Returns only credentials of this type; VerifiableCredential finds all of the W3C data models. */
  type?: string | null
  /** Returns only credentials that were signed from this template. */
  templateId?: Uuid | null
  /** Returns only credentials of this batch. */
  batchId?: Uuid | null
  /** Returns only credentials of this issuer: a DID, or the id of a document signer. */
  issuer?: CredentialIssuer | null
  /** Returns only credentials in this state. */
  state?: CredentialStateName | null
  /** Rows on a page: 0 to 1000. Default: 20. */
  limit?: PageLimit | null
  /** Starts at 1. */
  page?: PageNumber | null
}

export interface CredentialSummaryOut {
  id: Uuid
  format: CredentialFormatName
  /** Path of the credential in its format, with its document. */
  url: string
  /** Types besides VerifiableCredential; the document type of a mobile credential, the vct of an SD-JWT VC. */
  types: string[]
  state: CredentialStateName
  /** Whether it has an entry in a status list. */
  revocable: boolean
  suspendable: boolean
  /** Absent for a document signer, and for a DID that was deleted. */
  issuer?: Did
  document_signer_id?: Uuid
  tag?: string
  issuance_date: DateTime
  expiration_date?: DateTime
  created_at: DateTime
  /** Time of the last revocation, suspension, or end of one. */
  status_changed_at?: DateTime
  template_id?: Uuid
  template_version?: TemplateVersion
  batch_id?: Uuid
  /** Row of the batch, from 1. */
  batch_row?: Count
}

export interface CredentialSummaryPageOut {
  data: CredentialSummaryOut[]
  limit: Count
  total_count: Count
  total_pages: Count
}

export interface TimelineEventOut {
  at: DateTime
  /** E.g. credential.issued, credential.revoked, status_list.published. */
  type: string
  /** Log name of the operation that caused it. */
  operation?: string
  client_id?: string
  /** Value of `x-request-id` of the request that caused it. */
  request_id?: Uuid
  workflow_id?: string
  /** Path of the workflow below the address of the Temporal UI. */
  workflow_path?: string
  /** The same in full, for operators; absent unless TEMPORAL_UI_PUBLIC_URL is set. */
  workflow_url?: string
  /** The schedule in Temporal whose workflow did it. */
  schedule_id?: string
  /** Ids and values of the step. */
  details: JsonObject
}

export interface TimelineQuery extends PageQuery {}

export interface TimelineOut {
  data: TimelineEventOut[]
  limit: Count
  total_count: Count
  total_pages: Count
}

const urlOf = (format: FormatSlug, id: string) => `/v1/credentials/${format}/${id}`

export function summaryToWire({ row, state, issuer }: CredentialSummary): CredentialSummaryOut {
  const { id, tag, types, issuanceDate, expirationDate, createdAt, statusChangedAt } = row
  const { documentSignerId, templateId, templateVersion, batchId, batchRow } = row
  const format = slugOf(row.format)
  return {
    id,
    format,
    url: urlOf(format, id),
    types,
    state,
    revocable: Boolean(row.statusListId),
    suspendable: Boolean(row.suspensionListId),
    ...(issuer && { issuer }),
    ...(documentSignerId && { document_signer_id: documentSignerId }),
    ...(tag && { tag }),
    issuance_date: issuanceDate.toISOString(),
    ...(expirationDate && { expiration_date: expirationDate.toISOString() }),
    created_at: createdAt.toISOString(),
    ...(statusChangedAt && { status_changed_at: statusChangedAt.toISOString() }),
    ...(templateId && templateVersion && { template_id: templateId, template_version: templateVersion }),
    ...(batchId && batchRow && { batch_id: batchId, batch_row: batchRow }),
  }
}

export const eventToWire = (event: TimelineEvent): TimelineEventOut => ({
  at: event.at.toISOString(),
  type: event.type,
  ...(event.operation && { operation: event.operation }),
  ...(event.clientId && { client_id: event.clientId }),
  ...(event.requestId && { request_id: event.requestId }),
  ...(event.workflow && { workflow_id: event.workflow.id, workflow_path: event.workflow.path }),
  ...(event.workflow?.url && { workflow_url: event.workflow.url }),
  ...(event.scheduleId && { schedule_id: event.scheduleId }),
  details: { ...event.details },
})
