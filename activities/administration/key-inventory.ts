import { Unavailable } from '../../protocol/errors.ts'
import type { Dependencies } from '../dependencies.ts'
import type { KeyRef } from '../keys/index.ts'
import { isKeyMissing } from '../keys/lost.ts'
import { storeName } from '../keys/reference.ts'
import { PLATFORM_TENANT } from '../keys/rotating.ts'

/** A key with a row, missing in the store. */
export interface MissingKey extends KeyRef {
  /** The DID that cannot sign with it, or the id of the IACA or document signer, or what the platform signs with it. */
  did: string
}

export interface KeyComparison {
  /** Names in the store without a row, probably of keys made after the backup. Only an operator destroys them. */
  withoutRow: string[]
  /** Probably of DIDs that were deleted after the backup; those of the platform itself have `PLATFORM_TENANT`. */
  withoutKey: MissingKey[]
}

interface KeyRow extends KeyRef {
  /** Its owner; null for a DID that is being deleted, or not yet made. */
  did: string | null
  made: boolean
}

const PAGE = 5_000
const ROWS = `select k.id as "keyId", k.tenant_id as "tenantId", k.key_type as "keyType", k.public_key is not null as made,
  coalesce(d.did, k.owner_id::text) as did
from keys k left join dids d on d.id = k.did_id and d.deleted_at is null where k.id > $1 order by k.id limit $2`

/** What the platform signs with its own keys. */
const PURPOSES: Readonly<Record<string, string>> = {
  platform_keys: 'access tokens',
  log_keys: 'heads of the log',
  webhook_keys: 'webhooks',
}

const PLATFORM_ROWS = [...Object.keys(PURPOSES), 'unlisted_keys']
  .map((table) => `select id, '${table}' as list from ${table}`)
  .join(' union all ')
/** Ids of the platform's own keys, which have rows of their own. */
export const PLATFORM_KEYS = `select id from (${PLATFORM_ROWS}) as listed`
const ENVELOPES = `select key_id as "keyId", tenant_id as "tenantId", key_type as "keyType" from key_envelopes`

const DUE = `select 1 from platform_epoch where restored_at > coalesce(keys_compared_at, '-infinity')`
const KEEP = `update platform_epoch set keys_compared_at = clock_timestamp(), keys_without_row = $1, rows_without_key = $2`

/** Most lines in the log; the command prints all keys. */
const LOGGED = 100

/** Compares the key store with the rows of its keys: they differ after one of the two was restored. */
export function createKeyInventory({ systemSql, keys, log }: Pick<Dependencies, 'systemSql' | 'keys' | 'log'>) {
  async function namesInStore(): Promise<Set<string>> {
    if (keys.names) return new Set(await keys.names())
    const { rows } = await systemSql.query<KeyRef>({ text: ENVELOPES, values: [] })
    return new Set(rows.map(storeName))
  }

  async function* keyRows(): AsyncGenerator<KeyRow> {
    const platform = await systemSql.query<{ id: string; list: string }>({ text: PLATFORM_ROWS, values: [] })
    // one in no list may not be made yet, or be destroyed already
    for (const { id: keyId, list } of platform.rows)
      yield { keyId, tenantId: PLATFORM_TENANT, keyType: 'ed25519', did: PURPOSES[list] ?? null, made: true }
    for (let after = PLATFORM_TENANT; ; ) {
      const { rows } = await systemSql.query<KeyRow>({ text: ROWS, values: [after, PAGE] })
      yield* rows
      const last = rows.at(-1)
      if (!last || rows.length < PAGE) return
      after = last.keyId
    }
  }

  /** A key may have been made since the names were read. */
  async function isMissing({ keyId, tenantId, keyType }: KeyRow): Promise<boolean> {
    try {
      await keys.publicKey({ keyId, tenantId, keyType })
      return false
    } catch (error) {
      if (isKeyMissing(error)) return true
      throw error
    }
  }

  /** Reads names before rows: a row is written before its key, so every key that is read has its row. */
  async function compareKeys(): Promise<KeyComparison> {
    const unclaimed = await namesInStore()
    const withoutKey: MissingKey[] = []
    for await (const row of keyRows()) {
      const isInStore = unclaimed.delete(storeName(row))
      const { keyId, tenantId, keyType, did, made } = row
      if (!isInStore && made && did && (await isMissing(row))) withoutKey.push({ keyId, tenantId, keyType, did })
    }
    const comparison = { withoutRow: [...unclaimed].sort(), withoutKey }
    await systemSql.query({ text: KEEP, values: [comparison.withoutRow.length, withoutKey.length] })
    return comparison
  }

  const logComparison = ({ withoutRow, withoutKey }: KeyComparison) => {
    for (const name of withoutRow.slice(0, LOGGED)) log.error({ name }, 'the key store has a key that no row names')
    for (const { tenantId, keyId, did } of withoutKey.slice(0, LOGGED))
      if (tenantId === PLATFORM_TENANT) log.error({ keyId, signs: did }, 'the key store lacks a key of the platform')
      else log.error({ tenantId, keyId, did }, 'the key store lacks a key of this DID')
  }

  return {
    compareKeys,

    /**
     * Scheduled: compares once after each restore, for log and metrics; while the store is unavailable, at a later run.
     */
    async compareRestoredKeys(): Promise<void> {
      const { rows } = await systemSql.query<object>({ text: DUE, values: [] })
      if (rows.length === 0) return
      try {
        logComparison(await compareKeys())
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error
        log.warn({ err: error }, 'the keys of a restored database could not be compared yet')
      }
    },
  }
}

export type KeyInventory = ReturnType<typeof createKeyInventory>
