import { setImmediate as turn } from 'node:timers/promises'
import type { CredentialBatch } from '../../../entities/credentials/batches.ts'
import { DocumentFault, isDatabaseAway, Refusal, Unavailable } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Signers } from '../../dids/signers.ts'
import { isKeyFault } from '../../keys/faults.ts'
import { KeyLost } from '../../keys/lost.ts'
import type { BatchFormat, Formats } from '../format.ts'
import { derivedId } from '../issue.ts'
import type { Chunk, RowOutcomes } from './chunk.ts'
import { didIssuers } from './issuers.ts'
import { problemOf, rowProblem } from './problems.ts'
import type { BatchSlice, PendingRow } from './rows.ts'

/** Signatures of a chunk that are under way at a time: enough for Vault to batch them. */
const AT_ONCE = 16

/** Attempts to sign a row that fails because of an unexpected fault. */
const TRIES = 3

/**
 * Whether an unexpected fault may be the row's own. A refused row is erased, so only a process that can sign other
 * documents refuses a row for such a fault (D-153); one of the database on the way is never the row's.
 */
const isDoubtful = (error: unknown): error is DocumentFault | Refusal =>
  (error instanceof DocumentFault && !isDatabaseAway(error)) ||
  (error instanceof Refusal && error.code === 'credential.unprocessable')

/** Of a row that fails for a reason that no rule names (D-153). */
export const UNFORESEEN = rowProblem('row.unforeseen', [
  {
    path: '',
    code: 'row.unforeseen',
    message: 'the row could not be signed because of an unexpected fault; ask the operator, whose log has the details',
  },
])

/** A row has the credential that is signed, or claims of which the template makes one. */
const documentIn = ({ template }: Pick<Work, 'template'>) => (template ? 'credential' : 'payload')

/** Refuses all rows: for a batch that was resumed although its template was deleted. */
export function refuseAll(rows: PendingRow[]): RowOutcomes {
  const problem = problemOf(
    new Refusal('credential_template.not_found', 'The credential template of the batch was deleted.'),
  )
  return { signed: [], failed: rows.map(({ row_number: row }) => ({ row, problem })), gone: new Set() }
}

/** A slice that is to be signed. */
export type Work = BatchSlice & { batch: CredentialBatch }

interface Parts extends Pick<Dependencies, 'keys' | 'log'> {
  signers: Signers
  formats: Pick<Formats, 'of'>
}

/**
 * Signs the rows of a slice. Where a row cannot be signed, decides whether the fault is the row's or the platform's.
 */
export function createBatchAttempts({ keys, log, formats, signers }: Parts) {
  const dids = didIssuers(signers)

  interface Doubt {
    row: number
    error: DocumentFault | Refusal
  }

  /**
   * Refuses the rows with an unexpected fault if this process can sign a document of its own: the fault is then theirs.
   */
  async function settle(
    { tenantId, batchId }: Chunk,
    format: BatchFormat,
    doubts: Doubt[],
    outcomes: RowOutcomes,
    document: string,
  ): Promise<RowOutcomes> {
    if (doubts.length === 0) return outcomes
    try {
      await format.prove?.()
    } catch (error) {
      return error instanceof Unavailable ? { ...outcomes, away: error } : { ...outcomes, broken: error }
    }
    const failed = doubts.map(({ row, error }) => {
      log.error({ err: error, batchId, tenantId, row }, 'a row of a batch was refused because of an unexpected fault')
      return { row, problem: error instanceof Refusal ? problemOf(error, document) : UNFORESEEN }
    })
    return { ...outcomes, failed: [...outcomes.failed, ...failed] }
  }

  /** A refusal concerns one row; an unavailable part or a deleted issuer concerns the whole batch. */
  async function attempt(chunk: Chunk, work: Work): Promise<RowOutcomes> {
    const { tenantId, batchId } = chunk
    const { batch, rows, template } = work
    const format = formats.of(batch.format).batches
    const terms = { options: batch.options, template }
    const outcomes: RowOutcomes = { signed: [], failed: [], gone: new Set() }
    const issuers = new Set(batch.issuers)
    const { goneCodes } = format.issuers ?? dids
    const doubts: Doubt[] = []
    const signRow = async ({ row_number: row, input }: PendingRow, tries = 1): Promise<void> => {
      try {
        const id = derivedId(tenantId, `batch ${batchId} ${row}`)
        outcomes.signed.push({ row, credential: await format.signRow(tenantId, id, input, terms, rows.length) })
      } catch (error) {
        // to wait would take an entry of a status list for each row and each try
        if (error instanceof KeyLost) outcomes.fault = new Refusal('key.not_found', error.message)
        else if (error instanceof Unavailable) outcomes.away = error
        else if (isDoubtful(error)) {
          if (tries < TRIES) return signRow({ row_number: row, input }, tries + 1)
          doubts.push({ row, error })
        } else if (!(error instanceof Refusal)) throw error
        // a row refused for it would be erased, and could not be signed later
        else if (isKeyFault(error)) outcomes.fault = error
        else {
          const issuer = format.issuerOf(input, batch.options)
          if (goneCodes.includes(error.code) && issuer !== undefined && issuers.has(issuer)) outcomes.gone.add(issuer)
          else outcomes.failed.push({ row, problem: problemOf(error, documentIn(work)) })
        }
      }
    }
    const queue = rows.values()
    const lane = async () => {
      for (const row of queue) {
        await signRow(row)
        await turn() // lets heartbeats and other activities run
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
    return settle(chunk, format, doubts, outcomes, documentIn(work))
  }

  return {
    /** Checks the key store first, because a status entry that a failed signature took is lost. */
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
