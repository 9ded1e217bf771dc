import { calculateJwkThumbprint, type JWK } from 'jose'
import type { Sql } from '../../entities/orm.ts'
import { Unavailable } from '../../protocol/errors.ts'
import type { KeyRef, KeyStore } from './index.ts'
import { isKeyMissing, orLost } from './lost.ts'

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
  /** What is lost where a row has no key in the key store. */
  lost: string
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

  const { lost } = kind
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

    reload,

    /**
     * Signs with the key that signs now; reads the keys again where it was destroyed a moment ago. Throws
     * `Unavailable('keys')` where the store has lost the key of the row as well.
     */
    async signWith<Signed>(sign: (keys: RotatingKeys) => Promise<Signed>): Promise<Signed> {
      return sign(await this.current()).catch(async (error: unknown) => {
        if (!isKeyMissing(error)) throw error
        return sign(await reload()).catch(orLost(lost))
      })
    },
  }
}

interface ChangeParts {
  systemSql: Sql
  keys: Pick<KeyStore, 'create' | 'delete'>
}

/** After this time, a key that is in no list yet was left behind by a crash. */
const UNLISTED_MINUTES = 10

/**
 * Changes the key of one kind. Every step is safe to repeat. A key is named by a row from before it is made until after it
 * is destroyed: by `unlisted_keys` while it is in no list.
 */
export function createRotation({ systemSql, keys }: ChangeParts, { table, keptHours }: RotatingKind, days: number) {
  const ids = async (text: string, values: unknown[]) =>
    (await systemSql.query<{ id: string }>({ text, values })).rows.map(({ id }) => id)

  const announce = `insert into unlisted_keys (id, list) select $1, '${table}'
    where not exists (select from ${table} where id = $1) on conflict (id) do nothing`
  const list = `with made as (delete from unlisted_keys where id = $1 and not doomed returning id)
    insert into ${table} (id, key_type, public_key) select id, 'ed25519', $2 from made on conflict (id) do nothing`

  async function add(keyId: string): Promise<void> {
    await systemSql.query({ text: announce, values: [keyId] })
    const { publicKey } = await keys.create(reference(keyId))
    await systemSql.query({ text: list, values: [keyId, Buffer.from(publicKey)] })
    if ((await ids(`select id from ${table} where id = $1`, [keyId])).length === 0)
      throw new Unavailable('keys', 'A new key was given up while it was made, because that took too long.')
  }

  /** Takes keys out of the list, by which nobody trusts them any more; `destroyUnlisted` does the rest. */
  const unlist = (condition: string, values: unknown[]): Promise<string[]> =>
    ids(
      `with gone as (delete from ${table} k where ${condition} returning id)
      insert into unlisted_keys (id, list, doomed) select id, '${table}', true from gone returning id`,
      values,
    )

  /** Keys that were taken out of the list, and those that a crash left behind. */
  const doom = `update unlisted_keys set doomed = true where list = '${table}'
    and (doomed or created_at < now() - make_interval(mins => $1)) returning id`

  /** Deletes each key before the row that names it; returns their number. */
  async function destroyUnlisted(): Promise<number> {
    const doomed = await ids(doom, [UNLISTED_MINUTES])
    for (const id of doomed) {
      await keys.delete(reference(id))
      await systemSql.query({ text: 'delete from unlisted_keys where id = $1', values: [id] })
    }
    return doomed.length
  }

  /** Keys whose signatures nobody checks any more, by the age of their successor. */
  const retired = `exists (select from ${table} n
    where n.created_at > k.created_at and n.created_at < now() - make_interval(hours => $1))`

  const newest = `select (extract(epoch from now() - max(created_at)) / 86400)::float8 as days from ${table}`

  return {
    /** Makes the first key of a platform, unless it has one. */
    async ensure(keyId: string): Promise<void> {
      if ((await ids(`select id from ${table} limit 1`, [])).length === 0) await add(keyId)
    },

    /** Adds a key, which is published now and signs later. Idempotent by keyId. */
    add,

    /**
     * Makes a key in place of all others, which are destroyed: processes reload the keys within a minute. Where it fails
     * because the key store is away, a repetition or `rotate` destroys the rest.
     */
    async replace(keyId: string): Promise<void> {
      await add(keyId)
      await unlist('k.id <> $1', [keyId])
      await destroyUnlisted()
    },

    /** Adds a key when the newest is too old, and destroys retired ones. `days` 0: adds none. */
    async rotate({ keyId }: { keyId: string }): Promise<{ added: number; removed: number }> {
      await unlist(retired, [keptHours])
      const { rows } = await systemSql.query<{ days: number | null }>({ text: newest, values: [] })
      const due = days > 0 && (rows[0]?.days ?? 0) >= days
      if (due) await add(keyId)
      return { added: due ? 1 : 0, removed: await destroyUnlisted() }
    },
  }
}
