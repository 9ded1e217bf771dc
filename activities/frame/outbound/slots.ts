import { OutboundFault } from './faults.ts'

/**
 * Limits concurrent calls per host, so that many tenants cannot use us to flood one victim. `run` waits for a slot, and
 * throws `Unavailable('outbound')` when more than `waiting` callers wait.
 */
export function createHostSlots({ perHost, waiting }: { perHost: number; waiting: number }) {
  const hosts = new Map<string, { active: number; line: (() => void)[] }>()

  const leave = (host: string) => {
    const slots = hosts.get(host)
    if (!slots) return
    const next = slots.line.shift()
    if (next) return next()
    slots.active -= 1
    if (slots.active === 0) hosts.delete(host)
  }

  return {
    async run<T>(host: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
      const slots = hosts.get(host) ?? { active: 0, line: [] }
      hosts.set(host, slots)
      if (slots.active < perHost) slots.active += 1
      else {
        if (slots.line.length >= waiting)
          throw new OutboundFault('busy', `Too many calls wait for ${host}. Try again later.`)
        await turn(slots.line, signal)
      }
      try {
        return await work()
      } finally {
        leave(host)
      }
    },
    /** Number of hosts with running calls. */
    size: () => hosts.size,
  }
}

const turn = (line: (() => void)[], signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const enter = () => {
      signal.removeEventListener('abort', giveUp)
      resolve()
    }
    const giveUp = () => {
      line.splice(line.indexOf(enter), 1)
      reject(signal.reason)
    }
    line.push(enter)
    signal.addEventListener('abort', giveUp, { once: true })
    if (signal.aborted) giveUp()
  })
