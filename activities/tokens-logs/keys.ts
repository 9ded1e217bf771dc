import type { Sql } from '../../entities/orm.ts'
import type { Dependencies } from '../dependencies.ts'
import type { KeyStore } from '../keys/index.ts'
import { createRotatingKeys, createRotation, type RotatingKeys, type RotatingKind } from '../keys/rotating.ts'

export type TokenKeys = RotatingKeys

/** `max-age` of the key set is 5 minutes; a key is kept for 10 minutes and a token's longest life. */
const TOKEN_KEYS: RotatingKind = {
  table: 'platform_keys',
  publishedMinutes: 10,
  keptHours: 25,
  missing: 'There is no token key yet: the platform was not set up (see README, Two commands).',
  lost: 'the key that signs access tokens (npm run keys -- replace makes another one)',
}

/** Cache of the keys of access tokens in one process. */
export const createTokenKeys = (parts: Pick<Dependencies, 'systemSql' | 'now'>) => createRotatingKeys(parts, TOKEN_KEYS)

interface Parts {
  systemSql: Sql
  keys: Pick<KeyStore, 'create' | 'delete'>
  config: { tokenKeyDays: number }
}

/** Changes the key that signs access tokens. */
export function createTokenKeyRotation(parts: Parts) {
  const { ensure, add, replace, rotate } = createRotation(parts, TOKEN_KEYS, parts.config.tokenKeyDays)
  return {
    /** Makes the first key of a platform, unless it has one. */
    ensureTokenKey: ensure,
    /** Adds a key, which is published now and signs later; tokens of the old key stay valid. Idempotent by keyId. */
    addTokenKey: add,
    /** Replaces all keys: every issued token becomes invalid, at the latest when processes reload the keys. */
    replaceTokenKeys: replace,
    /** Scheduled: adds a key when the newest is too old, and deletes keys whose tokens have expired. */
    rotateTokenKeys: rotate,
  }
}

export type TokenKeyRotation = ReturnType<typeof createTokenKeyRotation>
