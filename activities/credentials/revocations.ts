import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { CredentialBatch } from '../../entities/credentials/batches.ts'
import { Revocation } from '../../entities/credentials/credentials.ts'
import { Did } from '../../entities/dids.ts'
import { inTenant, type Sql } from '../../entities/orm.ts'
import { type FormatName, logOf, slugOf } from '../../protocol/credentials/formats.ts'
import type { RevocationProgress, RevocationSubject } from '../../protocol/credentials/work.ts'
import { Refusal } from '../../protocol/errors.ts'
import { isUuid } from '../../protocol/uuid.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call, Metadata, Operations } from '../frame/operations.ts'
import { batchNotFound } from './batches/record.ts'
import type { Formats } from './format.ts'
import { formatsOfHolder } from './holders.ts'
import { assertScope } from './refusals.ts'

export type RevocationScope = 'template' | 'batch' | 'issuer'
export type StatusPurpose = 'revocation' | 'suspension'

/** Formats whose credentials the caller may revoke, and those of them that the request names. */
export interface RevocableFormats {
  writable: readonly FormatName[]
  named?: readonly FormatName[] | undefined
}

/** In plain JSON: it is also kept as the effect of an Idempotency-Key. */
export interface RevocationRecord {
  id: string
  by: RevocationScope | 'holder'
  /** `suspension`: the credentials are suspended, and not revoked. */
  purpose: StatusPurpose
  /** Id of the template, batch or holder; the issuer's DID, or the id of a document signer. */
  subject: string
  state: 'REVOKING' | 'REVOKED'
  /** Null, of an earlier release: all. */
  formats: readonly FormatName[] | null
  /** Checked credentials; those without a status, and those revoked before, do not change. */
  checked: number
  revoked: number
  createdAt: string
  endedAt: string | null
}

/** Credentials of one transaction. */
const AT_ONCE = 2_000
/** Log entry of a revocation's end. */
const END = logOf('semantic', 'REVOCATION_CASCADE_COMPLETE')
const LOCKED = { lockMode: LockMode.PESSIMISTIC_WRITE } as const

const toRecord = ({
  id,
  scope,
  purpose,
  subject,
  state,
  formats,
  checked,
  revoked,
  createdAt,
  endedAt,
}: Revocation) => ({
  id,
  by: scope,
  purpose,
  subject,
  state,
  formats: formats ?? null,
  checked,
  revoked,
  createdAt: createdAt.toISOString(),
  endedAt: endedAt?.toISOString() ?? null,
})

/**
 * Those formats of a template, a batch or a document signer that the request names, or all: what it asks for is revoked as a
 * whole or not at all. Throws `request.invalid` where it names none of them, `token.insufficient_scope`.
 */
function revocableOf(formats: readonly FormatName[], { writable, named }: RevocableFormats): FormatName[] {
  const wanted = formats.filter((format) => named?.includes(format) ?? true)
  if (wanted.length === 0)
    throw new Refusal('request.invalid', 'The credentials have another format than the request names.', [
      { path: 'formats', code: 'format', message: `expected ${formats.map(slugOf).join(' or ')}, or no formats` },
    ])
  for (const format of wanted) assertScope('write', writable, format)
  return wanted
}

/**
 * A batch is revoked once, because no rows are added to it. Throws `batch.not_found`, `batch.not_ended`,
 * `token.insufficient_scope`.
 */
async function claimBatch(em: SqlEntityManager, id: string, formats: RevocableFormats) {
  const batch = isUuid(id) ? await em.findOne(CredentialBatch, { id }, LOCKED) : null
  if (!batch || batch.state === 'RECEIVING') throw batchNotFound()
  revocableOf([batch.format], formats)
  if (batch.state !== 'COMPLETED' && batch.state !== 'CANCELLED')
    throw new Refusal(
      'batch.not_ended',
      `The batch is ${batch.state} and has not ended; cancel it, or wait for its end.`,
    )
  const isNew = batch.revocation == null
  if (isNew) batch.revocation = 'REVOKING'
  return { isNew, format: batch.format }
}

/** `id`: the DID, or our id of it. The status lists of a deleted issuer cannot be signed: revoke before deleting it. */
async function didOf(em: SqlEntityManager, id: string): Promise<Did> {
  const row = await em.findOne(Did, { ...(isUuid(id) ? { id } : { did: id }), deletedAt: null })
  if (!row) throw new Refusal('did.not_found', 'There is no such DID.')
  return row
}

/** Which credentials a bulk revocation revokes. */
interface RevocationWork {
  scope: RevocationScope | 'holder'
  subject: string
  formats: FormatName[]
  purpose?: StatusPurpose
}

interface Parts extends Pick<Dependencies, 'database' | 'outbox' | 'uuid'> {
  operations: Operations
  formats: Formats
}

/** Revokes all credentials of a template, a batch, an issuer or a holder, slice by slice; the row stores the progress. */
export function createRevocations({ database, outbox, uuid, operations, formats }: Parts) {
  /** Finds a deleted template as well, because its credentials still exist. */
  async function templateFormat(em: SqlEntityManager, id: string, revocable: RevocableFormats): Promise<FormatName> {
    const template = isUuid(id) ? await formats.findTemplate(em, id) : undefined
    if (!template) throw new Refusal('credential_template.not_found', 'There is no such credential template.')
    revocableOf([template.format], revocable)
    return template.format
  }

  /** Inserts the row in the caller's transaction; the workflow starts once it commits. */
  async function begin(em: SqlEntityManager, call: Call, work: RevocationWork): Promise<Revocation> {
    const { tenantId, requestId, clientId } = call
    const { scope, subject } = work
    const id = uuid()
    const revocation = em.create(Revocation, { id, tenantId, requestId, clientId, ...work })
    await em.flush() // its time is the database's clock, like the times of credentials that it is compared with
    await outbox.start(em, 'revokeCredentials', { tenantId, revocationId: id }, { scope, subject })
    return revocation
  }

  async function beginBatch(em: SqlEntityManager, call: Call, id: string, formats: RevocableFormats) {
    const { isNew, format } = await claimBatch(em, id, formats)
    if (isNew) return begin(em, call, { scope: 'batch', subject: id, formats: [format] })
    return em.findOneOrFail(Revocation, { scope: 'batch', subject: id })
  }

  /** Returns how the row names an issuer: a DID, or the id of a document signer. */
  async function issuerOf(em: SqlEntityManager, id: string, revocable: RevocableFormats) {
    const signed = isUuid(id) ? await formats.formatsOfIssuer(em, id) : []
    if (signed.length > 0) return { subject: id, formats: revocableOf(signed, revocable) }
    const row = await didOf(em, id)
    return { subject: row.did, didId: row.id, formats: [...(revocable.named ?? revocable.writable)] }
  }

  return {
    /** For the operation of batches, which has its own transaction. */
    beginBatch,

    /**
     * Revokes or suspends what was issued to a holder, in the caller's transaction; returns the id of the work, or
     * undefined where nothing was. The caller has ended whatever would issue more. Throws `token.insufficient_scope`.
     */
    async beginHolder(
      em: SqlEntityManager,
      call: Call,
      holderId: string,
      { purpose, writable }: { purpose: StatusPurpose; writable: readonly FormatName[] },
    ): Promise<string | undefined> {
      const formats = await formatsOfHolder(em, { tenantId: call.tenantId, holderId })
      for (const format of formats) assertScope('write', writable, format)
      if (formats.length === 0) return undefined
      return (await begin(em, call, { scope: 'holder', subject: holderId, formats, purpose })).id
    },

    /**
     * Credentials issued later stay valid. The format of a template or a batch decides which credentials are revoked; of a
     * document signer, those of the formats that the request names, or of all that it signs; of a DID, those of the formats
     * that the request names, or of all that the caller may revoke. Throws
     * `batch.not_found`, `batch.not_ended`, `credential_template.not_found`, `did.not_found`,
     * `token.insufficient_scope`, `request.invalid`.
     */
    async startRevocation(
      call: Call,
      by: RevocationScope,
      id: string,
      revocable: RevocableFormats,
    ): Promise<RevocationRecord> {
      const metadata: Metadata = { by, subject: id }
      const workOf = async (em: SqlEntityManager): Promise<RevocationWork> => {
        if (by === 'template') return { scope: by, subject: id, formats: [await templateFormat(em, id, revocable)] }
        const { didId, ...issued } = await issuerOf(em, id, revocable)
        if (didId !== undefined) metadata.didId = didId
        return { scope: by, ...issued }
      }
      return operations.change(call, 'createWebSemanticRevocation', metadata, async (em) => {
        const revocation = await (by === 'batch'
          ? beginBatch(em, call, id, revocable)
          : begin(em, call, await workOf(em)))
        metadata.id = revocation.id
        metadata.formats = revocation.formats?.map(slugOf).join(' ') ?? null
        return toRecord(revocation)
      })
    },

    async readRevocation(tenantId: string, id: string): Promise<RevocationRecord> {
      const row = await inTenant(database.tenants, tenantId, (em) => em.findOne(Revocation, { id }))
      if (!row) throw new Refusal('revocation.not_found', 'There is no such revocation.')
      return toRecord(row)
    },
  }
}

/** Activities of the workflow of a revocation. */
export const createRevocationSlices = ({ sql }: { sql: Sql }) => ({
  /** Revokes one slice. Safe to retry: the transaction of the slice stores the progress in the revocation's row. */
  async revokeSlice({ tenantId, revocationId }: RevocationSubject): Promise<RevocationProgress> {
    const { rows } = await sql.query<{ phase: RevocationProgress['phase']; all_checked: number; all_revoked: number }>({
      name: 'revoke-slice',
      text: 'select * from revoke_credential_slice($1, $2, $3, $4, $5)',
      values: [tenantId, revocationId, AT_ONCE, END.category, `${END.name}_SUCCESS`],
    })
    const [row] = rows
    if (!row) throw new Error('revoke_credential_slice returned no row')
    return { phase: row.phase, checked: row.all_checked, revoked: row.all_revoked }
  },
})

export type Revocations = ReturnType<typeof createRevocations>
export type RevocationSlices = ReturnType<typeof createRevocationSlices>
