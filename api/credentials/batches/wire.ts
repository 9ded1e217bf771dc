import type { BatchRecord } from '../../../activities/credentials/batches/record.ts'
import { DELIMITERS } from '../../../protocol/credentials/batches.csv.ts'
import type { BatchOptions } from '../../../protocol/credentials/batches.ts'
import { type FieldError, Refusal } from '../../../protocol/errors.ts'
import { parseJson } from '../../../protocol/json.strict.ts'
import {
  type Count,
  type DateTime,
  type Did,
  inLowerCase,
  type ProofType,
  type TemplateVersion,
  type Uuid,
} from '../../frame/wire.ts'

/** Defaults for the rows; a row's own member takes precedence. */
export interface BatchQuery {
  /**
   * Format of the credentials. Compact ones need the scope compact-credentials:write as well; their rows are JSON lines
   * with the members of their sign operation, or claims for a compact template. Mobile ones need
   * mobile-credentials:write; their rows are JSON lines with the members of signMobileCredential. SD-JWT VC need
   * sd-jwt-credentials:write; their rows are JSON lines with the members of signSdJwtCredential, or claims for a template.
   * Default: web-semantic.
   */
  format?: BatchFormatName
  /** DID of the issuer, for rows without an issuer. */
  issuer?: Did
  /** As in signWebSemanticCredential, for rows without a proofType; required for CSV. */
  proofType?: ProofType
  /** Gives each credential an entry in a status list. Default: false. */
  revocable?: boolean
  /**
   * Gives each credential a second entry, for suspension; only with revocable true and data model 2.0. Default: false.
   */
  suspendable?: boolean
  /**
   * A label to search the credentials by.
   * @maxLength 255
   */
  tag?: string
  /** Types besides VerifiableCredential; may be repeated. */
  type?: string[]
  /** Context URLs, or inline contexts as JSON objects; may be repeated. Default: the credentials v2 context. */
  context?: string[]
  /**
   * A credential template: rows are claims for its current version. It sets issuer, proofType, revocable, type and
   * context, which are then refused as options.
   */
  templateId?: Uuid
  /**
   * With templateId: the DID that signs rows without an issuer_did. Default: the tenant's default issuer; without a
   * default issuer, its only DID with a key that fits.
   */
  issuerDid?: Did
  /**
   * Mobile credentials: the document signer of rows without a documentSignerId. Default: the usable signer that was
   * created or changed last, for the whole batch. SD-JWT VC credentials: the document signer of all rows.
   */
  documentSignerId?: Uuid
  /** CSV: the character between two cells. Default: a comma. */
  delimiter?: Delimiter
}

/** Formats that batches sign. */
export type BatchFormatName = 'web-semantic' | 'compact' | 'compact-semantic' | 'mobile' | 'sd-jwt-vc'

/** A comma, a semicolon, a tab or a vertical bar. */
export type Delimiter = string

const refuse = (errors: FieldError[]) =>
  new Refusal('request.invalid', `The query parameter ${errors[0]?.path} is not valid; see errors.`, errors)

const wrong = (path: string, message: string) => refuse([{ path, code: 'query', message }])

const contextOf = (text: string): unknown => {
  if (!text.startsWith('{')) return text
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof Refusal) throw wrong('context', 'expected a URL or a JSON object')
    throw error
  }
}

/** The options that a template sets for every credential. */
const OF_TEMPLATE = ['issuer', 'proofType', 'revocable', 'type', 'context'] as const

function checkTogether(query: BatchQuery): void {
  if (query.documentSignerId !== undefined && query.format !== 'mobile' && query.format !== 'sd-jwt-vc')
    throw wrong(
      'documentSignerId',
      'expected together with format mobile or sd-jwt-vc; other credentials are signed by a DID',
    )
  if (query.documentSignerId !== undefined && (query.issuer ?? query.issuerDid) !== undefined)
    throw wrong('documentSignerId', 'expected either a document signer or a DID')
  if (query.templateId === undefined) {
    if (query.issuerDid !== undefined)
      throw wrong('issuerDid', 'expected together with templateId; without a template, use issuer')
    return
  }
  const conflicts = OF_TEMPLATE.filter((name) => query[name] !== undefined)
  const message = (name: string) =>
    name === 'issuer'
      ? 'not allowed with templateId; name the DID that signs in issuerDid'
      : 'not allowed with templateId: the template sets it'
  if (conflicts.length > 0) throw refuse(conflicts.map((path) => ({ path, code: 'template', message: message(path) })))
}

/** Mobile credentials are signed by document signers, all others by DIDs. */
function ofDocumentSigner({ issuer, documentSignerId }: BatchQuery): string | undefined {
  if (issuer !== undefined)
    throw wrong('issuer', 'expected none: documentSignerId names the signer of mobile credentials')
  return documentSignerId === undefined ? undefined : inLowerCase(documentSignerId)
}

export function toOptions(query: BatchQuery): { options: BatchOptions; delimiter: string } {
  const { proofType, revocable = false, suspendable = false, tag, type = [], context = [], delimiter = ',' } = query
  if (!DELIMITERS.includes(delimiter)) throw wrong('delimiter', 'expected a comma, a semicolon, a tab or |')
  checkTogether(query)
  const { templateId, issuer: did = query.issuerDid } = query
  const hasSigner = query.format === 'mobile' || query.documentSignerId !== undefined
  const issuer = hasSigner ? ofDocumentSigner(query) : did
  const own = {
    format: query.format === undefined || query.format === 'web-semantic' ? ('semantic' as const) : query.format,
    ...(issuer === undefined ? {} : { issuer }),
    ...(proofType === undefined ? {} : { proofType }),
    ...(tag === undefined ? {} : { tag }),
    ...(templateId === undefined ? {} : { templateId: inLowerCase(templateId) }),
  }
  return { options: { ...own, revocable, suspendable, types: type, contexts: context.map(contextOf) }, delimiter }
}

export type BatchStatus = 'PROCESSING' | 'PAUSED' | 'COMPLETED' | 'CANCELLED'

export interface BatchOut {
  id: Uuid
  /** Format of the credentials. */
  format: string
  /** Format of the upload. */
  source: 'jsonl' | 'csv'
  /** The credential template; each row has claims for it. */
  template_id?: Uuid
  template_version?: TemplateVersion
  status: BatchStatus
  /** Rows of the upload. */
  total: Count
  /** Rows that are signed so far. */
  signed: Count
  /** Rows that were refused, each with its reason in the errors file. */
  failed: Count
  /** Rows that wait to be signed. */
  pending: Count
  /**
   * Average since the batch was created or resumed.
   * @isDouble
   * @minimum 0
   */
  rows_per_second?: number
  /** Seconds until the last row is done, at that rate. */
  eta_seconds?: Count
  /** Why it is PAUSED. */
  paused?: { code: string; message: string }
  /** A part of the platform that is not available now; the batch continues by itself when the part is back. */
  waiting?: { part: string; since: DateTime }
  /** Progress of the revocation of the whole batch; absent if nobody requested it. */
  revocation?: { status: 'REVOKING' | 'REVOKED'; revoked: Count }
  created_at: DateTime
  ended_at?: DateTime
}

export interface BatchPageOut {
  data: BatchOut[]
  limit: Count
  total_count: Count
  total_pages: Count
}

export const batchToWire = (batch: BatchRecord): BatchOut => ({
  id: batch.id,
  format: batch.format,
  source: batch.source,
  ...(batch.template ? { template_id: batch.template.id, template_version: batch.template.version } : {}),
  status: batch.state as BatchStatus,
  total: batch.total,
  signed: batch.signed,
  failed: batch.failed,
  pending: batch.total - batch.signed - batch.failed,
  ...(batch.ratePerSecond === null ? {} : { rows_per_second: batch.ratePerSecond }),
  ...(batch.etaSeconds === null ? {} : { eta_seconds: batch.etaSeconds }),
  ...(batch.pause ? { paused: batch.pause } : {}),
  ...(batch.waiting ? { waiting: batch.waiting } : {}),
  ...(batch.revocation
    ? { revocation: { status: batch.revocation.state as 'REVOKING' | 'REVOKED', revoked: batch.revocation.revoked } }
    : {}),
  created_at: batch.createdAt,
  ...(batch.endedAt ? { ended_at: batch.endedAt } : {}),
})

/** For the API document. */
export const BATCH_EXAMPLE: BatchOut = {
  id: '2a1fbdfb-4f8f-4a06-a2f3-4bb9c6d7d3a8',
  format: 'web-semantic',
  source: 'csv',
  status: 'PROCESSING',
  total: 20_000,
  signed: 4_600,
  failed: 2,
  pending: 15_398,
  rows_per_second: 812.4,
  eta_seconds: 19,
  created_at: '2027-01-01T00:00:00.000Z',
}
