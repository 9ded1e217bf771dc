import type { Frame } from '../frame/index.ts'
import type { TrustListGate } from './gate.ts'
import { createTrustImports } from './imports.ts'
import { createTrustLists } from './lifecycle.ts'
import { createTrustRefresh, type TrustRefresh } from './refresh.ts'

/** Operations of trust lists. */
export function composeTrustLists(known: Frame & { trustGate: Pick<TrustListGate, 'forget'> }) {
  const parts = { ...known, trustImports: createTrustImports(known) }
  return { trustLists: createTrustLists(parts), trustRefresh: createTrustRefresh(parts) }
}

/** Activities of the workflows of trust lists. */
export const trustListActivities = ({ trustRefresh }: { trustRefresh: TrustRefresh }): TrustRefresh => trustRefresh
