import { setImmediate as turn } from 'node:timers/promises'
import { inTenant } from '../entities/orm.ts'
import { CredentialBatch } from '../entities/semantic-credentials.batches.ts'
import { Refusal, Unavailable } from '../protocol/errors.ts'
import { completeClaims, completeRow, issuerOf } from '../protocol/semantic-credentials.batches.ts'
import type { Dependencies } from './index.ts'
import { type Attempted, type Chunk, type ChunkOutcome, recordChunk } from './semantic-credentials.batches.chunk.ts'
import { type BatchSlice, loadSlice, type PendingRow } from './semantic-credentials.batches.rows.ts'
import { rowProblem } from './semantic-credentials.batches.upload.ts'
import type { Issuers } from './semantic-credentials.issuers.ts'
import type { Signing, SignRequest } from './semantic-credentials.sign.ts'
import { inTemplateTerms, type TemplateSigning } from './semantic-credentials.templates.sign.ts'
import { derivedId } from './semantic-credentials.ts'

/** Rows that are recorded together. */
const SLICE_ROWS = 200
/** Signatures of a chunk that are under way at a time: enough for Vault to batch them. */
const AT_ONCE = 16

/** What a deleted issuer's rows are refused with; its keys may be gone a moment before we notice the DID is. */
const GONE = ['credential.issuer_unknown', 'key.not_found']

/** The platform's own faults with a key: a row that were refused for one would be erased, and could not be signed later. */
const KEY_FAULTS = ['key.envelope_refused', 'key.store_refused']

/** A slice that is to be signed. */
type Work = BatchSlice & { batch: CredentialBatch }

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'sql' | 'keys' | 'now' | 'log'> {
  issuers: Issuers
  signing: Signing
  templateSigning: TemplateSigning
}

/** Signs the chunks of a batch; the workflow decides which, and what follows. */
export function createBatchSigning(parts: Parts) {
  const { config, database, sql, keys, now, log, issuers, signing, templateSigning } = parts
  const patienceMs = config.batchPatienceSeconds * 1000

  async function requestOf(
    tenantId: string,
    input: PendingRow['input'],
    { batch, template }: Work,
  ): Promise<SignRequest> {
    if (!('claims' in input)) return completeRow(input, batch.options)
    if (!template) throw new Error(`batch ${batch.id} has claims and no template`)
    return templateSigning.request(tenantId, template, completeClaims(input, batch.options))
  }

  /** A refusal is the row's own; what is away, or gone for every row alike, is the batch's. */
  async function attempt({ tenantId, batchId }: Chunk, work: Work): Promise<Attempted> {
    const { batch, rows, template } = work
    const done: Attempted = { signed: [], failed: [], gone: new Set() }
    const known = new Set(batch.issuers)
    const signRow = async ({ row_number: row, input }: PendingRow) => {
      try {
        const request = await requestOf(tenantId, input, work)
        const id = derivedId(tenantId, `batch ${batchId} ${row}`)
        done.signed.push({ row, credential: await signing.sign(tenantId, id, request, rows.length) })
      } catch (error) {
        if (error instanceof Unavailable) done.away = error
        else if (!(error instanceof Refusal)) throw error
        else if (KEY_FAULTS.includes(error.code)) done.fault = error
        else {
          const issuer = issuerOf(input, batch.options)
          if (GONE.includes(error.code) && issuer !== undefined && known.has(issuer)) done.gone.add(issuer)
          else done.failed.push({ row, problem: problemOf(template ? inTemplateTerms(error) : error) })
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
    return done
  }

  /** False: the batch is paused already, or somebody resumed it since `seen` was read and knows what the reason was. */
  const pause = ({ tenantId, batchId }: Chunk, seen: CredentialBatch, pauseCode: string, pauseMessage: string) =>
    inTenant(database.tenants, tenantId, async (em) => {
      const asSeen = { id: batchId, state: 'PROCESSING', resumedAt: seen.resumedAt ?? null } as const
      return (await em.nativeUpdate(CredentialBatch, asSeen, { state: 'PAUSED', pauseCode, pauseMessage })) > 0
    })

  /** Visible in the batch from the first failure on; longer than the patience, and the batch pauses. */
  async function waitFor(
    chunk: Chunk,
    seen: CredentialBatch,
    { part, message }: Unavailable,
  ): Promise<'waiting' | 'PAUSED'> {
    const since = await inTenant(database.tenants, chunk.tenantId, async (em) => {
      const batch = await em.findOneOrFail(CredentialBatch, { id: chunk.batchId })
      if (batch.waitingFor !== part || !batch.waitingSince) em.assign(batch, { waitingFor: part, waitingSince: now() })
      return batch.waitingSince ?? now()
    })
    if (now().getTime() - since.getTime() < patienceMs) return 'waiting'
    return (await pause(chunk, seen, `${part}.unavailable`, message)) ? 'PAUSED' : 'waiting'
  }

  /** Asked first, because a status entry that a failed signature took is lost. */
  async function attemptIfReady(chunk: Chunk, work: Work): Promise<Attempted> {
    try {
      await keys.ready()
    } catch (error) {
      if (error instanceof Unavailable) return { signed: [], failed: [], gone: new Set(), away: error }
      throw error
    }
    return attempt(chunk, work)
  }

  /** What could be signed is recorded in one transaction before anything is said to be away. */
  async function signSlice(chunk: Chunk): Promise<ChunkOutcome> {
    const { batch, ...slice } = await loadSlice(database, chunk)
    if (!batch || batch.state === 'CANCELLED') return { state: 'CANCELLED', signed: 0, failed: 0 }
    const { signed, failed } = batch
    if (batch.state === 'PAUSED') return { state: 'PAUSED', signed, failed }
    if (slice.rows.length === 0) return { state: 'signed', signed, failed }
    if (slice.template?.deleted && !batch.templateGone) {
      const reason = 'The template of the batch was deleted. Resume to refuse the remaining rows, or cancel.'
      if (await pause(chunk, batch, 'batch.template_gone', reason)) return { state: 'PAUSED', signed, failed }
      return signSlice(chunk)
    }
    const template = slice.template?.deleted ? undefined : slice.template
    const attempted = slice.template?.deleted ? refuseAll(slice.rows) : await attemptIfReady(chunk, { batch, ...slice })
    const { outcome, all_signed, all_failed } = await recordChunk(sql, chunk, attempted, template)
    const counts = { signed: all_signed, failed: all_failed }
    if (outcome === 'cancelled') return { state: 'CANCELLED', signed, failed }
    if (outcome === 'template_gone') return signSlice(chunk) // deleted meanwhile; the rows are as they were
    if (outcome === 'issuer_gone') {
      // we remembered an issuer that was deleted meanwhile; its rows are as they were
      for (const { credential } of attempted.signed) issuers.forget(chunk.tenantId, credential.issuer)
      return signSlice(chunk)
    }
    if (attempted.gone.size > 0) {
      const reason = 'An issuer of the batch was deleted. Resume to refuse its rows, or cancel.'
      if (await pause(chunk, batch, 'batch.issuer_gone', reason)) return { state: 'PAUSED', ...counts }
      return signSlice(chunk)
    }
    if (attempted.fault) {
      const { code, message } = attempted.fault
      const reason = `${message} Once an operator has mended the key store, resume; or cancel.`
      log.error({ err: attempted.fault, batchId: chunk.batchId, tenantId: chunk.tenantId }, 'a batch is paused')
      if (await pause(chunk, batch, code, reason)) return { state: 'PAUSED', ...counts }
      return signSlice(chunk)
    }
    if (!attempted.away) return { state: 'signed', ...counts }
    if ((await waitFor(chunk, batch, attempted.away)) === 'PAUSED') return { state: 'PAUSED', ...counts }
    throw attempted.away
  }

  return {
    /**
     * Safe to retry: a row that was signed or refused is not pending any more, and a row's credential has the same id in
     * every attempt. Slice by slice, so that no statement is long and a pause is seen soon.
     */
    async signBatchChunk(chunk: Chunk): Promise<ChunkOutcome> {
      for (let from = chunk.from; ; from += SLICE_ROWS) {
        const to = Math.min(chunk.to, from + SLICE_ROWS - 1)
        const outcome = await signSlice({ ...chunk, from, to })
        if (outcome.state !== 'signed' || to === chunk.to) return outcome
      }
    },
  }
}

export type BatchSigning = ReturnType<typeof createBatchSigning>

/** Of a batch that goes on although its template was deleted. */
function refuseAll(rows: PendingRow[]): Attempted {
  const problem = problemOf(new Refusal('credential_template.not_found', 'The template was deleted.'))
  return { signed: [], failed: rows.map(({ row_number: row }) => ({ row, problem })), gone: new Set() }
}

const problemOf = ({ code, message, errors }: Refusal): string =>
  rowProblem(code, errors.length > 0 ? errors : [{ path: '', code, message }])
