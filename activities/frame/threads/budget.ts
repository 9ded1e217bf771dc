const MINUTE_MS = 60_000

export interface ThreadBudget {
  /** Counts milliseconds that a thread worked for a tenant. */
  charge(tenantId: string, workMs: number): void
  /** Milliseconds until the tenant is within its budget again; 0 when it is. */
  overForMs(tenantId: string): number
}

interface Level {
  ms: number
  at: number
}

/** Number of levels above which empty ones are dropped. */
const KEPT = 1_000

/**
 * Thread time per tenant, as a leaky bucket: it holds `msPerMinute` and empties in a minute. So a tenant may use a
 * minute's budget at once, and the same per minute for ever. `now` in milliseconds, of a clock that never goes back.
 */
export function createThreadBudget({ msPerMinute, now }: { msPerMinute: number; now: () => number }): ThreadBudget {
  const levels = new Map<string, Level>()
  const perMs = msPerMinute / MINUTE_MS

  const levelOf = (tenantId: string): number => {
    const level = levels.get(tenantId)
    return level === undefined ? 0 : Math.max(0, level.ms - (now() - level.at) * perMs)
  }

  return {
    charge(tenantId, workMs) {
      levels.set(tenantId, { ms: levelOf(tenantId) + workMs, at: now() })
      if (levels.size > KEPT) for (const tenant of levels.keys()) if (levelOf(tenant) === 0) levels.delete(tenant)
    },
    overForMs: (tenantId) => Math.max(0, (levelOf(tenantId) - msPerMinute) / perMs),
  }
}
