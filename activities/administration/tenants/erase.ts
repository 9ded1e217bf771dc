import { asSystem } from '../../../entities/orm.ts'
import { TENANT_ERASE_ENTRY } from '../../../protocol/administration/entries.ts'
import type { TenantSubject } from '../../../protocol/administration/tenants/provisioning.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import { NIL_UUID } from '../../../protocol/uuid.ts'
import type { Dependencies } from '../../dependencies.ts'
import { addLogEntry } from '../../frame/log-entries.ts'
import { alongIndex, createFailures } from '../../frame/slices.ts'
import { runningWorkflows, terminateWorkflow } from '../../frame/temporal/ending.ts'
import type { KeyRef } from '../../keys/index.ts'
import { ownedTables, rowsOfTenant } from './tables.ts'

/** Workflows that one call ends. */
const WORKFLOWS = 50
/** Keys that one call destroys. */
const KEYS = 50
/** Rows of one statement: far from its time limit, whatever refers to them. */
const ROWS = 1_000
/** Time that one call works, so that its workflow can show progress. */
const SLICE_MS = 5_000

const DROP_STARTS = `delete from outbox where ctid = any (array(
  select ctid from outbox where tenant_id = ? and started_at is null limit ${ROWS})) returning 1`
const NOTE_ENDED = `update deleted_tenants set workflows_ended = workflows_ended + $2 where id = $1`
const NOTE_STEP = `update deleted_tenants set step = $2, reason = $3, looked_at = clock_timestamp(),
  next_look_at = clock_timestamp() + make_interval(secs => $4) where id = $1 and erased_at is null`

const NEXT_KEYS = `select id as "keyId", tenant_id as "tenantId", key_type as "keyType" from keys
where tenant_id = $1 and id > $2 order by id limit ${KEYS}`
const DELETE_KEYS = `with gone as (delete from keys where tenant_id = $1 and id = any ($2::uuid[]) returning 1),
  counted as (select count(*)::int as rows from gone)
update deleted_tenants set keys_destroyed = keys_destroyed + rows, rows_deleted = rows_deleted + rows
from counted where id = $1`

const deleteSlice = (table: string) => `with gone as (
    delete from ${table} where ctid = any (array(${rowsOfTenant(table)} limit ${ROWS})) returning 1),
  counted as (select count(*)::int as rows from gone)
update deleted_tenants set rows_deleted = rows_deleted + rows from counted where id = ? returning rows`

const LATELY = `select id from deleted_tenants where erased_at > now() - interval '7 days' order by erased_at`

type Parts = Pick<Dependencies, 'database' | 'systemSql' | 'temporal' | 'keys' | 'log' | 'now' | 'uuid'>

export interface KeyStep {
  /** Where the next call begins; absent after the last key. */
  next?: string
  /** Why nothing was destroyed. */
  waiting?: string
}

/** The steps that erase a deleted tenant. Each is safe to repeat, in any order. */
export function createTenantErasure({ database, systemSql, temporal, keys, log, now, uuid }: Parts) {
  const run = <Row extends object>(text: string, ...values: unknown[]) =>
    systemSql.query<Row>({ text, values }).then(({ rows }) => rows)
  const runAlong = <Row extends object>(text: string, ...values: unknown[]) =>
    alongIndex<Row>(database.system, text, values)

  const noteStep = (id: string, step: 'refused' | 'keys' | 'rows', reason: string | null = null, nextInMs?: number) =>
    run(NOTE_STEP, id, step, reason, nextInMs === undefined ? null : nextInMs / 1000)

  /** Destroys the keys of one page of rows, and then deletes the rows: after a crash they are left to find the keys. */
  async function destroyPage(id: string, after: string): Promise<KeyRef[]> {
    const page = await run<KeyRef>(NEXT_KEYS, id, after)
    for (const key of page) await keys.delete(key)
    return page
  }

  /** Keys go before their rows, whichever step meets them. */
  async function deleteKeyRows(id: string): Promise<number> {
    const page = await destroyPage(id, NIL_UUID)
    if (page.length > 0)
      await run(
        DELETE_KEYS,
        id,
        page.map(({ keyId }) => keyId),
      )
    return page.length
  }

  async function deleteRowsOf(id: string, table: string): Promise<number> {
    if (table === 'keys') return deleteKeyRows(id)
    const [counted] = await runAlong<{ rows: number }>(deleteSlice(table), id, id)
    return counted?.rows ?? 0
  }

  const remaining = async (id: string, tables: readonly string[]) => {
    const text = tables
      .map((table) => `select '${table}' as name where exists (${rowsOfTenant(table)})`)
      .join(' union all ')
    const found = await runAlong<{ name: string }>(text, ...tables.map(() => id))
    return found.map(({ name }) => name)
  }

  const steps = {
    /** Ends workflows of the tenant, and those that the outbox would start. `running`: there may be more. */
    async endTenantWork({ subjectTenantId: id }: TenantSubject): Promise<{ running: boolean }> {
      await noteStep(id, 'refused')
      const dropped = await runAlong(DROP_STARTS, id)
      const found = await runningWorkflows(temporal, id, WORKFLOWS)
      let ended = 0
      for (const workflowId of found)
        if (await terminateWorkflow(temporal, workflowId, 'the tenant is deleted')) ended += 1
      if (ended > 0) await run(NOTE_ENDED, id, ended)
      return { running: found.length > 0 || dropped.length === ROWS }
    },

    /** Destroys keys in the store, with all versions; while the store is away, says why and when the next try is. */
    async destroyTenantKeys({
      subjectTenantId: id,
      after = NIL_UUID,
      nextInMs,
    }: TenantSubject & { after?: string; nextInMs: number }): Promise<KeyStep> {
      try {
        const last = (await destroyPage(id, after)).at(-1)
        await noteStep(id, 'keys')
        return last ? { next: last.keyId } : {}
      } catch (error) {
        if (!(error instanceof Unavailable && error.part === 'keys')) throw error
        await noteStep(id, 'keys', error.message, nextInMs)
        return { waiting: error.message }
      }
    },

    /** Deletes rows for some seconds; those that others refer to last. */
    async deleteTenantRows({ subjectTenantId: id }: TenantSubject): Promise<{ done: boolean }> {
      await noteStep(id, 'rows')
      const end = Date.now() + SLICE_MS
      for (const table of await ownedTables(systemSql))
        while ((await deleteRowsOf(id, table)) > 0) if (Date.now() >= end) return { done: false }
      return { done: true }
    },

    /** Deletes the tenant itself, unless somebody wrote a row meanwhile. The log entry is written once. */
    async finishTenantDeletion({ tenantId, subjectTenantId: id }: TenantSubject): Promise<{ erased: boolean }> {
      const tables = await ownedTables(systemSql)
      if ((await remaining(id, tables)).length > 0) return { erased: false }
      return asSystem(database.system, async (em) => {
        await em.execute('delete from tenants where id = ? and deleted_at is not null', [id])
        const [tombstone] = await em.execute<{ requestId: string; clientId: string; rows: string; keys: number }[]>(
          `update deleted_tenants set erased_at = ?, step = 'erased', reason = null, next_look_at = null
           where id = ? and erased_at is null
           returning request_id as "requestId", client_id as "clientId", rows_deleted as rows, keys_destroyed as keys`,
          [now(), id],
        )
        if (!tombstone) return { erased: true }
        const { requestId, clientId, rows, keys: destroyed } = tombstone
        const metadata = { id, rowsDeleted: Number(rows), keysDestroyed: destroyed }
        const entry = { tenantId, requestId, clientId, ...TENANT_ERASE_ENTRY, outcome: 'SUCCESS', metadata } as const
        addLogEntry(em, { now, uuid }, entry)
        return { erased: true }
      })
    },
  }

  async function eraseLeftoversOf(id: string, tables: readonly string[]): Promise<number> {
    let deleted = 0
    for (const table of await remaining(id, tables))
      for (let rows = await deleteRowsOf(id, table); rows > 0; rows = await deleteRowsOf(id, table)) deleted += rows
    return deleted
  }

  return {
    ...steps,

    /**
     * Rows that somebody wrote after their tenant was gone, into tables that refer to no tenant: a step of a workflow that
     * was under way for longer than the deletion waited. A tenant that fails holds up no other one.
     */
    async eraseLeftovers(): Promise<number> {
      const gone = await run<{ id: string }>(LATELY)
      if (gone.length === 0) return 0
      const tables = await ownedTables(systemSql)
      const failures = createFailures((error, deletedTenantId) =>
        log.error({ err: error, deletedTenantId }, 'rows of a deleted tenant were not deleted'),
      )
      let deleted = 0
      for (const { id } of gone)
        await failures.attempt(id, async () => {
          deleted += await eraseLeftoversOf(id, tables)
        })
      failures.end('rows were not deleted')
      return deleted
    },
  }
}

export type TenantErasure = ReturnType<typeof createTenantErasure>
