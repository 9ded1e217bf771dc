import { createHmac } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Leaf } from '../../../protocol/openid/claims.ts'
import { keyFor } from '../../frame/secrets.ts'

/** Digests that are compared in place of values: without the master key nobody can try out values. */
export interface BlindIndex {
  ofSubject(tenantId: string, providerId: string, subject: string): Buffer
  ofClaim(tenantId: string, leaf: Leaf): Buffer
}

const BYTES = 16

/** The key is derived from the master key for each tenant: equal values of two tenants have different digests. */
export function createBlindIndex(masterKey: Uint8Array): BlindIndex {
  const keys = new LRUCache<string, Buffer>({
    max: 1_000,
    memoMethod: (tenantId) => keyFor(masterKey, 'openid-users-index', tenantId),
  })
  const digest = (tenantId: string, value: unknown): Buffer =>
    createHmac('sha256', keys.memo(tenantId)).update(JSON.stringify(value)).digest()
  return {
    ofSubject: (tenantId, providerId, subject) => digest(tenantId, ['subject', providerId, subject]),
    ofClaim: (tenantId, { path, value }) => digest(tenantId, ['claim', path, value]).subarray(0, BYTES),
  }
}
