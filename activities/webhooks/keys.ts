import type { Sql } from '../../entities/orm.ts'
import type { Dependencies } from '../dependencies.ts'
import type { KeyStore } from '../keys/index.ts'
import { createRotatingKeys, createRotation, type RotatingKind } from '../keys/rotating.ts'

/** Minutes that a receiver may keep the key set for. */
export const KEY_SET_MINUTES = 5

/**
 * Published for an hour before it signs, many times what a receiver may keep the key set for; and for 30 days after its
 * successor signs, for receivers that check what they stored.
 */
const WEBHOOK_KEYS: RotatingKind = {
  table: 'webhook_keys',
  publishedMinutes: 60,
  keptHours: 30 * 24 + 1,
  missing: 'There is no webhook key yet: the platform was not set up (see README, Two commands).',
  lost: 'the key that signs webhooks (npm run keys -- replace webhooks makes another one)',
}

/** Cache of the keys of deliveries in one process. */
export const createWebhookKeys = (parts: Pick<Dependencies, 'systemSql' | 'now'>) =>
  createRotatingKeys(parts, WEBHOOK_KEYS)

export type WebhookKeys = ReturnType<typeof createWebhookKeys>

interface Parts {
  systemSql: Sql
  keys: Pick<KeyStore, 'create' | 'delete'>
  config: { webhooks: { keyDays: number } }
}

/** Changes the key that signs deliveries. */
export function createWebhookKeyRotation(parts: Parts) {
  const { ensure, add, replace, rotate } = createRotation(parts, WEBHOOK_KEYS, parts.config.webhooks.keyDays)
  return {
    /** Makes the first key of a platform, unless it has one. */
    ensureWebhookKey: ensure,
    /** Adds a key, which is published now and signs in an hour. Idempotent by keyId. */
    addWebhookKey: add,
    /** Replaces all keys: signatures of the former ones cannot be checked any more. */
    replaceWebhookKeys: replace,
    /** Scheduled: adds a key when the newest is too old, and deletes those that were replaced long ago. */
    rotateWebhookKeys: rotate,
  }
}

export type WebhookKeyRotation = ReturnType<typeof createWebhookKeyRotation>
