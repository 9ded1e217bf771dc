import { LockMode } from '@mikro-orm/core'
import { CredentialBatch } from '../../../entities/credentials/batches.ts'
import { inTenant, takeTurn } from '../../../entities/orm.ts'
import { type BatchOptions, MAX_ROWS, type ReadRow } from '../../../protocol/credentials/batches.ts'
import { type FormatName, slugOf } from '../../../protocol/credentials/formats.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Signers } from '../../dids/signers.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import type { Formats, SettledOptions } from '../format.ts'
import { derivedId } from '../issue.ts'
import { didIssuers } from './issuers.ts'
import { createRoom, storedRow } from './problems.ts'
import { type BatchRecord, toRecord } from './record.ts'
import { discardUpload } from './sweep.ts'

export type CheckColumns = NonNullable<SettledOptions['checkColumns']>

export interface Upload {
  source: 'jsonl' | 'csv'
  options: BatchOptions
  /** Reads rows only as fast as they can be stored. `checkColumns` throws for the header of a CSV. */
  rows(checkColumns?: CheckColumns): AsyncIterable<ReadRow>
  /** SHA-256 of the body, once it has been read completely. */
  digest(): Buffer
}

/** Rows and characters sent to the database at a time. */
const SLICE_ROWS = 500
const SLICE_LENGTH = 512 * 1024
/** Open batches that a tenant may have. */
const MAX_OPEN = 100
/** Distinct issuers whose deletion pauses the batch; rows of further deleted issuers fail one by one. */
const MAX_ISSUERS = 100

const RECEIVE = 'select receive_batch_rows($1, $2, $3, $4, $5, $6, $7) as received'

interface Reception extends Omit<SettledOptions, 'options'> {
  id: string
  /** Id of this attempt to upload. */
  attempt: string
}

interface Slice {
  inputs: (string | null)[]
  problems: (string | null)[]
  length: number
}

const overtaken = () =>
  new Refusal(
    'idempotency.in_flight',
    'A later request with this Idempotency-Key replaced this one. Repeat the request.',
  )

interface Parts extends Pick<Dependencies, 'database' | 'sql' | 'now' | 'uuid' | 'outbox' | 'log'> {
  operations: Operations
  signers: Signers
  formats: Formats
}

/**
 * Streams the rows of a batch from the caller's connection to the database; a batch is stored as a whole or not at all.
 */
export function createBatchUploads(parts: Parts) {
  const { database, sql, now, uuid, outbox, log, operations, signers, formats } = parts
  const dids = didIssuers(signers)

  /** A later attempt with the same Idempotency-Key takes over the batch and deletes the rows of the earlier one. */
  async function begin(call: Call, { source, options }: Upload, settled: Omit<SettledOptions, 'options'>) {
    const { tenantId, idempotency, requestId, clientId } = call
    const intention = idempotency && `upload ${idempotency.since} ${idempotency.key}`
    const [id, attempt] = [intention ? derivedId(tenantId, intention) : uuid(), uuid()]
    const state = await inTenant(database.tenants, tenantId, async (em) => {
      // one upload of a tenant at a time: concurrent ones would each see room for themselves
      await takeTurn(em, `batches of ${tenantId}`)
      const existing = await em.findOne(CredentialBatch, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      // what an earlier attempt of this upload left is not another batch
      const others = { id: { $ne: id }, state: { $in: ['RECEIVING', 'PROCESSING', 'PAUSED'] } } as const
      if ((await em.count(CredentialBatch, others)) >= MAX_OPEN)
        throw new Refusal(
          'batch.too_many',
          `The tenant has ${MAX_OPEN} open batches, which is the limit; wait for one to end, or cancel one.`,
        )
      const { template } = settled
      const version = { templateId: template?.id ?? null, templateVersion: template?.version ?? null }
      const columns = { attempt, source, options, ...version, lastProgressAt: now() }
      if (existing?.state === 'RECEIVING') em.assign(existing, { ...columns, failed: 0 })
      if (existing) return existing.state
      const row = { id, tenantId, format: options.format, state: 'RECEIVING', ...columns } as const
      em.create(CredentialBatch, { ...row, issuers: [], requestId, clientId, createdAt: now() })
      return 'new'
    })
    if (state === 'RECEIVING') await discardUpload(sql, { tenantId, id, attempt, keepBatch: true })
    else if (state !== 'new') throw overtaken()
    return { id, attempt, ...settled }
  }

  async function store(call: Call, { id, attempt, checkColumns, checkRow }: Reception, upload: Upload) {
    const { options, rows } = upload
    const { issuerOf } = formats.of(options.format).batches
    const issuers = new Set<string>()
    const takeRoom = createRoom()
    let total = 0
    let slice: Slice = { inputs: [], problems: [], length: 0 }
    const flush = async () => {
      const { inputs, problems } = slice
      const values = [call.tenantId, id, attempt, total + 1, inputs, problems, call.idempotency?.key ?? null]
      const result = await sql.query<{ received: boolean }>({ name: 'receive-batch-rows', text: RECEIVE, values })
      if (!result.rows[0]?.received) throw overtaken()
      total += inputs.length
      slice = { inputs: [], problems: [], length: 0 }
    }
    for await (const row of rows(checkColumns)) {
      if (total + slice.inputs.length >= MAX_ROWS)
        throw new Refusal('batch.too_many_rows', `A batch has at most ${MAX_ROWS} rows; split the upload.`)
      const { input, problem, row: signable } = storedRow(row, checkRow)
      takeRoom(input ?? problem)
      const issuer = signable && issuerOf(signable, options)
      if (issuer !== undefined && issuers.size < MAX_ISSUERS) issuers.add(issuer)
      slice.inputs.push(input)
      slice.problems.push(problem)
      slice.length += (input ?? problem).length
      if (slice.inputs.length >= SLICE_ROWS || slice.length >= SLICE_LENGTH) await flush()
    }
    if (slice.inputs.length > 0) await flush()
    if (total === 0) throw new Refusal('batch.empty', 'The upload has no rows; send at least one.')
    return { total, issuers: [...issuers] }
  }

  /** Returns those of the issuers that can issue now. */
  async function usable(tenantId: string, format: FormatName, named: string[]): Promise<string[]> {
    const issuers = formats.of(format).batches.issuers ?? dids
    const usableNow: string[] = []
    for (const issuer of named) {
      try {
        usableNow.push(await issuers.usable(tenantId, issuer))
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
      }
    }
    return usableNow
  }

  async function finish(call: Call, reception: Reception, upload: Upload, issuers: string[]) {
    const { tenantId } = call
    const { id, attempt, template } = reception
    const usableNow = await usable(tenantId, upload.options.format, issuers)
    const metadata = { id, ...(template && { templateId: template.id, templateVersion: template.version }) }
    return operations.change(call, 'createCredentialBatch', metadata, async (em) => {
      const lock = { lockMode: LockMode.PESSIMISTIC_WRITE } as const
      const batch = await em.findOne(CredentialBatch, { id, attempt, state: 'RECEIVING' }, lock)
      if (!batch) throw overtaken()
      const { total, failed: resumedDone } = batch
      em.assign(batch, {
        state: 'PROCESSING',
        issuers: usableNow,
        bodySha256: upload.digest(),
        resumedAt: now(),
        resumedDone,
      })
      const about = { templateId: template?.id ?? null, issuers: usableNow }
      await outbox.start(em, 'signBatch', { tenantId, batchId: id, total }, about)
      return toRecord(batch)
    })
  }

  /** Says of a template that is not of the batch's format what to change. */
  async function explainFormat(tenantId: string, { templateId, format }: BatchOptions, error: unknown): Promise<never> {
    if (!(error instanceof Refusal && error.code === 'credential_template.not_found') || !templateId) throw error
    const found = await inTenant(database.tenants, tenantId, (em) => formats.findTemplate(em, templateId))
    if (!found || found.deleted || found.format === format) throw error
    const slug = slugOf(found.format)
    throw new Refusal(error.code, `The template is for ${slug} credentials. Add format=${slug} to the query.`, [
      { path: 'format', code: 'query', message: `expected ${slug}, the format of the template` },
    ])
  }

  return {
    usable,

    /**
     * Stores the rows as they arrive and starts their signing. Refusals: `batch.*`, those of the options, and what
     * reading the rows throws; the upload is then deleted.
     */
    async receive(call: Call, request: Upload): Promise<BatchRecord> {
      const format = formats.of(request.options.format)
      const { options, ...settled } = await format.batches
        .settle(call.tenantId, request)
        .catch((error: unknown) => explainFormat(call.tenantId, request.options, error))
      const upload = { ...request, options }
      const reception = await begin(call, upload, settled)
      try {
        const { issuers } = await store(call, reception, upload)
        return await finish(call, reception, upload, issuers)
      } catch (error) {
        const { id, attempt } = reception
        await discardUpload(sql, { tenantId: call.tenantId, id, attempt }).catch((failure: unknown) =>
          log.warn(
            { err: failure, batchId: id },
            'a failed upload could not be discarded; the scheduled sweep will do it',
          ),
        )
        throw error
      }
    },

    /** Returns the SHA-256 of the uploaded rows of a batch. */
    async digestOf(tenantId: string, id: string): Promise<Buffer | undefined> {
      const batch = await inTenant(database.tenants, tenantId, (em) => em.findOne(CredentialBatch, { id }))
      return batch?.bodySha256 ? Buffer.from(batch.bodySha256) : undefined
    },
  }
}

export type BatchUploads = ReturnType<typeof createBatchUploads>
