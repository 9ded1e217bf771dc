import { isDeepStrictEqual } from 'node:util'
import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { inTenant, takeTurn } from '../../entities/orm.ts'
import { TrustList } from '../../entities/trust-lists/lists.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { TenantChangeId } from '../../protocol/operations.ts'
import { checkTrustList, MAX_LISTS, type TrustEntry, type TrustListInput } from '../../protocol/trust-lists/lists.ts'
import { checkSource, type TrustSourceInput } from '../../protocol/trust-lists/sources.ts'
import { remembered } from '../../protocol/trust-lists/standing.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call, Metadata, Operations } from '../frame/operations.ts'
import { assertCallable } from '../frame/outbound/url.ts'
import { createReadAgain } from './again.ts'
import { applyFailure, createReadingNotes, type FailedReading, keepUnused } from './failures.ts'
import type { TrustListGate } from './gate.ts'
import type { TrustImports } from './imports.ts'
import type { ReadLists } from './list-of-lists.ts'
import { type TrustListRecord, toRecord, toSummary } from './records.ts'
import { countsOf, fullOf } from './room.ts'
import { applyImport } from './rows.ts'

/** With either entries or a source. */
export interface NewTrustList extends Omit<TrustListInput, 'entries'> {
  entries?: readonly TrustEntry[] | undefined
  source?: TrustSourceInput | undefined
}

export type TrustListChanges = { [Member in keyof NewTrustList]?: NewTrustList[Member] | undefined }

const notFound = () => new Refusal('trust_list.not_found', 'The tenant has no such trust list.')

const changedMeanwhile = () =>
  new Refusal('trust_list.changed', 'The trust list was changed while its source was read. Read it, and repeat.')

const NOT_IMPORTED = {
  ...{ source: null, facts: null, fetchedAt: null, staleAt: null, staleNoted: false, dueAt: null, failure: null },
}

function assertOneOrigin({ entries, source }: TrustListChanges): void {
  if (entries === undefined || source === undefined) return
  throw new Refusal('trust_list.invalid', 'The trust list cannot be used; see errors.', [
    { path: 'source', code: 'variant', message: 'expected entries or a source, and not both' },
  ])
}

const withoutDocument = ({ document: _, ...source }: TrustSourceInput) => source

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'now' | 'uuid' | 'log'> {
  operations: Operations
  trustGate: Pick<TrustListGate, 'forget'>
  trustImports: TrustImports
}

/** Lists of issuers that the tenant trusts: list, create, read, update, refresh, delete. */
export function createTrustLists(parts: Parts) {
  const { config, database, now, uuid, operations, trustGate, trustImports } = parts
  const readAgain = createReadAgain(parts)

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

  /** Reads the list of a new source. `before`: the list whose source it takes the place of. */
  async function imported(
    call: Call,
    source: TrustSourceInput,
    roles: Pick<TrustListInput, 'formats' | 'attests'>,
    before?: TrustList,
  ) {
    // what was done under this Idempotency-Key is not read again
    if (call.idempotency && 'effect' in call.idempotency) return undefined
    checkSource(source)
    if (source.url !== undefined) callable(source.url, 'source.url')
    if (source.listOfLists) callable(source.listOfLists.url, 'source.listOfLists.url')
    const known = remembered(before ?? {}, source)
    const lists = await trustImports.readLists(call.tenantId, source, known.lists)
    const { document } = source
    const how = { lists, document }
    return keeping(before, source, lists, () =>
      trustImports.read(call.tenantId, source, { ...roles, facts: known.facts, isNew: true }, how),
    )
  }

  /** What the list of lists of an update said is known, also where the update is refused after it. */
  async function keeping<Result>(
    before: TrustList | undefined,
    source: TrustSourceInput | undefined,
    lists: ReadLists | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      if (before && source && lists) await notingFailure(before, (row) => keepUnused(row, source, lists, now()))
      throw error
    }
  }

  function callable(url: string, path: string): void {
    try {
      assertCallable(url, config.outbound)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      throw new Refusal('trust_list.invalid', 'The source of the trust list cannot be used; see errors.', [
        {
          path,
          code: error.code.replace('outbound.', ''),
          message: `expected another URL. ${error.message}`,
        },
      ])
    }
  }

  const read = (tenantId: string, id: string): Promise<TrustList> =>
    inTenant(database.tenants, tenantId, async (em) => {
      const row = await em.findOne(TrustList, { id })
      if (!row) throw notFound()
      return row
    })

  /** Writes over a row as it was read: what was read outside of the transaction fits no other one. */
  const writing = (
    call: Call,
    operationId: TenantChangeId,
    before: TrustList,
    work: (row: TrustList, em: SqlEntityManager) => void,
  ): Promise<TrustListRecord> =>
    change(call, operationId, { id: before.id }, async (em) => {
      const row = await em.findOne(TrustList, { id: before.id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      if (!row) throw notFound()
      if (row.revision !== before.revision) throw changedMeanwhile()
      const held = row.entries.length
      work(row, em)
      const full = row.entries.length > held && (await fullOf(em, row))
      if (full) throw full
      await em.flush()
      return toRecord(row, now())
    })

  const note = createReadingNotes({ now, uuid })

  /** Writes over a row unless it was changed meanwhile. `work` returns what is wrong that the log does not say yet. */
  async function notingFailure(before: TrustList, work: (row: TrustList) => Refusal | undefined): Promise<void> {
    await inTenant(database.tenants, before.tenantId, async (em) => {
      const row = await em.findOne(TrustList, { id: before.id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      if (row?.revision !== before.revision) return
      const unnoted = work(row)
      if (unnoted) note(em, row, 'FAIL', { code: unnoted.code })
    })
    trustGate.forget(before.tenantId)
  }

  /** Keeps why a list could not be read, as the schedule does. */
  const keepFailure = (before: TrustList, failed: FailedReading): Promise<void> =>
    notingFailure(before, (row) => applyFailure(row, failed, now()))

  return {
    /** Newest first. */
    listTrustLists: (tenantId: string, { limit, offset }: { limit: number; offset: number }) =>
      inTenant(database.tenants, tenantId, async (em) => {
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        // their entries would be megabytes, and nobody asks for them here
        const how = { orderBy, limit, offset, exclude: ['entries'] } as const
        const [rows, total] = await em.findAndCount(TrustList, {}, how)
        const counts = await countsOf(em, rows)
        return { trustLists: rows.map((row) => toSummary(row, counts.get(row.id) ?? 0, now())), total }
      }),

    /** Throws `trust_list.not_found`. */
    readTrustList: async (tenantId: string, id: string): Promise<TrustListRecord> =>
      toRecord(await read(tenantId, id), now()),

    /** Throws `trust_list.invalid`, `trust_list.too_many`, `trust_list.too_many_entries`, `trust_list.source_…`, `trust_list.lotl_…`. */
    async createTrustList(call: Call, { source, ...input }: NewTrustList): Promise<TrustListRecord> {
      const { tenantId } = call
      const id = uuid()
      assertOneOrigin({ ...input, source })
      const { name, formats, attests, enforced, entries = [] } = input
      const checked = { name, formats, attests, enforced, entries }
      const held = await checkTrustList(checked, source && { held: [], unread: true })
      const list = source && (await imported(call, source, { formats, attests }))
      return change(call, 'createTrustList', { id }, async (em) => {
        await takeTurn(em, `trust lists of ${tenantId}`)
        if ((await em.count(TrustList)) >= MAX_LISTS)
          throw new Refusal('trust_list.too_many', `A tenant can have ${MAX_LISTS} trust lists. Delete one first.`)
        const at = now()
        const row = em.create(TrustList, {
          ...{ id, tenantId, name, formats: [...formats], attests: [...attests], enforced, revision: 1 },
          ...{ createdAt: at, updatedAt: at },
          ...NOT_IMPORTED,
          entries: [...held],
          source: source ? withoutDocument(source) : null,
        })
        if (list) applyImport(row, list, at)
        const full = await fullOf(em, row)
        if (full) throw full
        await em.flush()
        return toRecord(row, at)
      })
    },

    /**
     * Changes the members that are given; entries take the place of a source, and a source that of entries. Throws
     * `trust_list.invalid`, `trust_list.not_found`, `trust_list.changed`, `trust_list.too_many_entries`,
     * `trust_list.source_…`, `trust_list.lotl_…`.
     */
    async updateTrustList(call: Call, id: string, { source, ...changes }: TrustListChanges): Promise<TrustListRecord> {
      const before = await read(call.tenantId, id)
      assertOneOrigin({ ...changes, source })
      const { name = before.name, formats = before.formats, attests = before.attests } = changes
      const { enforced = before.enforced } = changes
      const entries = changes.entries ?? before.entries
      const isImported = source !== undefined || (before.source != null && changes.entries === undefined)
      // a list that its operator has emptied stays one, and can still be renamed or no longer be enforced
      const isAsBefore = isDeepStrictEqual([formats, attests], [before.formats, before.attests])
      const held = await checkTrustList(
        { name, formats, attests, enforced, entries },
        {
          held: changes.entries ? undefined : before.entries,
          unread: source !== undefined || (isImported && isAsBefore),
        },
      )
      const list = source && (await imported(call, source, { formats, attests }, before))
      const write = (row: TrustList): void => {
        const at = now()
        Object.assign(row, { name, formats: [...formats], attests: [...attests], enforced })
        Object.assign(row, { revision: row.revision + 1, updatedAt: at })
        if (changes.entries) Object.assign(row, { ...NOT_IMPORTED, entries: [...held] })
        if (source) row.source = withoutDocument(source)
        if (list) applyImport(row, list, at)
      }
      return keeping(before, source, list?.lists, () => writing(call, 'updateTrustList', before, write))
    },

    /**
     * Reads the URL of its source now; what is wrong with it is kept as `failure`. Throws `trust_list.not_found`,
     * `trust_list.no_url`, `trust_list.changed`, `trust_list.too_many_entries`, `trust_list.source_…`,
     * `trust_list.lotl_…`.
     */
    async refreshTrustList(call: Call, id: string): Promise<TrustListRecord> {
      const before = await read(call.tenantId, id)
      const { source } = before
      if (source?.url === undefined)
        throw new Refusal(
          'trust_list.no_url',
          'The trust list has no source with a URL. Update it with what it is to have.',
        )
      const isDone = call.idempotency && 'effect' in call.idempotency
      const list = isDone ? undefined : await readAgain.now(before, source)
      if (list && 'error' in list) {
        await keepFailure(before, list)
        throw list.error
      }
      try {
        return await writing(call, 'refreshTrustList', before, (row, em) => {
          if (!list) return
          const known = row.failure?.code
          applyImport(row, list, now())
          if (list.emptied && list.emptied.code !== known) note(em, row, 'FAIL', { code: list.emptied.code })
        })
      } catch (error) {
        if (list && error instanceof Refusal && error.code === 'trust_list.too_many_entries')
          await keepFailure(before, { error, refusal: error, lists: list.lists })
        throw error
      }
    },

    /** What it has counts no more. Throws `trust_list.not_found`. */
    async deleteTrustList(call: Call, id: string): Promise<void> {
      await change(call, 'deleteTrustList', { id }, async (em) => {
        if ((await em.nativeDelete(TrustList, { id })) === 0) throw notFound()
      })
    },
  }
}

export type TrustLists = ReturnType<typeof createTrustLists>
