import { LockMode } from '@mikro-orm/core'
import { DeletedTenant, Tenant } from '../../../entities/administration/tenants.ts'
import { asSystem } from '../../../entities/orm.ts'
import type { DeletionStep } from '../../../protocol/administration/tenants/deletion.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { DAY_MS } from '../../../protocol/time.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import { SUBDOMAIN_KEPT_DAYS } from './lifecycle.ts'
import { tenantNotFound } from './records.ts'

/** What stays of a deleted tenant. */
export interface DeletionRecord {
  id: string
  name: string
  subdomain: string
  step: DeletionStep
  requestedAt: string
  /** When the last key and the last row were gone. */
  erasedAt: string | null
  workflowsEnded: number
  keysDestroyed: number
  rowsDeleted: number
  /** Why the step is not done yet. */
  reason: string | null
  lookedAt: string | null
  nextLookAt: string | null
  /** From when on another tenant may have the subdomain. */
  subdomainFreeAt: string
}

const toRecord = (row: DeletedTenant): DeletionRecord => ({
  id: row.id,
  name: row.name,
  subdomain: row.subdomain,
  step: row.step,
  requestedAt: row.requestedAt.toISOString(),
  erasedAt: row.erasedAt?.toISOString() ?? null,
  workflowsEnded: row.workflowsEnded,
  keysDestroyed: row.keysDestroyed,
  rowsDeleted: row.rowsDeleted,
  reason: row.reason ?? null,
  lookedAt: row.lookedAt?.toISOString() ?? null,
  nextLookAt: row.nextLookAt?.toISOString() ?? null,
  subdomainFreeAt: new Date(row.requestedAt.getTime() + SUBDOMAIN_KEPT_DAYS * DAY_MS).toISOString(),
})

interface Parts extends Pick<Dependencies, 'database' | 'now' | 'outbox'> {
  operations: Operations
  tenants: Pick<Tenants, 'first'>
}

/** Deletes tenants, for operators: the request refuses them from its commit on, and a workflow erases them. */
export function createTenantDeletion({ database, now, outbox, operations, tenants }: Parts) {
  return {
    /** Throws `tenant.not_found`, `tenant.is_first`. */
    deleteTenant: (call: Call, id: string): Promise<DeletionRecord> =>
      operations.changePlatform(call, 'deleteTenant', { id }, async (em) => {
        // locked: of two requests at the same time the second finds nothing
        const row = await em.findOne(Tenant, { id, deletedAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE })
        if (!row) throw tenantNotFound()
        if (row.isFirst)
          throw new Refusal(
            'tenant.is_first',
            'The first tenant stays: operators’ clients belong to it, and it answers at the bare host.',
          )
        const requestedAt = now()
        // no organization and no ecosystem has it any more
        Object.assign(row, {
          deletedAt: requestedAt,
          organizationId: null,
          ecosystemId: null,
          ecosystemParticipantId: null,
        })
        const { name, subdomain } = row
        const { clientId, requestId } = call
        const tombstone = em.create(DeletedTenant, {
          ...{ id, name, subdomain, clientId, requestId, requestedAt, step: 'refused' },
          ...{ keysDestroyed: 0, rowsDeleted: 0, workflowsEnded: 0 },
        })
        await em.flush()
        await outbox.start(em, 'deleteTenant', { tenantId: (await tenants.first()).id, subjectTenantId: id })
        return toRecord(tombstone)
      }),

    /** Also after the tenant is gone. Throws `tenant.not_found` where no deletion was requested. */
    readTenantDeletion: (id: string): Promise<DeletionRecord> =>
      asSystem(database.system, async (em) => {
        const row = await em.findOne(DeletedTenant, { id })
        if (!row) throw tenantNotFound()
        return toRecord(row)
      }),
  }
}

export type TenantDeletion = ReturnType<typeof createTenantDeletion>
