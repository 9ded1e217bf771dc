import type { Leaf } from '../../../protocol/openid/claims.ts'
import { createBlindIndex } from '../../keys/blind-index.ts'

/** Digests of users and their claims, which rows are found by. */
export interface UserIndex {
  ofSubject(tenantId: string, providerId: string, subject: string): Buffer
  ofClaim(tenantId: string, leaf: Leaf): Buffer
}

const BYTES = 16

export function createUserIndex(masterKey: Uint8Array): UserIndex {
  const digest = createBlindIndex(masterKey, 'openid-users-index')
  return {
    ofSubject: (tenantId, providerId, subject) => digest(tenantId, ['subject', providerId, subject]),
    ofClaim: (tenantId, { path, value }) => digest(tenantId, ['claim', path, value]).subarray(0, BYTES),
  }
}
