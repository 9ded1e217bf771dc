import type { BatchRecord } from '../activities/semantic-credentials.batches.record.ts'
import { Refusal } from '../protocol/errors.ts'
import type { BatchOptions } from '../protocol/semantic-credentials.batches.ts'
import { parseJson } from './json.ts'

/** What the rows need not repeat; a row's own member wins. */
export interface BatchQuery {
  /** DID of the issuer, for rows that name none. */
  issuer?: string
  /** As in signWebSemanticCredential, for rows that name none; needed for CSV. */
  proofType?: string
  /** Gives each credential an entry in a status list; false unless told. */
  revocable?: boolean
  /**
   * To find the credentials by.
   * @maxLength 255
   */
  tag?: string
  /** Types besides VerifiableCredential; may be repeated. */
  type?: string[]
  /** Context URLs, or inline contexts as JSON objects; may be repeated. The credentials v2 context unless told. */
  context?: string[]
  /** CSV: what stands between two cells; a comma unless told. */
  delimiter?: string
}

const DELIMITERS = [',', ';', '\t', '|']

const wrong = (path: string, message: string) =>
  new Refusal('request.invalid', `The query parameter ${path} is not usable.`, [{ path, code: 'query', message }])

const contextOf = (text: string): unknown => {
  if (!text.startsWith('{')) return text
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof Refusal) throw wrong('context', 'expected a URL or a JSON object')
    throw error
  }
}

export function toOptions(query: BatchQuery): { options: BatchOptions; delimiter: string } {
  const { issuer, proofType, revocable = false, tag, type = [], context = [], delimiter = ',' } = query
  if (!DELIMITERS.includes(delimiter)) throw wrong('delimiter', 'expected a comma, a semicolon, a tab or |')
  const own = {
    ...(issuer === undefined ? {} : { issuer }),
    ...(proofType === undefined ? {} : { proofType }),
    ...(tag === undefined ? {} : { tag }),
  }
  return { options: { ...own, revocable, types: type, contexts: context.map(contextOf) }, delimiter }
}

export type BatchStatus = 'PROCESSING' | 'PAUSED' | 'COMPLETED' | 'CANCELLED'

export interface BatchOut {
  id: string
  /** What the credentials are. */
  format: string
  /** What the rows came as: jsonl or csv. */
  source: string
  status: BatchStatus
  total: number
  signed: number
  /** Rows that were refused, each with its reason in the errors file. */
  failed: number
  pending: number
  /** Since the batch was made or resumed. */
  rows_per_second?: number
  /** Seconds until the last row at that rate. */
  eta_seconds?: number
  /** Why it is PAUSED. */
  paused?: { code: string; message: string }
  /** A part of the platform that is away; the batch goes on by itself when it is back. */
  waiting?: { part: string; since: string }
  revocation?: { status: 'REVOKING' | 'REVOKED'; revoked: number }
  created_at: string
  ended_at?: string
}

export interface BatchPageOut {
  data: BatchOut[]
  limit: number
  total_count: number
  total_pages: number
}

export const batchToWire = (batch: BatchRecord): BatchOut => ({
  id: batch.id,
  format: batch.format,
  source: batch.source,
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
