import { LRUCache } from 'lru-cache'
import type { TrustGate } from '../../protocol/credentials/trust.ts'
import { MAX_IMPORTED } from '../../protocol/trust-lists/etsi/listed.ts'
import { MAX_LISTS } from '../../protocol/trust-lists/lists.ts'
import {
  type HeldList,
  type IndexedList,
  indexed,
  listsProviders,
  providersOf,
  trustOf,
  urlsOf,
} from '../../protocol/trust-lists/trust.ts'
import type { Dependencies } from '../dependencies.ts'
import { singleFlight } from '../frame/caches.ts'

/** What is older is looked at again before it is relied on: a change has effect within a second. */
const TRUSTED_MS = 500
const MAX_TENANTS = 500
/** Entries in memory, of all tenants: what is larger is kept of none, so that the lists of a tenant must fit, whoever made them. */
const MAX_ENTRIES = MAX_LISTS * MAX_IMPORTED

const VERSIONS = 'select id, revision from trust_lists where tenant_id = $1 order by created_at, id'
const LISTS = `select id, name, formats, attests, enforced, source ->> 'url' as url, entries, revision, (extract(epoch from stale_at) * 1000)::float8 as "staleMs" from trust_lists
where tenant_id = $1 and id = any($2::uuid[])`

interface Version {
  id: string
  revision: number
}

interface Row extends Omit<HeldList, 'staleAt'>, Version {
  id: string
  staleMs: number | null
}

interface Held {
  lookedAt: number
  lists: readonly (IndexedList & Version)[]
}

interface Parts extends Pick<Dependencies, 'systemSql' | 'now'> {
  /** Milliseconds of a clock that nobody sets. */
  elapsedMs?(): number
}

/**
 * Finds issuers in the enforced trust lists of a tenant. A look at the versions of its lists says whether one has changed,
 * and only what changed is read again. Where the look fails, the verification fails too: nobody relies on a list that may
 * have ended.
 */
export function createTrustGate({ systemSql, now, elapsedMs = () => performance.now() }: Parts) {
  const known = new LRUCache<string, Held>({
    max: MAX_TENANTS,
    maxSize: MAX_ENTRIES,
    sizeCalculation: ({ lists }) =>
      Math.max(
        1,
        lists.reduce((size, { entries }) => size + entries.length, 0),
      ),
  })
  /** A flight that began before a change of this process may have seen the rows before it. */
  let round = 0
  const flight = singleFlight<Held>()

  async function look(tenantId: string): Promise<Held> {
    const [lookedAt, of] = [elapsedMs(), round]
    const { rows: versions } = await systemSql.query<Version>({
      name: 'trust-list-versions',
      text: VERSIONS,
      values: [tenantId],
    })
    const before = new Map((known.get(tenantId)?.lists ?? []).map((list) => [`${list.id} ${list.revision}`, list]))
    const missing = versions.filter(({ id, revision }) => !before.has(`${id} ${revision}`)).map(({ id }) => id)
    const { rows } =
      missing.length === 0
        ? { rows: [] }
        : await systemSql.query<Row>({ name: 'trust-lists', text: LISTS, values: [tenantId, missing] })
    const read = new Map(
      rows.map(({ staleMs, revision, ...row }) => {
        const staleAt = staleMs === null ? null : new Date(staleMs)
        return [row.id, { ...indexed({ ...row, staleAt }), revision }]
      }),
    )
    const lists = versions.flatMap(({ id, revision }) => read.get(id) ?? before.get(`${id} ${revision}`) ?? [])
    const held = { lookedAt, lists }
    if (of === round) known.set(tenantId, held)
    return held
  }

  async function current(tenantId: string): Promise<Held> {
    const held = known.get(tenantId)
    return held && elapsedMs() - held.lookedAt < TRUSTED_MS
      ? held
      : flight(`${round} ${tenantId}`, () => look(tenantId))
  }

  const gate: TrustGate & { forget(tenantId: string): void } = {
    urlsOf: async (tenantId, format, issuers) => urlsOf((await current(tenantId)).lists, format, now(), issuers),

    trustFor: async (tenantId, format) => trustOf((await current(tenantId)).lists, format, now()),

    providersOf: async (tenantId, attested, chain) =>
      providersOf((await current(tenantId)).lists, attested, chain, now()),

    listsProviders: async (tenantId, attested) => listsProviders((await current(tenantId)).lists, attested, now()),

    /** This process sees its own changes at once. */
    forget(tenantId) {
      round += 1
      const held = known.get(tenantId)
      if (held) known.set(tenantId, { ...held, lookedAt: Number.NEGATIVE_INFINITY })
    },
  }
  return gate
}

export type TrustListGate = ReturnType<typeof createTrustGate>
