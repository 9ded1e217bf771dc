import { LockMode } from '@mikro-orm/core'
import { Tenant } from '../../../entities/administration/tenants.ts'
import { TenantExport } from '../../../entities/administration/transfers.ts'
import { asSystem } from '../../../entities/orm.ts'
import type { Counts } from '../../../protocol/administration/transfers/file.ts'
import type { ExportState } from '../../../protocol/administration/transfers/work.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import { tenantNotFound } from '../tenants/records.ts'
import { createTransferStorage } from './storage.ts'

/** Days that a file can be downloaded. */
export const EXPORT_DAYS = 7

export interface ExportRecord {
  id: string
  tenantId: string
  state: ExportState
  counts: Counts
  /** Lines of the file so far. */
  lines: number
  /** Bytes of the file so far. */
  size: number
  reason: { code: string; message: string } | null
  createdAt: string
  endedAt: string | null
  expiresAt: string
}

export const toExportRecord = (row: TenantExport): ExportRecord => ({
  id: row.id,
  tenantId: row.tenantId,
  state: row.state,
  counts: row.counts,
  lines: row.lines,
  size: row.size,
  reason: row.failureCode ? { code: row.failureCode, message: row.failureMessage ?? '' } : null,
  createdAt: row.createdAt.toISOString(),
  endedAt: row.endedAt?.toISOString() ?? null,
  expiresAt: row.expiresAt.toISOString(),
})

const notFound = () => new Refusal('tenant_export.not_found', 'There is no such export, or its time is over.')

const underWay = () =>
  new Refusal('tenant_export.under_way', 'An export of this tenant is being written. Wait for its end.')

const CHUNK = 'select content from tenant_export_chunks where export_id = $1 and place = $2'

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'systemSql' | 'now' | 'uuid' | 'outbox'> {
  operations: Operations
  tenants: Pick<Tenants, 'first'>
}

/** Exports of tenants, for operators. */
export function createTenantExports({ config, database, systemSql, now, uuid, outbox, operations, tenants }: Parts) {
  const storage = createTransferStorage({ config })

  const find = (tenantId: string, id: string) =>
    asSystem(database.system, async (em) => {
      const row = await em.findOne(TenantExport, { id, tenantId, expiresAt: { $gt: now() } })
      if (!row) throw notFound()
      return row
    })

  return {
    /** Throws `tenant.not_found`, `tenant_export.under_way`. */
    createTenantExport(call: Call, tenantId: string): Promise<ExportRecord> {
      const id = uuid()
      return operations.changePlatform(call, 'createTenantExport', { id, subjectTenantId: tenantId }, async (em) => {
        // locked: of two requests at the same time the second finds the first
        const tenant = await em.findOne(
          Tenant,
          { id: tenantId, deletedAt: null },
          { lockMode: LockMode.PESSIMISTIC_WRITE },
        )
        if (!tenant) throw tenantNotFound()
        if (await em.findOne(TenantExport, { tenantId, state: 'RUNNING' })) throw underWay()
        const createdAt = now()
        const row = em.create(TenantExport, {
          ...{ id, tenantId, state: 'RUNNING', counts: {}, createdAt },
          ...{ kindAt: 0, lines: 0, chunks: 0, size: 0 },
          ...{ requestId: call.requestId, clientId: call.clientId },
          expiresAt: new Date(createdAt.getTime() + EXPORT_DAYS * 86_400_000),
        })
        await em.flush()
        await outbox.start(em, 'exportTenant', { tenantId: (await tenants.first()).id, exportId: id })
        return toExportRecord(row)
      })
    },

    /** Throws `tenant_export.not_found`. */
    readTenantExport: async (tenantId: string, id: string): Promise<ExportRecord> =>
      toExportRecord(await find(tenantId, id)),

    /** The file, a chunk at a time. Throws `tenant_export.not_found`, `tenant_export.not_done`. */
    async *tenantExportContent(tenantId: string, id: string): AsyncGenerator<Uint8Array> {
      const { state, chunks } = await find(tenantId, id)
      if (state !== 'DONE') throw new Refusal('tenant_export.not_done', 'The file is not whole yet, or cannot be made.')
      for (let place = 0; place < chunks; place += 1) {
        const { rows } = await systemSql.query<{ content: Buffer }>({ text: CHUNK, values: [id, place] })
        if (!rows[0]) throw new Error(`chunk ${place} of export ${id} is gone`)
        yield storage.openChunk(id, place, rows[0].content)
      }
    },
  }
}

export type TenantExports = ReturnType<typeof createTenantExports>
