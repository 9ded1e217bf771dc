import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { DeletedTenant, OAuth2Client, Tenant } from '../../../entities/administration/tenants.ts'
import { type ImportFailure, TenantImport } from '../../../entities/administration/transfers.ts'
import { asSystem, takeTurn } from '../../../entities/orm.ts'
import { TENANT_IMPORT_ENTRY } from '../../../protocol/administration/entries.ts'
import type { ImportState, ImportSubject } from '../../../protocol/administration/transfers/work.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { SCOPES } from '../../../protocol/tokens-logs/index.ts'
import type { Dependencies } from '../../dependencies.ts'
import { addLogEntry } from '../../frame/log-entries.ts'
import { assertSubdomainFree, findOrganization } from '../tenants/lifecycle.ts'
import { firstTenantId } from '../tenants/records.ts'
import { createChecking } from './checking.ts'
import { createTransferStorage, type Segment } from './storage.ts'
import { createWriting } from './writing.ts'

/** Time that one call works, so that its workflow can show progress. */
const SLICE_MS = 5_000

const SEGMENT =
  'select first_line as "firstLine", content from tenant_import_segments where import_id = $1 and place = $2'

/** Imports of one tenant at once: each has found its ids free, and one gets them. One that was done before is in the tables. */
const SAME_IDS = `select 1 from tenant_imports where id <> ? and keeps_ids and header->'tenant'->>'id' = ?
  and (state = 'WRITING' or state = 'DONE' and ended_at > ?) limit 1`

export interface ImportStep {
  state: ImportState
  lines: number
}

type Parts = Pick<Dependencies, 'config' | 'database' | 'systemSql' | 'documents' | 'outbox' | 'now' | 'uuid'>

/** Checks the lines of a file, and writes them into a new tenant that nobody finds before the last one. */
export function createImporting(parts: Parts) {
  const { config, database, systemSql, outbox, now, uuid } = parts
  const storage = createTransferStorage({ config })
  const check = createChecking(parts)
  const { write, complete } = createWriting(parts)

  async function segmentOf(importId: string, place: number): Promise<Segment> {
    type Row = { firstLine: number; content: Buffer }
    const { rows } = await systemSql.query<Row>({ text: SEGMENT, values: [importId, place] })
    if (!rows[0]) throw new Error(`segment ${place} of import ${importId} is gone`)
    return { firstLine: rows[0].firstLine, lines: await storage.openSegment(importId, place, rows[0].content) }
  }

  /** Changes the row, unless another attempt was here first. */
  const advance = (before: TenantImport, change: (row: TenantImport, em: SqlEntityManager) => Promise<void> | void) =>
    asSystem(database.system, async (em): Promise<ImportStep> => {
      const lock = { lockMode: LockMode.PESSIMISTIC_WRITE } as const
      const { id, state, segmentAt } = before
      const row = await em.findOne(TenantImport, { id, state, segmentAt }, lock)
      if (!row) return { state, lines: before.lines }
      await change(row, em)
      return { state: row.state, lines: row.lines }
    })

  async function logEnd(em: SqlEntityManager, row: TenantImport, reason?: string): Promise<void> {
    const { id, subjectTenantId, requestId, clientId, lines } = row
    addLogEntry(
      em,
      { now, uuid },
      {
        ...{ tenantId: await firstTenantId(em), requestId, clientId, ...TENANT_IMPORT_ENTRY },
        outcome: reason === undefined ? 'SUCCESS' : 'FAIL',
        metadata: { id, subjectTenantId, lines, ...(reason !== undefined && { reason }) },
      },
    )
  }

  /** The tenant with its settings, which nobody finds: as one that is being deleted. */
  async function addTenant(em: SqlEntityManager, row: TenantImport, settings: Partial<Tenant>): Promise<void> {
    await assertSubdomainFree(em, row.subdomain)
    const at = now()
    const { subjectTenantId: id, environmentId, organizationId, name, subdomain, requestId } = row
    em.create(Tenant, {
      ...{ id, environmentId, name, subdomain, createdAt: at, updatedAt: at, deletedAt: at },
      ...settings,
      // it may have been deleted since the upload was looked at
      organizationId: await findOrganization(em, organizationId),
      status: 'ready',
      wanted: { requestId },
    })
    await em.flush()
  }

  /** The tenant with its first client, and nothing that was for the import alone. */
  async function reveal(em: SqlEntityManager, row: TenantImport): Promise<void> {
    const at = now()
    const { subjectTenantId: tenantId, firstClientId, secretHash } = row
    await em.nativeUpdate(Tenant, { id: tenantId }, { deletedAt: null, updatedAt: at })
    em.create(OAuth2Client, {
      ...{ id: firstClientId, tenantId, name: 'First client', scopes: [...SCOPES], createdAt: at, updatedAt: at },
      description: 'Made with the tenant; may do everything in it',
      secretHash,
    })
    await em.execute('delete from tenant_import_segments where import_id = ?', [row.id])
    Object.assign(row, { state: 'DONE', endedAt: at })
    await em.flush()
    await logEnd(em, row)
  }

  const keep = (refusal: Refusal): ImportFailure => ({
    code: refusal.code,
    message: refusal.message,
    errors: refusal.errors.slice(0, 20),
  })

  /** Nothing stays of the tenant: its deletion goes the way of every other one. */
  async function undo(em: SqlEntityManager, row: TenantImport, refusal: Refusal): Promise<void> {
    const { subjectTenantId: id, name, subdomain, clientId, requestId } = row
    Object.assign(row, { state: 'FAILED', failure: keep(refusal), endedAt: now(), needs: [], moreNeeds: 0 })
    await em.execute('delete from tenant_import_segments where import_id = ?', [row.id])
    const tenant = await em.findOne(Tenant, { id })
    if (tenant) {
      tenant.organizationId = null
      em.create(DeletedTenant, {
        ...{ id, name, clientId, requestId, requestedAt: now(), step: 'refused' },
        // nobody found it under the subdomain, which is free again
        subdomain: `~${subdomain}`,
        ...{ keysDestroyed: 0, rowsDeleted: 0, workflowsEnded: 0 },
      })
      await em.flush()
      const subject = { tenantId: await firstTenantId(em), subjectTenantId: id }
      await outbox.start(em, 'deleteTenant', { ...subject, settleSeconds: 0 })
    }
    await em.flush()
    await logEnd(em, row, refusal.code)
  }

  async function checkNext(row: TenantImport): Promise<ImportStep> {
    if (row.segmentAt < row.segments) {
      const checked = await check.segment(row, await segmentOf(row.id, row.segmentAt))
      return advance(row, (here) => {
        Object.assign(here, checked, { segmentAt: row.segmentAt + 1 })
      })
    }
    const settings = await check.whole(row, () => segmentOf(row.id, 0))
    return advance(row, async (here, em) => {
      await takeTurn(em, 'ids of tenant imports')
      const others = await em.execute(SAME_IDS, [here.id, here.header?.tenant.id ?? '', here.createdAt])
      await addTenant(em, here, settings)
      Object.assign(here, { state: 'WRITING', segmentAt: 0, lines: 0, keepsIds: here.keepsIds && others.length === 0 })
    })
  }

  async function writeNext(row: TenantImport): Promise<ImportStep> {
    if (row.segmentAt < row.segments) {
      const written = await write(row, await segmentOf(row.id, row.segmentAt))
      return advance(row, (here) => {
        Object.assign(here, written, { segmentAt: row.segmentAt + 1 })
      })
    }
    await complete(row)
    return advance(row, (here, em) => reveal(em, here))
  }

  async function step(importId: string): Promise<ImportStep> {
    const row = await asSystem(database.system, (em) => em.findOne(TenantImport, { id: importId }))
    if (!row || row.state === 'RECEIVING') return { state: 'FAILED', lines: 0 }
    if (row.state !== 'CHECKING' && row.state !== 'WRITING') return { state: row.state, lines: row.lines }
    try {
      return await (row.state === 'CHECKING' ? checkNext(row) : writeNext(row))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return advance(row, (here, em) => undo(em, here, error))
    }
  }

  return {
    /**
     * Goes on with an import for some seconds. Safe to repeat: the row has the segment that comes next, and rows that are
     * there already are not written again.
     */
    async continueTenantImport({ importId }: ImportSubject): Promise<ImportStep> {
      const end = Date.now() + SLICE_MS
      for (;;) {
        const reached = await step(importId)
        if (reached.state === 'DONE' || reached.state === 'FAILED' || Date.now() >= end) return reached
      }
    },

    /** Ends an import that nobody goes on with. */
    async abandonTenantImport(importId: string): Promise<void> {
      const row = await asSystem(database.system, (em) => em.findOne(TenantImport, { id: importId }))
      if (!row) return
      const abandoned = new Refusal('tenant_import.abandoned', 'The import did not end in its time.')
      await advance(row, (here, em) => undo(em, here, abandoned))
    },
  }
}

export type Importing = Pick<ReturnType<typeof createImporting>, 'continueTenantImport'>
