import { calculateJwkThumbprint, type JWK } from 'jose'
import type { Sql } from '../../entities/orm.ts'
import type { KeyRef, KeyStore } from './index.ts'

/** Owner of the keys that belong to the installation and to no tenant. */
export const PLATFORM_TENANT = '00000000-0000-0000-0000-000000000000'

/** Ed25519 keys of the installation, of which the newest that was published for long enough signs. */
export interface RotatingKind {
  /** Table of the public keys. */
  table: 'platform_keys' | 'webhook_keys'
  /** Time that a key is published before it signs: longer than the key set may be cached, and than RELOAD_MS. */
  publishedMinutes: number
  /** Time that a key stays in the key set after its successor was made. */
  keptHours: number
  /** Says what is missing where there is no key. */
  missing: string
}

/** Greatest age of the key set in a process. */
const RELOAD_MS = 60_000
/** Shortest time between two reads of the database for signatures with an unknown key. */
const LOOK_AGAIN_MS = 1_000

interface KeyRow {
  id: string
  public_key: Buffer
  settled: boolean
}

export interface RotatingKeys {
  /** Public keys, newest first (RFC 7517). */
  keySet: { keys: (JWK & { kid: string })[] }
  signing: KeyRef
  kid: string
}

const reference = (keyId: string): KeyRef => ({ tenantId: PLATFORM_TENANT, keyId, keyType: 'ed25519' })

/** Signs with the newest key that was published for long enough; the first key of all signs at once. */
async function load(sql: Sql, { table, publishedMinutes, missing }: RotatingKind): Promise<RotatingKeys> {
  const text = `select id, public_key, created_at < now() - make_interval(mins => $1) as settled
    from ${table} order by created_at desc, id`
  const { rows } = await sql.query<KeyRow>({ text, values: [publishedMinutes] })
  const keys = await Promise.all(
    rows.map(async ({ public_key }) => {
      const jwk: JWK = { kty: 'OKP', crv: 'Ed25519', x: public_key.toString('base64url') }
      return { ...jwk, kid: await calculateJwkThumbprint(jwk), use: 'sig', alg: 'EdDSA' }
    }),
  )
  const settledIndex = rows.findIndex((row) => row.settled)
  const at = settledIndex === -1 ? rows.length - 1 : settledIndex
  const [row, jwk] = [rows[at], keys[at]]
  if (!row || !jwk) throw new Error(missing)
  return { keySet: { keys }, signing: reference(row.id), kid: jwk.kid }
}

interface ReadParts {
  systemSql: Sql
  now(): Date
}

/** Cache of the keys of one kind in one process. */
export function createRotatingKeys({ systemSql, now }: ReadParts, kind: RotatingKind) {
  let known: RotatingKeys | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let loading: Promise<RotatingKeys> | undefined

  const reload = (): Promise<RotatingKeys> => {
    askedAt = now().getTime()
    loading ??= load(systemSql, kind)
      .then((loaded) => {
        known = loaded
        return loaded
      })
      .finally(() => {
        loading = undefined
      })
    return loading
  }

  const olderThan = (ms: number) => now().getTime() - askedAt >= ms

  return {
    /** Returns the keys; while the database is unavailable, the cached ones. */
    async current(): Promise<RotatingKeys> {
      if (known && !olderThan(RELOAD_MS)) return known
      return reload().catch((error: unknown) => {
        if (known) return known
        throw error
      })
    },

    /** Returns the keys for a signature; reads them again if its key is unknown, because it may be newer. */
    async withKey(kid: string | undefined): Promise<RotatingKeys> {
      const keys = await this.current()
      if (keys.keySet.keys.some((key) => key.kid === kid) || !olderThan(LOOK_AGAIN_MS)) return keys
      return reload()
    },

    /** For a caller that found the signing key destroyed. */
    reload,
  }
}

interface ChangeParts {
  systemSql: Sql
  keys: Pick<KeyStore, 'create' | 'delete'>
}

/** Changes the key of one kind. Every step is safe to repeat; a crash between two leaves both keys listed. */
export function createRotation({ systemSql, keys }: ChangeParts, { table, keptHours }: RotatingKind, days: number) {
  const ids = async (text: string, values: unknown[]) =>
    (await systemSql.query<{ id: string }>({ text, values })).rows.map(({ id }) => id)

  async function add(keyId: string): Promise<void> {
    const { publicKey } = await keys.create(reference(keyId))
    const text = `insert into ${table} (id, key_type, public_key) values ($1, 'ed25519', $2) on conflict (id) do nothing`
    await systemSql.query({ text, values: [keyId, Buffer.from(publicKey)] })
  }

  /** Deletes the key before its row, so that a row is left to find after a crash. */
  async function remove(keyId: string): Promise<void> {
    await keys.delete(reference(keyId))
    await systemSql.query({ text: `delete from ${table} where id = $1`, values: [keyId] })
  }

  /** Keys whose signatures nobody checks any more, by the age of their successor. */
  const retired = `select k.id from ${table} k where exists (select from ${table} n
    where n.created_at > k.created_at and n.created_at < now() - make_interval(hours => $1))`

  const newest = `select (extract(epoch from now() - max(created_at)) / 86400)::float8 as days from ${table}`

  return {
    /** Makes the first key of a platform, unless it has one. */
    async ensure(keyId: string): Promise<void> {
      if ((await ids(`select id from ${table} limit 1`, [])).length === 0) await add(keyId)
    },

    /** Adds a key, which is published now and signs later. Idempotent by keyId. */
    add,

    /** Makes a key in place of all others, which are destroyed: processes reload the keys within a minute. */
    async replace(keyId: string): Promise<void> {
      await add(keyId)
      const others = await ids(`delete from ${table} where id <> $1 returning id`, [keyId])
      for (const id of others) await keys.delete(reference(id))
    },

    /** Adds a key when the newest is too old, and deletes retired ones. `days` 0: adds none. */
    async rotate({ keyId }: { keyId: string }): Promise<{ added: number; removed: number }> {
      const old = await ids(retired, [keptHours])
      for (const id of old) await remove(id)
      const { rows } = await systemSql.query<{ days: number | null }>({ text: newest, values: [] })
      const due = days > 0 && (rows[0]?.days ?? 0) >= days
      if (due) await add(keyId)
      return { added: due ? 1 : 0, removed: old.length }
    },
  }
}
