import { createHmac } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { keyFor } from '../frame/secrets.ts'

/**
 * Digests that are compared in place of values that are stored encrypted: without the master key nobody can try out
 * values. The key is derived for each purpose and scope, such as a tenant: equal values of two scopes have different
 * digests.
 */
export function createBlindIndex(masterKey: Uint8Array, purpose: string): (scope: string, value: unknown) => Buffer {
  const keys = new LRUCache<string, Buffer>({
    max: 1_000,
    memoMethod: (scope) => keyFor(masterKey, purpose, scope),
  })
  return (scope, value) => createHmac('sha256', keys.memo(scope)).update(JSON.stringify(value)).digest()
}
