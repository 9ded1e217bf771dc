import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Environment, Tenant } from '../../../entities/administration/tenants.ts'
import { TenantExport } from '../../../entities/administration/transfers.ts'
import { asSystem } from '../../../entities/orm.ts'
import { TENANT_EXPORT_ENTRY } from '../../../protocol/administration/entries.ts'
import {
  type Counts,
  chained,
  endLine,
  FORMAT,
  FORMAT_VERSION,
  headerLine,
  rowLine,
} from '../../../protocol/administration/transfers/file.ts'
import { KIND_NAMES, type KindName } from '../../../protocol/administration/transfers/kinds.ts'
import type { ExportState, ExportSubject } from '../../../protocol/administration/transfers/work.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import { addLogEntry } from '../../frame/log-entries.ts'
import { firstTenantId, toTenantRecord } from '../tenants/records.ts'
import { createTransferRecords } from './records.ts'
import { countStatement, pageStatement } from './sources.ts'
import { run } from './statements.ts'
import { CHUNK_LENGTH, createTransferStorage } from './storage.ts'
import { platformVersion } from './version.ts'

/** Time that one call works, so that its workflow can show progress. */
const SLICE_MS = 5_000

const KEEP = `insert into tenant_export_chunks (tenant_id, export_id, place, content) values (?, ?, ?, ?)`

interface PageRow {
  at: string
  id: string
  line: string
}

type Parts = Pick<Dependencies, 'config' | 'database' | 'now' | 'uuid'>

/** Writes the files of exports. */
export function createExporting({ config, database, now, uuid }: Parts) {
  const storage = createTransferStorage({ config })
  const records = createTransferRecords({ config })

  /** The next rows of a kind. */
  function nextPage(em: SqlEntityManager, kind: KindName, row: TenantExport): Promise<PageRow[]> {
    const after = [row.afterAt ?? null, row.afterId ?? null]
    return run<PageRow>(em, pageStatement(kind), row.tenantId, row.createdAt.toISOString(), ...after)
  }

  async function header(em: SqlEntityManager, row: TenantExport): Promise<string> {
    const tenant = await em.findOneOrFail(Tenant, { id: row.tenantId })
    const environment = await em.findOneOrFail(Environment, { id: tenant.environmentId })
    const { baseUrl } = toTenantRecord(config, tenant, environment)
    const counts: Counts = {}
    for (const kind of KIND_NAMES) {
      const [counted] = await run<{ count: number }>(em, countStatement(kind), row.tenantId, row.createdAt)
      counts[kind] = counted?.count ?? 0
    }
    return headerLine({
      ...{ format: FORMAT, formatVersion: FORMAT_VERSION, platformVersion },
      exportedAt: row.createdAt.toISOString(),
      environment: { id: environment.id, name: environment.name },
      tenant: { id: tenant.id, name: tenant.name, subdomain: tenant.subdomain, baseUrl },
      counts,
    })
  }

  /** Adds to `lines` until there are enough of them; the row then tells where the next chunk begins. */
  async function collect(em: SqlEntityManager, row: TenantExport, add: (line: string) => void, isFull: () => boolean) {
    const counts = { ...row.counts }
    for (let kind = KIND_NAMES[row.kindAt]; kind !== undefined && !isFull(); kind = KIND_NAMES[row.kindAt]) {
      const page = await nextPage(em, kind, row)
      let taken = 0
      for (const { at, id, line } of page) {
        if (isFull()) break
        add(rowLine(kind, records.exported(kind, row.tenantId, line)))
        Object.assign(row, { afterAt: at, afterId: id })
        taken += 1
      }
      counts[kind] = (counts[kind] ?? 0) + taken
      // the settings are one row, and have no place
      const isOver = page.length === 0 || kind === 'settings'
      if (isOver) Object.assign(row, { kindAt: row.kindAt + 1, afterAt: null, afterId: null })
    }
    row.counts = counts
  }

  /** One chunk with the place that was reached, in one transaction. */
  const writeChunk = (exportId: string): Promise<{ state: ExportState; rows: number }> =>
    asSystem(database.system, async (em) => {
      const row = await em.findOne(TenantExport, { id: exportId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      // deleted with its tenant, or when its time was over
      if (!row) return { state: 'FAILED', rows: 0 }
      if (row.state !== 'RUNNING') return { state: row.state, rows: row.lines }
      const lines: string[] = []
      let length = 0
      const add = (line: string) => {
        lines.push(line)
        length += line.length
        row.digest = chained(row.digest ? Buffer.from(row.digest) : null, line)
        row.lines += 1
      }
      if (row.lines === 0) add(await header(em, row))
      await collect(em, row, add, () => length >= CHUNK_LENGTH)
      const isWhole = row.kindAt >= KIND_NAMES.length
      if (isWhole) {
        const { counts, lines: before, digest } = row
        add(endLine({ counts, lines: before, digest: Buffer.from(digest ?? []).toString('hex') }))
        Object.assign(row, { state: 'DONE', endedAt: now() })
        const metadata = { id: exportId, subjectTenantId: row.tenantId, lines: row.lines }
        await logEnd(em, row, 'SUCCESS', metadata)
      }
      const { size, content } = await storage.sealChunk(exportId, row.chunks, lines)
      await em.execute(KEEP, [row.tenantId, exportId, row.chunks, content])
      Object.assign(row, { chunks: row.chunks + 1, size: row.size + size })
      return { state: row.state, rows: row.lines }
    })

  async function logEnd(
    em: SqlEntityManager,
    { requestId, clientId }: TenantExport,
    outcome: 'SUCCESS' | 'FAIL',
    metadata: Record<string, string | number>,
  ) {
    const tenantId = await firstTenantId(em)
    const entry = { tenantId, requestId, clientId, ...TENANT_EXPORT_ENTRY, outcome, metadata }
    addLogEntry(em, { now, uuid }, entry)
  }

  const fail = (exportId: string, { code, message }: Refusal) =>
    asSystem(database.system, async (em): Promise<{ state: ExportState; rows: number }> => {
      const row = await em.findOne(TenantExport, { id: exportId, state: 'RUNNING' })
      if (!row) return { state: 'FAILED', rows: 0 }
      Object.assign(row, { state: 'FAILED', failureCode: code, failureMessage: message, endedAt: now() })
      await em.execute('delete from tenant_export_chunks where export_id = ?', [exportId])
      await logEnd(em, row, 'FAIL', { id: exportId, subjectTenantId: row.tenantId, reason: code })
      return { state: 'FAILED', rows: row.lines }
    })

  return {
    /** Writes chunks for some seconds. Safe to repeat: each chunk comes with the place where the next one begins. */
    async writeTenantExport({ exportId }: ExportSubject): Promise<{ state: ExportState; rows: number }> {
      const end = Date.now() + SLICE_MS
      for (;;) {
        const step = await writeChunk(exportId).catch((error: unknown) => {
          if (error instanceof Refusal) return fail(exportId, error)
          throw error
        })
        if (step.state !== 'RUNNING' || Date.now() >= end) return step
      }
    },
  }
}

export type Exporting = ReturnType<typeof createExporting>
