/** Whoever comes later than this after a call is not waited for. */
export const LONGEST_RETURN_MS = 15
/** The next crowd may take longer than the one that was seen. */
const MARGIN = 1.5

export interface Returns {
  /** So long may callers who are there wait for those whom the last call served. */
  ms(): number
  /** A call has ended: `crowd` were served by it or wait, and `waiting` of them wait. */
  served(crowd: number, waiting: number, nowMs: number): void
  /** Another caller has come. */
  asked(nowMs: number): void
}

/**
 * Learns from the callers of one key how long those who are served take to ask again: from the end of a call it counts callers
 * until as many are there as were served or waited. The time that took, and half of it again, is how long the next ones may wait for
 * each other: `usualMs` at least, `LONGEST_RETURN_MS` at most. A crowd that is not there again by then is waited for `usualMs`
 * (D-1041). A `usualMs` of 0 stays 0.
 */
export function observeReturns(usualMs: number): Returns {
  let returnMs = usualMs
  let crowd: { since: number; want: number; got: number } | undefined

  const lapse = (nowMs: number) => {
    if (!crowd || nowMs - crowd.since < LONGEST_RETURN_MS) return
    crowd = undefined
    returnMs = usualMs
  }

  return {
    ms: () => returnMs,
    served(want, waiting, nowMs) {
      lapse(nowMs)
      if (usualMs > 0) crowd ??= { since: nowMs, want, got: waiting } // a part of the crowd that was sent meanwhile is no new one
    },
    asked(nowMs) {
      lapse(nowMs)
      if (!crowd) return
      crowd.got += 1
      if (crowd.got < crowd.want) return
      returnMs = Math.max(usualMs, Math.min(LONGEST_RETURN_MS, MARGIN * (nowMs - crowd.since)))
      crowd = undefined
    },
  }
}
