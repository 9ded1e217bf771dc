import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { CredentialBatch } from '../../entities/credentials.batches.ts'
import { Revocation } from '../../entities/credentials.ts'
import { Did } from '../../entities/dids.ts'
import { inTenant, type Sql } from '../../entities/orm.ts'
import { logOf } from '../../protocol/credentials/formats.ts'
import { Refusal } from '../../protocol/errors.ts'
import { isUuid } from '../../protocol/uuid.ts'
import type { RevocationProgress, RevocationSubject } from '../../protocol/workflows.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call, Metadata, Operations } from '../frame/operations.ts'
import { batchNotFound } from './batches/record.ts'
import type { Formats } from './format.ts'

export type RevocationScope = 'template' | 'batch' | 'issuer'

/** In plain JSON: it is also kept as the effect of an Idempotency-Key. */
export interface RevocationRecord {
  id: string
  by: RevocationScope
  /** Id of the template or batch; the issuer's DID. */
  subject: string
  state: 'REVOKING' | 'REVOKED'
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

const toRecord = ({ id, scope, subject, state, checked, revoked, createdAt, endedAt }: Revocation) => ({
  id,
  by: scope,
  subject,
  state,
  checked,
  revoked,
  createdAt: createdAt.toISOString(),
  endedAt: endedAt?.toISOString() ?? null,
})

/**
 * A batch is revoked once, because no rows are added to it. Throws `Refusal('batch.not_found' | 'batch.not_ended')`.
 */
async function claimBatch(em: SqlEntityManager, id: string): Promise<'claimed' | 'before'> {
  const batch = isUuid(id) ? await em.findOne(CredentialBatch, { id }, LOCKED) : null
  if (!batch || batch.state === 'RECEIVING') throw batchNotFound()
  if (batch.state !== 'COMPLETED' && batch.state !== 'CANCELLED')
    throw new Refusal(
      'batch.not_ended',
      `The batch is ${batch.state} and has not ended; cancel it, or wait for its end.`,
    )
  if (batch.revocation) return 'before'
  batch.revocation = 'REVOKING'
  return 'claimed'
}

/** `id`: the DID, or our id of it. The status lists of a deleted issuer cannot be signed: revoke before deleting it. */
async function issuerOf(em: SqlEntityManager, id: string): Promise<Did> {
  const row = await em.findOne(Did, { ...(isUuid(id) ? { id } : { did: id }), deletedAt: null })
  if (!row) throw new Refusal('did.not_found', 'There is no such DID.')
  return row
}

interface Parts extends Pick<Dependencies, 'database' | 'outbox' | 'uuid'> {
  operations: Operations
  formats: Formats
}

/** Revokes all credentials of a template, a batch or an issuer, slice by slice; the row stores the progress. */
export function createRevocations({ database, outbox, uuid, operations, formats }: Parts) {
  /** Finds a deleted template as well, because its credentials still exist. */
  async function templateOf(em: SqlEntityManager, id: string): Promise<string> {
    const template = isUuid(id) ? await formats.findTemplate(em, id) : undefined
    if (!template) throw new Refusal('credential_template.not_found', 'There is no such credential template.')
    return id
  }

  /** Inserts the row in the caller's transaction; the workflow starts once it commits. */
  async function begin(em: SqlEntityManager, call: Call, scope: RevocationScope, subject: string): Promise<Revocation> {
    const { tenantId, requestId, clientId } = call
    const id = uuid()
    const revocation = em.create(Revocation, { id, tenantId, scope, subject, requestId, clientId })
    await em.flush() // its time is the database's clock, like the times of credentials that it is compared with
    await outbox.start(em, 'revokeCredentials', { tenantId, revocationId: id }, { scope, subject })
    return revocation
  }

  async function beginBatch(em: SqlEntityManager, call: Call, id: string): Promise<Revocation> {
    if ((await claimBatch(em, id)) === 'claimed') return begin(em, call, 'batch', id)
    return em.findOneOrFail(Revocation, { scope: 'batch', subject: id })
  }

  return {
    /** For the operation of batches, which has its own transaction. */
    beginBatch,

    /**
     * Credentials issued later stay valid. Throws `batch.not_found`, `batch.not_ended`,
     * `credential_template.not_found`, `did.not_found`.
     */
    async startRevocation(call: Call, by: RevocationScope, id: string): Promise<RevocationRecord> {
      const metadata: Metadata = { by, subject: id }
      const subjectOf = async (em: SqlEntityManager): Promise<string> => {
        if (by === 'template') return templateOf(em, id)
        const issuer = await issuerOf(em, id)
        metadata.didId = issuer.id
        return issuer.did
      }
      return operations.change(call, 'createWebSemanticRevocation', metadata, async (em) => {
        const revocation = await (by === 'batch' ? beginBatch(em, call, id) : begin(em, call, by, await subjectOf(em)))
        metadata.id = revocation.id
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
