import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { inTenant, takeTurn } from '../../entities/orm.ts'
import { TrustList } from '../../entities/trust-lists/lists.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { TenantChangeId } from '../../protocol/operations.ts'
import { checkTrustList, heldEntry, type TrustListInput } from '../../protocol/trust-lists/lists.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call, Metadata, Operations } from '../frame/operations.ts'
import type { TrustListGate } from './gate.ts'
import { type TrustListRecord, toRecord } from './records.ts'

export type TrustListChanges = { [Member in keyof TrustListInput]?: TrustListInput[Member] | undefined }

/** With as many entries as each may have they fit into memory (activities/trust-lists/gate.ts). */
export const MAX_LISTS = 20

const notFound = () => new Refusal('trust_list.not_found', 'The tenant has no such trust list.')

const columnsOf = ({ name, formats, enforced, entries }: TrustListInput) => ({
  name,
  formats: [...formats],
  enforced,
  entries: entries.map(heldEntry),
})

interface Parts extends Pick<Dependencies, 'database' | 'now' | 'uuid'> {
  operations: Operations
  trustGate: Pick<TrustListGate, 'forget'>
}

/** Lists of issuers that the tenant trusts: list, create, read, update, delete. */
export function createTrustLists({ database, now, uuid, operations, trustGate }: Parts) {
  /** Verifications of this process know the change when the answer is there. */
  async function change<Result>(
    call: Call,
    operationId: TenantChangeId,
    metadata: Metadata,
    work: (em: SqlEntityManager) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await operations.change(call, operationId, metadata, work)
    } finally {
      trustGate.forget(call.tenantId)
    }
  }

  return {
    /** Newest first, without their entries. */
    listTrustLists: (tenantId: string, { limit, offset }: { limit: number; offset: number }) =>
      inTenant(database.tenants, tenantId, async (em) => {
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [rows, total] = await em.findAndCount(TrustList, {}, { orderBy, limit, offset })
        return { trustLists: rows.map(toRecord), total }
      }),

    /** Throws `trust_list.not_found`. */
    readTrustList: (tenantId: string, id: string): Promise<TrustListRecord> =>
      inTenant(database.tenants, tenantId, async (em) => {
        const row = await em.findOne(TrustList, { id })
        if (!row) throw notFound()
        return toRecord(row)
      }),

    /** Throws `trust_list.invalid`, `trust_list.too_many`. */
    async createTrustList(call: Call, input: TrustListInput): Promise<TrustListRecord> {
      const { tenantId } = call
      const id = uuid()
      checkTrustList(input)
      return change(call, 'createTrustList', { id }, async (em) => {
        await takeTurn(em, `trust lists of ${tenantId}`)
        if ((await em.count(TrustList)) >= MAX_LISTS)
          throw new Refusal('trust_list.too_many', `A tenant can have ${MAX_LISTS} trust lists. Delete one first.`)
        const at = now()
        const row = em.create(TrustList, {
          ...{ id, tenantId, createdAt: at, updatedAt: at, revision: 1 },
          ...columnsOf(input),
        })
        await em.flush()
        return toRecord(row)
      })
    },

    /** Changes the members that are given. Throws `trust_list.invalid`, `trust_list.not_found`. */
    updateTrustList: (call: Call, id: string, changes: TrustListChanges): Promise<TrustListRecord> =>
      change(call, 'updateTrustList', { id }, async (em) => {
        const row = await em.findOne(TrustList, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
        if (!row) throw notFound()
        const input: TrustListInput = {
          name: changes.name ?? row.name,
          formats: changes.formats ?? row.formats,
          enforced: changes.enforced ?? row.enforced,
          entries: changes.entries ?? row.entries,
        }
        checkTrustList(input)
        Object.assign(row, { ...columnsOf(input), revision: row.revision + 1, updatedAt: now() })
        await em.flush()
        return toRecord(row)
      }),

    /** What it has counts no more. Throws `trust_list.not_found`. */
    async deleteTrustList(call: Call, id: string): Promise<void> {
      await change(call, 'deleteTrustList', { id }, async (em) => {
        if ((await em.nativeDelete(TrustList, { id })) === 0) throw notFound()
      })
    },
  }
}

export type TrustLists = ReturnType<typeof createTrustLists>
