import { calculateJwkThumbprint, type JWK } from 'jose'
import type { Sql } from '../../entities/orm.ts'
import type { Dependencies } from '../dependencies.ts'
import type { KeyRef, KeyStore } from '../keys/index.ts'

/** Owner of the keys that belong to the installation and to no tenant. */
export const PLATFORM_TENANT = '00000000-0000-0000-0000-000000000000'

/**
 * Time that a key is published before it signs: longer than the key set may be cached (`max-age`), and than RELOAD_MS.
 */
const PUBLISHED_MINUTES = 10
/** Time that a key stays in the key set after its successor was made: PUBLISHED_MINUTES and a token's longest life. */
const KEPT_HOURS = 25
/** Greatest age of the key set in a process. */
const RELOAD_MS = 60_000
/** Shortest time between two reads of the database for tokens with an unknown key. */
const LOOK_AGAIN_MS = 1_000

const LOAD = `select id, public_key, created_at < now() - make_interval(mins => $1) as settled
from platform_keys order by created_at desc, id`

interface KeyRow {
  id: string
  public_key: Buffer
  settled: boolean
}

export interface TokenKeys {
  /** Public keys, newest first (RFC 7517). */
  keySet: { keys: (JWK & { kid: string })[] }
  signing: KeyRef
  kid: string
}

const reference = (keyId: string): KeyRef => ({ tenantId: PLATFORM_TENANT, keyId, keyType: 'ed25519' })

/** Signs with the newest key that was published for long enough; the first key of all signs at once. */
async function load(sql: Sql): Promise<TokenKeys> {
  const { rows } = await sql.query<KeyRow>({ text: LOAD, values: [PUBLISHED_MINUTES] })
  const keys = await Promise.all(
    rows.map(async ({ public_key }) => {
      const jwk: JWK = { kty: 'OKP', crv: 'Ed25519', x: public_key.toString('base64url') }
      return { ...jwk, kid: await calculateJwkThumbprint(jwk), use: 'sig', alg: 'EdDSA' }
    }),
  )
  const settledIndex = rows.findIndex((row) => row.settled)
  const at = settledIndex === -1 ? rows.length - 1 : settledIndex
  const [row, jwk] = [rows[at], keys[at]]
  if (!row || !jwk)
    throw new Error('There is no token key yet: the platform was not set up (see README, Two commands).')
  return { keySet: { keys }, signing: reference(row.id), kid: jwk.kid }
}

/** Cache of the keys of access tokens in one process. */
export function createTokenKeys({ systemSql, now }: Pick<Dependencies, 'systemSql' | 'now'>) {
  let known: TokenKeys | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let loading: Promise<TokenKeys> | undefined

  const reload = (): Promise<TokenKeys> => {
    askedAt = now().getTime()
    loading ??= load(systemSql)
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
    async current(): Promise<TokenKeys> {
      if (known && !olderThan(RELOAD_MS)) return known
      return reload().catch((error: unknown) => {
        if (known) return known
        throw error
      })
    },

    /** Returns the keys for a token; reads them again if its key is unknown, because it may be newer. */
    async withKey(kid: string | undefined): Promise<TokenKeys> {
      const keys = await this.current()
      if (keys.keySet.keys.some((key) => key.kid === kid) || !olderThan(LOOK_AGAIN_MS)) return keys
      return reload()
    },

    /** For a caller that found the signing key destroyed. */
    reload,
  }
}

const ADD = `insert into platform_keys (id, key_type, public_key) values ($1, 'ed25519', $2) on conflict (id) do nothing`

/** Keys whose tokens have all expired, by the age of their successor. */
const RETIRED = `select k.id from platform_keys k where exists (
  select from platform_keys n where n.created_at > k.created_at and n.created_at < now() - make_interval(hours => $1))`

const NEWEST = `select (extract(epoch from now() - max(created_at)) / 86400)::float8 as days from platform_keys`

interface Parts {
  systemSql: Sql
  keys: Pick<KeyStore, 'create' | 'delete'>
  config: { tokenKeyDays: number }
}

/**
 * Changes the key that signs access tokens. Every step is safe to repeat; a crash between two leaves both keys listed.
 */
export function createTokenKeyRotation({ systemSql, keys, config }: Parts) {
  const ids = async (text: string, values: unknown[]) =>
    (await systemSql.query<{ id: string }>({ text, values })).rows.map(({ id }) => id)

  async function add(keyId: string): Promise<void> {
    const { publicKey } = await keys.create(reference(keyId))
    await systemSql.query({ text: ADD, values: [keyId, Buffer.from(publicKey)] })
  }

  /** Deletes the key before its row, so that a row is left to find after a crash. */
  async function remove(keyId: string): Promise<void> {
    await keys.delete(reference(keyId))
    await systemSql.query({ text: 'delete from platform_keys where id = $1', values: [keyId] })
  }

  return {
    /** Makes the first key of a platform, unless it has one. */
    async ensureTokenKey(keyId: string): Promise<void> {
      if ((await ids('select id from platform_keys limit 1', [])).length === 0) await add(keyId)
    },

    /** Adds a key, which is published now and signs later; tokens of the old key stay valid. Idempotent by keyId. */
    addTokenKey: add,

    /**
     * Replaces all keys: every issued token becomes invalid, at the latest when processes reload the keys, in a minute.
     */
    async replaceTokenKeys(keyId: string): Promise<void> {
      await add(keyId)
      const others = await ids('delete from platform_keys where id <> $1 returning id', [keyId])
      for (const id of others) await keys.delete(reference(id))
    },

    /** Scheduled: adds a key when the newest is too old, and deletes keys whose tokens have expired. */
    async rotateTokenKeys({ keyId }: { keyId: string }): Promise<{ added: number; removed: number }> {
      const retired = await ids(RETIRED, [KEPT_HOURS])
      for (const id of retired) await remove(id)
      const { rows } = await systemSql.query<{ days: number | null }>({ text: NEWEST, values: [] })
      const days = rows[0]?.days ?? 0
      const due = config.tokenKeyDays > 0 && days >= config.tokenKeyDays
      if (due) await add(keyId)
      return { added: due ? 1 : 0, removed: retired.length }
    },
  }
}

export type TokenKeyRotation = ReturnType<typeof createTokenKeyRotation>
