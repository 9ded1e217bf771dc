import { condition, continueAsNew, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow'
import type { BatchEnds } from '../activities/credentials/batches/end.ts'
import type { BatchSigning } from '../activities/credentials/batches/sign.ts'
import type { BatchProgress } from '../protocol/credentials/work.ts'
import type { Payload, Subject } from '../protocol/workflows.ts'
import { queryOf, signalOf } from './contract.ts'
import { chunk, quick, sweeping } from './options.ts'
import { createProgressLine } from './progress.ts'

const { signBatchChunk } = proxyActivities<BatchSigning>(chunk)
const { reviewBatch, completeBatch } = proxyActivities<BatchEnds>(quick)
const { discardBatchRows } = proxyActivities<BatchEnds>(sweeping)

/** The batch was paused, resumed or cancelled; its row has the state. */
const changed = signalOf('signBatch', 'changed')
const progress = queryOf('signBatch', 'progress')

/** Chunks in flight: while one waits for the database, others are signed. */
const LANES = 3
const LONGEST_WAIT_SECONDS = 300

/** Signs the rows of a batch, chunk by chunk. The batch's row says whether to go on. */
export async function signBatch(run: Payload<'signBatch'>): Promise<BatchProgress> {
  const { tenantId, batchId, total, chunkRows = 1_000, chunksPerRun = 100 } = run
  const subject = { tenantId, batchId }
  const seen: BatchProgress = { state: 'PROCESSING', total, signed: run.signed ?? 0, failed: run.failed ?? 0 }
  const resumed = watchChanges(subject)
  const showProgress = createProgressLine()
  const show = () => {
    const line = lineOf(batchId, seen)
    showProgress(line, line, markOf(seen))
  }
  setHandler(progress, () => seen)
  let next = run.next ?? 1
  const last = Math.min(total, next + chunkRows * chunksPerRun - 1)
  const unfinished = new Set<number>()
  const signFrom = async (from: number): Promise<void> => {
    const outcome = await signBatchChunk({ ...subject, from, to: Math.min(last, from + chunkRows - 1) })
    if (seen.state !== 'CANCELLED') seen.state = outcome.state === 'signed' ? 'PROCESSING' : outcome.state
    seen.signed = Math.max(seen.signed, outcome.signed)
    seen.failed = Math.max(seen.failed, outcome.failed)
    show()
    if (outcome.state === 'PAUSED' && (await resumed())) return signFrom(from)
    if (outcome.state === 'signed') unfinished.delete(from)
  }
  const lane = async (): Promise<void> => {
    while (next <= last && unfinished.size < LANES && seen.state !== 'CANCELLED') {
      const from = next
      next += chunkRows
      unfinished.add(from)
      await signFrom(from)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  if (seen.state !== 'CANCELLED') {
    if (unfinished.size > 0 || next <= total)
      return continueAsNew<typeof signBatch>({ ...run, ...counts(seen), next: Math.min(next, ...unfinished) })
    const end = await completeBatch(subject)
    if (end.state === 'PROCESSING') return continueAsNew<typeof signBatch>({ ...run, ...counts(seen), next: end.next })
    seen.state = end.state
  }
  if (seen.state === 'CANCELLED') await discardBatchRows(subject)
  show()
  return seen
}

const percentDone = ({ total, signed, failed }: BatchProgress): number => Math.floor(((signed + failed) * 100) / total)

/** Changes at most about two hundred times, however many rows there are: each change is an event in the history. */
const markOf = (seen: BatchProgress): string =>
  `${percentDone(seen)} ${Math.ceil((seen.failed * 100) / seen.total)} ${seen.state}`

function lineOf(batchId: string, seen: BatchProgress): string {
  const { state, total, failed } = seen
  const percent = percentDone(seen)
  const refused = failed > 0 ? `, ${failed} refused` : ''
  return `sign batch ${batchId}: ${percent} % of ${total} rows${refused}${state === 'PROCESSING' ? '' : `, ${state}`}`
}

const counts = ({ signed, failed }: BatchProgress) => ({ signed, failed })

/**
 * Returns a function that waits until a paused batch may continue; false: the history is long, continue in a new run.
 * All lanes wait together. Reads the batch in growing intervals as well, in case a signal was lost.
 */
function watchChanges(subject: Subject<'signBatch'>): () => Promise<boolean> {
  let changes = 0
  let waiting: Promise<boolean> | undefined
  setHandler(changed, () => {
    changes += 1
  })
  const wait = async (): Promise<boolean> => {
    for (
      let seconds = 5;
      !workflowInfo().continueAsNewSuggested;
      seconds = Math.min(seconds * 2, LONGEST_WAIT_SECONDS)
    ) {
      const before = changes
      await condition(() => changes > before, `${seconds}s`)
      if ((await reviewBatch(subject)).state !== 'PAUSED') return true
    }
    return false
  }
  return () => {
    waiting ??= wait().finally(() => {
      waiting = undefined
    })
    return waiting
  }
}
