import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Sql } from '../../entities/orm.ts'
import type { FormatName } from '../../protocol/credentials/formats.ts'
import type { Json } from '../../protocol/data-integrity/index.ts'
import { objectIdsOf } from '../../protocol/operations.ts'
import { whenGathered } from '../frame/process/gathering.ts'

/** The result of a format's signing, with the member names of the entity `Credential`. */
export interface SignedRow {
  id: string
  format: FormatName
  /** Null where a document signer issued it. */
  didId: string | null
  /** Absent where a DID issued it. */
  documentSignerId?: string
  /** The issuer's DID, or the id of the document signer. */
  issuer: string
  /** As returned to the caller: JSON, or bytes. */
  document: Json | Uint8Array
  /** `data:` URL of the envelope that encloses a document; absent where the document has its own proof. */
  envelope?: string
  proofType: string
  tag: string | null
  types: string[]
  issuanceDate: string
  expirationDate: string | null
  statusListId: string | null
  statusIndex: number | null
  /** The second entry, of a credential that may be suspended. */
  suspensionListId: string | null
  suspensionIndex: number | null
}

/** A credential to record. A new column needs a member here and a line in `columnsOf`. */
export interface CredentialRow extends Omit<SignedRow, 'issuer'> {
  tenantId: string
  templateId: string | null
  templateVersion: number | null
  /** Digests of its subjects, of `SubjectIndex`. */
  subjects: readonly Uint8Array[]
  /** Only of a credential of a batch. */
  batch?: { id: string; row: number }
}

/** A credential of one request. */
export interface Recording {
  row: CredentialRow
  log: { id: string; category: string; type: string; requestId: string; metadata: Json }
  /** The effect of the request's Idempotency-Key, sealed. */
  idempotency: { key: string; effect: Buffer } | null
}

export type RecordOutcome = 'recorded' | 'recorded_before' | 'issuer_gone' | 'template_gone'

/** In PostgreSQL's hex format of bytea. */
export const bytes = (value: Uint8Array): string => `\\x${Buffer.from(value).toString('hex')}`

/**
 * Columns of the table by their names, in one line. What is null is left out: each member costs PostgreSQL as much as one with
 * a value.
 */
const columnsOf = (row: CredentialRow, document: Json | undefined): string =>
  JSON.stringify({
    id: row.id,
    tenant_id: row.tenantId,
    did_id: row.didId ?? undefined,
    document_signer_id: row.documentSignerId,
    format: row.format,
    document,
    document_bytes: row.document instanceof Uint8Array ? bytes(row.document) : undefined,
    envelope: row.envelope,
    proof_type: row.proofType,
    tag: row.tag ?? undefined,
    types: row.types,
    issuance_date: row.issuanceDate,
    expiration_date: row.expirationDate ?? undefined,
    status_list_id: row.statusListId ?? undefined,
    status_index: row.statusIndex ?? undefined,
    suspension_list_id: row.suspensionListId ?? undefined,
    suspension_index: row.suspensionIndex ?? undefined,
    template_id: row.templateId ?? undefined,
    template_version: row.templateVersion ?? undefined,
    subjects: row.subjects.map(bytes),
    batch_id: row.batch?.id,
    batch_row: row.batch?.row,
  })

/** What JSON.stringify writes for NUL and for half a surrogate pair, which PostgreSQL refuses in a column of a line alone. */
const DOUBTFUL = /\\u(?:0000|d[89a-f])/

/** Lines of a credential for `record_credentials`: its columns, and its document, empty where that is among them or is bytes. */
function linesOfRow(row: CredentialRow): [columns: string, document: string] {
  if (row.document instanceof Uint8Array) return [columnsOf(row, undefined), '']
  const document = JSON.stringify(row.document)
  return DOUBTFUL.test(document) ? [columnsOf(row, row.document), ''] : [columnsOf(row, undefined), document]
}

/**
 * Lines of credentials, as `record_credentials` takes them. A statement with parameters sends them as bytes, which PostgreSQL
 * takes as they are: of a text it looks for the end first, one byte after the other.
 */
export function linesOf(rows: readonly CredentialRow[]): { columns: string; documents: string } {
  const lines = rows.map(linesOfRow)
  return { columns: lines.map(([columns]) => columns).join('\n'), documents: lines.map(([, each]) => each).join('\n') }
}

/** Columns of the log entry. */
const toEntry = ({ row, log }: Pick<Recording, 'row' | 'log'>): string =>
  JSON.stringify({
    id: log.id,
    tenant_id: row.tenantId,
    category: log.category,
    type: log.type,
    request_id: log.requestId,
    metadata: log.metadata,
    object_ids: objectIdsOf(log.metadata),
  })

/**
 * Records credentials in the caller's transaction; outcomes in the order of the rows. The caller rolls back where one is
 * not what it needs.
 */
export async function recordWithin(
  em: SqlEntityManager,
  recordings: readonly Omit<Recording, 'idempotency'>[],
): Promise<RecordOutcome[]> {
  const { columns, documents } = linesOf(recordings.map(({ row }) => row))
  const rows = await em.execute<{ outcome: RecordOutcome }[]>(
    'select record_credentials(?, ?, documents => ?) as outcome',
    [columns, recordings.map(toEntry).join('\n'), documents],
  )
  return rows.map(({ outcome }) => outcome)
}

/** In the order of the rows. */
const RECORD = 'select record_credentials($1, $2, $3, $4, documents => $5) as outcome'

/** Concurrent statements, the second only while the first is held up, as by a lock: rows that gather cost less each (D-932). */
const LANES = 2
/** From then on a statement counts as held up: one of many rows takes a few milliseconds. */
const HELD_UP_MS = 20
/** Rows that share a commit at most: enough to make the commit cheap, few enough to be done in milliseconds. */
const TOGETHER = 32
/** So long may the first of them wait for others (D-909). */
const GATHERING_MS = 10

interface Waiting {
  recording: Recording
  resolve(outcome: RecordOutcome): void
  reject(error: unknown): void
}

/** Whether PostgreSQL refused the statement and rolled it back; after a lost connection nobody knows. */
export const isRolledBack = (error: unknown): boolean =>
  error instanceof Error && 'severity' in error && error.severity === 'ERROR'

/**
 * Records signed credentials. Those that are ready at the same time, or while a statement runs, share a round trip and a
 * commit. Each caller gets the outcome of its own row, after the commit. Where PostgreSQL refuses the rows together, each is
 * tried alone, so that only the faulty one fails.
 */
export function createCredentialRecorder(
  sql: Sql,
  nowMs?: () => number,
): { record(recording: Recording): Promise<RecordOutcome> } {
  const waiting: Waiting[] = []
  let running = 0
  let heldUp = 0
  let scheduled = false

  async function send(batch: Waiting[]): Promise<void> {
    const recordings = batch.map(({ recording }) => recording)
    const { columns, documents } = linesOf(recordings.map(({ row }) => row))
    try {
      const { rows } = await sql.query<{ outcome: RecordOutcome }>({
        name: 'record-credentials',
        text: RECORD,
        values: [
          Buffer.from(columns),
          Buffer.from(recordings.map(toEntry).join('\n')),
          recordings.map(({ idempotency }) => idempotency?.key ?? null),
          recordings.map(({ idempotency }) => idempotency?.effect ?? null),
          Buffer.from(documents),
        ],
      })
      for (const [place, { outcome }] of rows.entries()) batch[place]?.resolve(outcome)
      // has no effect on those that are settled already
      for (const { reject } of batch) reject(new Error('record_credentials returned no outcome for a credential'))
    } catch (error) {
      if (batch.length > 1 && isRolledBack(error)) for (const one of batch) await send([one])
      else for (const { reject } of batch) reject(error)
    }
  }

  function start(): void {
    let isHeldUp = false
    running += 1
    const timer = setTimeout(() => {
      isHeldUp = true
      heldUp += 1
      pump()
    }, HELD_UP_MS)
    void send(waiting.splice(0, TOGETHER)).finally(() => {
      clearTimeout(timer)
      running -= 1
      if (isHeldUp) heldUp -= 1
      schedule()
    })
  }

  function pump(): void {
    while (running === heldUp && running < LANES && waiting.length > 0) start()
  }

  function schedule(): void {
    // a statement that runs schedules the next one at its end
    if (scheduled || running > heldUp || waiting.length === 0) return
    scheduled = true
    whenGathered({ size: () => waiting.length, most: TOGETHER, mostMs: GATHERING_MS, nowMs }, () => {
      scheduled = false
      pump()
    })
  }

  return {
    record: (recording) =>
      new Promise((resolve, reject) => {
        waiting.push({ recording, resolve, reject })
        schedule()
      }),
  }
}
