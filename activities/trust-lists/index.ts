import type { Frame } from '../frame/index.ts'
import type { TrustListGate } from './gate.ts'
import { createTrustLists } from './lifecycle.ts'

/** Operations of trust lists. */
export const composeTrustLists = (parts: Frame & { trustGate: Pick<TrustListGate, 'forget'> }) => ({
  trustLists: createTrustLists(parts),
})
