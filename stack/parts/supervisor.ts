import { setTimeout as wait } from 'node:timers/promises'
import type { Ledger } from '../local/ledger.ts'
import type { Say } from '../local/progress.ts'
import { dismissGuard, type Part } from './part.ts'

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
/** A part that ran this long had recovered: its next end is a new matter. */
const STEADY_MS = 60_000

/** Starts parts in order, restarts one that ends on its own, and stops all in the opposite order. */
export class Supervisor {
  readonly #parts = new Map<string, Part>()
  readonly #starting = new Set<Promise<unknown>>()
  readonly #stopping = new AbortController()
  readonly #ledger: Pick<Ledger, 'record' | 'stopping'>
  readonly #say: Say

  constructor(ledger: Pick<Ledger, 'record' | 'stopping'>, say: Say) {
    this.#ledger = ledger
    this.#say = say
  }

  /** Known to the ledger as soon as it runs, so that a start which is cut off before it is ready leaves a trace. */
  readonly launched = (part: Part): void => {
    this.#parts.set(part.name, part)
    this.#ledger.record([...this.#parts.values()].map(({ recorded }) => recorded))
  }

  /** Starts a part and keeps it running. Rejects when the first start fails; `start` hands the process to `launched`. */
  readonly bring = async <P extends Part>(start: () => Promise<P>): Promise<P> => {
    const part = await this.#start(start)
    void this.#keep(part, start)
    return part
  }

  async #start<P extends Part>(start: () => Promise<P>): Promise<P> {
    if (this.#stopping.signal.aborted) throw new Error('Stopped.')
    const starting = start()
    this.#starting.add(starting)
    try {
      return await starting
    } finally {
      this.#starting.delete(starting)
    }
  }

  async #keep<P extends Part>(first: P, start: () => Promise<P>): Promise<void> {
    let part = first
    let pauseMs = FIRST_PAUSE_MS
    for (;;) {
      const begun = Date.now()
      const how = await part.exited
      if (this.#stopping.signal.aborted) return
      if (Date.now() - begun > STEADY_MS) pauseMs = FIRST_PAUSE_MS
      this.#say(`${part.name} ended (${how}); starting it again in ${pauseMs / 1000} s`)
      const again = await this.#again(part, start, pauseMs)
      if (!again) return
      part = again.part
      pauseMs = again.pauseMs
      this.#say(`${part.name} is back`)
    }
  }

  async #again<P extends Part>(ended: P, start: () => Promise<P>, firstPauseMs: number) {
    for (let pauseMs = firstPauseMs; ; ) {
      await wait(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined) // stopping ends the pause
      if (this.#stopping.signal.aborted) return undefined
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
      try {
        await ended.stop() // what is left of its process group
        return { part: await this.#start(start), pauseMs }
      } catch (error) {
        if (this.#stopping.signal.aborted) return undefined
        this.#say(`${(error as Error).message} Trying again in ${pauseMs / 1000} s`)
      }
    }
  }

  /** Stops the latest first. What is just being started is stopped as well. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#ledger.stopping()
    for (const part of [...this.#parts.values()].reverse()) await part.stop()
    await Promise.allSettled(this.#starting)
    for (const part of [...this.#parts.values()].reverse()) await part.stop()
    await dismissGuard()
  }

  /** Kills everything at once, for a person who does not want to wait. */
  kill(): void {
    for (const { recorded } of this.#parts.values()) {
      try {
        process.kill(-recorded.pid, 'SIGKILL')
      } catch {
        // gone already
      }
    }
  }
}
