import type { Dependencies } from '../dependencies.ts'
import { createIdempotency } from './idempotency.ts'
import { createOperations } from './operations.ts'
import { createTurns } from './outbound/turns.ts'
import { createTenants } from './tenants/index.ts'
import { createTenantSettings } from './tenants/settings.ts'

/** The parts that every area uses, composed from dependencies. */
export function composeFrame(dependencies: Dependencies) {
  const tenants = createTenants(dependencies)
  const operations = createOperations({ ...dependencies, tenants })
  return {
    operations,
    tenants,
    settings: createTenantSettings({ ...dependencies, operations }),
    idempotency: createIdempotency(dependencies),
    /** Of all that is delivered to servers of others. */
    turns: createTurns(),
  }
}

/** What an area is composed from, besides other areas. */
export type Frame = Dependencies & ReturnType<typeof composeFrame>
