import { setImmediate as turn } from 'node:timers/promises'
import type { CredentialBatch } from '../../../entities/credentials.batches.ts'
import { DocumentFault, Refusal, Unavailable } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { BatchFormat, Formats } from '../format.ts'
import { derivedId } from '../issue.ts'
import type { Chunk, RowOutcomes } from './chunk.ts'
import type { BatchSlice, PendingRow } from './rows.ts'
import { rowProblem } from './upload.ts'

/** Signatures of a chunk that are under way at a time: enough for Vault to batch them. */
const AT_ONCE = 16

/** What a deleted issuer's rows are refused with; its keys may be gone a moment before we notice the DID is. */
const GONE = ['credential.issuer_unknown', 'key.not_found']

/** The platform's own faults with a key: a row that were refused for one would be erased, and could not be signed later. */
const KEY_FAULTS = ['key.envelope_refused', 'key.store_refused']

/** Tries of a row that fails in a way that no rule names. */
const TRIES = 3

/**
 * A fault that seems to be the row's own and that no rule names. What is refused is erased: a row is refused for it only by a
 * process that can sign other documents (D-153).
 */
const isDoubtful = (error: unknown): error is DocumentFault | Refusal =>
  error instanceof DocumentFault || (error instanceof Refusal && error.code === 'credential.unprocessable')

const UNFORESEEN = rowProblem('row.unforeseen', [
  {
    path: '',
    code: 'row.unforeseen',
    message: 'the row could not be signed because of an unexpected fault; ask the operator, whose log has the details',
  },
])

const problemOf = ({ code, message, errors }: Refusal): string =>
  rowProblem(code, errors.length > 0 ? errors : [{ path: '', code, message }])

/** Of a batch that goes on although its template was deleted. */
export function refuseAll(rows: PendingRow[]): RowOutcomes {
  const problem = problemOf(
    new Refusal('credential_template.not_found', 'The credential template of the batch was deleted.'),
  )
  return { signed: [], failed: rows.map(({ row_number: row }) => ({ row, problem })), gone: new Set() }
}

/** A slice that is to be signed. */
export type Work = BatchSlice & { batch: CredentialBatch }

interface Parts extends Pick<Dependencies, 'keys' | 'log'> {
  formats: Pick<Formats, 'of'>
}

/** Signs the rows of a slice, and tells apart whose fault it is where one cannot be. */
export function createBatchAttempts({ keys, log, formats }: Parts) {
  interface Doubt {
    row: number
    error: DocumentFault | Refusal
  }

  /** Rows that no rule refuses and that cannot be signed: theirs is the fault if this process signs a document of its own. */
  async function settle(
    { tenantId, batchId }: Chunk,
    format: BatchFormat,
    doubts: Doubt[],
    outcomes: RowOutcomes,
  ): Promise<RowOutcomes> {
    if (doubts.length === 0) return outcomes
    try {
      await format.prove?.()
    } catch (error) {
      return error instanceof Unavailable ? { ...outcomes, away: error } : { ...outcomes, broken: error }
    }
    const failed = doubts.map(({ row, error }) => {
      log.error({ err: error, batchId, tenantId, row }, 'a row of a batch was refused because of an unexpected fault')
      return { row, problem: error instanceof Refusal ? problemOf(error) : UNFORESEEN }
    })
    return { ...outcomes, failed: [...outcomes.failed, ...failed] }
  }

  /** A refusal is the row's own; what is away, or gone for every row alike, is the batch's. */
  async function attempt(chunk: Chunk, work: Work): Promise<RowOutcomes> {
    const { tenantId, batchId } = chunk
    const { batch, rows, template } = work
    const format = formats.of(batch.format).batches
    const terms = { options: batch.options, template }
    const outcomes: RowOutcomes = { signed: [], failed: [], gone: new Set() }
    const issuers = new Set(batch.issuers)
    const doubts: Doubt[] = []
    const signRow = async ({ row_number: row, input }: PendingRow, tries = 1): Promise<void> => {
      try {
        const id = derivedId(tenantId, `batch ${batchId} ${row}`)
        outcomes.signed.push({ row, credential: await format.signRow(tenantId, id, input, terms, rows.length) })
      } catch (error) {
        if (error instanceof Unavailable) outcomes.away = error
        else if (isDoubtful(error)) {
          if (tries < TRIES) return signRow({ row_number: row, input }, tries + 1)
          doubts.push({ row, error })
        } else if (!(error instanceof Refusal)) throw error
        else if (KEY_FAULTS.includes(error.code)) outcomes.fault = error
        else {
          const issuer = format.issuerOf(input, batch.options)
          if (GONE.includes(error.code) && issuer !== undefined && issuers.has(issuer)) outcomes.gone.add(issuer)
          else outcomes.failed.push({ row, problem: problemOf(error) })
        }
      }
    }
    const queue = rows.values()
    const lane = async () => {
      for (const row of queue) {
        await signRow(row)
        await turn() // heartbeats and other activities get their turn
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
    return settle(chunk, format, doubts, outcomes)
  }

  return {
    /** The key store is asked first, because a status entry that a failed signature took is lost. */
    async attemptIfReady(chunk: Chunk, work: Work): Promise<RowOutcomes> {
      try {
        await keys.ready()
      } catch (error) {
        if (error instanceof Unavailable) return { signed: [], failed: [], gone: new Set(), away: error }
        throw error
      }
      return attempt(chunk, work)
    },
  }
}
