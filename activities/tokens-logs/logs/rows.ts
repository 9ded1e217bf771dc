import { ALONG_INDEX, inTenant } from '../../../entities/orm.ts'
import { type ChainedEntry, type ChainRow, GENESIS, type Link } from '../../../protocol/tokens-logs/chain.ts'
import type { SealKind } from '../../../protocol/tokens-logs/seals.ts'
import type { Dependencies } from '../../dependencies.ts'

/** An entry as its hash covers it, for `toEntry`. */
export const ENTRY = `l.id, l.tenant_id as "tenantId", l.category, l.type, l.request_id as "requestId",
  to_char(l.timestamp at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as timestamp,
  l.data::text as data, l.metadata::text as metadata, l.object_ids::text as "objectIds"`

/** The columns of an entry; `objectIds` as PostgreSQL writes an array, because the driver reads arrays slowly. */
export interface EntryRow extends Omit<ChainedEntry, 'objectIds'> {
  objectIds: string | null
}

/** UUIDs need no quotes in the text of an array. */
const idsOf = (text: string): string[] => (text === '{}' ? [] : text.slice(1, -1).split(','))

/** Member by member: a rest of so many rows takes a third of the time of a verification. */
export const toEntry = (row: EntryRow): ChainedEntry => ({
  id: row.id,
  tenantId: row.tenantId,
  category: row.category,
  type: row.type,
  timestamp: row.timestamp,
  requestId: row.requestId,
  data: row.data,
  metadata: row.metadata,
  objectIds: row.objectIds === null ? null : idsOf(row.objectIds),
})

const SLICE = `select c.position, encode(c.hash, 'hex') as hash, c.entry_id as "entryId", ${ENTRY}
from log_chain c left join logs l on l.id = c.entry_id and l.tenant_id = c.tenant_id
where c.tenant_id = ? and c.position > ? and c.position <= ? order by c.position`

/** Whether each place of a slice follows the one before it, and has the hash of its entry: as `hashOf`, in the database. */
const WHOLE = `with slice as (
  select c.position, c.hash, log_entry_before(l) as before, log_entry_behind(l) as behind
  from log_chain c left join logs l on l.id = c.entry_id and l.tenant_id = c.tenant_id
  where c.tenant_id = ? and c.position > ? and c.position <= ?)
select bool_and(f.fits) as fits, count(*)::int as count from (
  select coalesce(s.position = ?::bigint + row_number() over places and s.hash = sha256(convert_to(
    s.before || s.position || ',"previousHash":"' || encode(lag(s.hash, 1, decode(?, 'hex')) over places, 'hex')
      || s.behind, 'UTF8')), false) as fits
  from slice s window places as (order by s.position)) as f`

const NEXT = `select position, encode(hash, 'hex') as hash from log_chain where tenant_id = ? and position > ?
order by position limit 1`

const PLACE = `select position, encode(hash, 'hex') as hash from log_chain where tenant_id = ? and position = ?`
const LAST = `select position, encode(hash, 'hex') as hash from log_chain where tenant_id = ? order by position desc limit 1`

const SEALS = `select position, encode(hash, 'hex') as hash, jws from log_seals
where tenant_id = ? and kind = ? and position > ? order by position`

const NEWEST_SEAL = `select position, encode(hash, 'hex') as hash, jws from log_seals
where tenant_id = ? and kind = ? order by position desc limit 1`

const WAITING = `select count(*)::int as count from (select from log_pending where tenant_id = ? limit 100000) as few`

const TIME = `select l.timestamp::text from log_chain c join logs l on l.id = c.entry_id and l.tenant_id = c.tenant_id
where c.tenant_id = ? and c.position = ?`

/** One slice of the tenant's entries, newest first, and one of them that is neither chained nor waits for it. */
const UNCHAINED = `with slice as materialized (
  select l.timestamp, l.id from logs l
  where l.tenant_id = ? and l.timestamp >= ?::timestamptz and l.timestamp <= ?::timestamptz
    and (l.timestamp < ?::timestamptz or l.id > ?::uuid)
  order by l.timestamp desc, l.id limit ?)
select last.timestamp::text, last.id, (select count(*)::int from slice) as count, (
  select s.id from slice s where (select c.position from log_chain c where c.entry_id = s.id) is null
    and s.id not in (select p.entry_id from log_pending p where p.tenant_id = ?) limit 1) as found
from (select timestamp, id from slice order by timestamp, id desc limit 1) as last`

/** A place in the order of UNCHAINED. */
export interface LogPlace {
  timestamp: string
  id: string
}

/** Without its entry, the columns of the entry are null. */
type Row = { position: string; hash: string; entryId: string } & (EntryRow | { id: null })

/** A row of log_seals: what its columns say, and the text that was signed. */
export interface SealRow extends Link {
  jws: string
}

/** bigint comes as text; positions stay far below 2^53. */
const linkOf = <R extends { position: string }>(row: R) => ({ ...row, position: Number(row.position) })

const toChainRow = (row: Row): ChainRow => ({
  position: Number(row.position),
  hash: row.hash,
  entryId: row.entryId,
  entry: row.id === null ? undefined : toEntry(row),
})

/** Reads the chain of a tenant, as the tenant; each read is a short transaction of its own. */
export function createChainRows({ database }: Pick<Dependencies, 'database'>) {
  const ask = <R extends object>(tenantId: string, text: string, values: unknown[]): Promise<R[]> =>
    inTenant(database.tenants, tenantId, (em) => em.execute<R[]>(text, [tenantId, ...values]), ALONG_INDEX)

  /** Undefined: the chain has no such place. */
  async function placeAt(tenantId: string, position: number): Promise<Link | undefined> {
    if (position === 0) return GENESIS
    const [row] = await ask<{ position: string; hash: string }>(tenantId, PLACE, [position])
    return row && linkOf(row)
  }

  const seals = async (tenantId: string, kind: SealKind, after = 0): Promise<SealRow[]> =>
    (await ask<SealRow & { position: string }>(tenantId, SEALS, [kind, after])).map(linkOf)

  return {
    /** Of the `limit` positions after `after` those that the chain has. */
    async slice(tenantId: string, after: number, limit: number): Promise<ChainRow[]> {
      return (await ask<Row>(tenantId, SLICE, [after, after + limit])).map(toChainRow)
    },

    /**
     * The last of the `limit` places after `from`, if the database finds each of them whole: a tenth of what it takes to read
     * and to hash them here (D-912). Undefined: one is not, or there is none.
     */
    async whole(tenantId: string, { position, hash }: Link, limit: number): Promise<Link | undefined> {
      type Found = { fits: boolean | null; count: number }
      const [row] = await ask<Found>(tenantId, WHOLE, [position, position + limit, position, hash])
      return row?.fits ? placeAt(tenantId, position + row.count) : undefined
    },

    /** The first place behind a position; undefined where the chain ends before. */
    async next(tenantId: string, after: number): Promise<Link | undefined> {
      const [row] = await ask<{ position: string; hash: string }>(tenantId, NEXT, [after])
      return row && linkOf(row)
    },

    placeAt,

    async last(tenantId: string): Promise<Link | undefined> {
      const [row] = await ask<{ position: string; hash: string }>(tenantId, LAST, [])
      return row && linkOf(row)
    },

    /** In the order of their positions. */
    seals,

    async newestSeal(tenantId: string, kind: SealKind): Promise<SealRow | undefined> {
      const [row] = await ask<SealRow & { position: string }>(tenantId, NEWEST_SEAL, [kind])
      return row && linkOf(row)
    },

    /** Entries that have no place in the chain yet: 100,000 stands for more as well. */
    async waiting(tenantId: string): Promise<number> {
      return (await ask<{ count: number }>(tenantId, WAITING, []))[0]?.count ?? 0
    },

    /** When the entry at a place of the chain was made, as PostgreSQL writes it; undefined where it is gone. */
    async timeAt(tenantId: string, position: number): Promise<string | undefined> {
      return (await ask<{ timestamp: string }>(tenantId, TIME, [position]))[0]?.timestamp
    },

    /** Of entries since a time; undefined behind the oldest of them. `found`: an entry of the slice that is not chained. */
    async unchainedIn(tenantId: string, since: string, { timestamp, id }: LogPlace, limit: number) {
      type Found = LogPlace & { count: number; found: string | null }
      const values = [since, timestamp, timestamp, id, limit, tenantId]
      const [row] = await ask<Found>(tenantId, UNCHAINED, values)
      return row
    },
  }
}

export type ChainRows = ReturnType<typeof createChainRows>
