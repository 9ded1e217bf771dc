import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

const LOOK_MS = 10

/** The operations that this process has not ended yet, with and without a connection. */
export function countUnderWay() {
  let count = 0
  /** Of each request, before any listener that answers it. */
  function begin(response: ServerResponse): void {
    let isOver = false
    const over = () => {
      if (!isOver) count -= 1
      isOver = true
    }
    count += 1
    const end = response.end.bind(response)
    // before anything else takes its place: what is done before an answer, such as keeping it, belongs to its operation
    response.end = ((...args: Parameters<typeof end>) => {
      over()
      return end(...args)
    }) as ServerResponse['end']
    // of one whose answer has begun, the end of the connection is the end; another one goes on, and ends its response then
    response.once('close', () => {
      if (response.headersSent) over()
    })
  }
  return {
    begin,
    /** Resolves when none is under way, at the latest at `untilMs` of performance.now(). */
    async ended(untilMs: number): Promise<void> {
      while (count > 0 && performance.now() < untilMs) await pause(LOOK_MS)
    },
  }
}
