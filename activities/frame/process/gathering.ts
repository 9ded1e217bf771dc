export interface Gathering {
  /** How many are there by now. */
  size(): number
  /** Enough of them: not waited any longer. */
  most: number
  /** So long may the first of them wait, where turns of the event loop take long. */
  mostMs: number
  nowMs?: () => number
}

/**
 * Calls `go` as soon as a turn of the event loop brings nothing more: what is ready at the same time is done together, and what
 * comes alone waits for two turns, which are microseconds where nothing else is done (D-909).
 */
export function whenGathered({ size, most, mostMs, nowMs = () => performance.now() }: Gathering, go: () => void): void {
  const since = nowMs()
  const look = (seen: number) => {
    const now = size()
    if (now > seen && now < most && nowMs() - since < mostMs) setImmediate(look, now)
    else go()
  }
  setImmediate(look, 0)
}
