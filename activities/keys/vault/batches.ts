import { whenGathered } from '../../frame/process/gathering.ts'

/** Signs many inputs with one key in one call; returns a signature or an error per input. */
export type SendBatch = (name: string, inputs: Uint8Array[]) => Promise<(Uint8Array | Error)[]>

export interface SignBatches {
  sign(name: string, input: Uint8Array): Promise<Uint8Array>
  /** Resolves when every requested signature is settled. */
  drain(): Promise<void>
}

interface Waiting {
  input: Uint8Array
  settle: PromiseWithResolvers<Uint8Array>
}

/** Of one key. */
interface Lane {
  waiting: Waiting[]
  bytes: number
  /** Calls under way. */
  running: number
  /** Set while `waiting` waits for a call to end. */
  timer?: NodeJS.Timeout
  isGathering: boolean
}

export interface BatchLimits {
  /** So long may an input wait for others, or for the call before to end. */
  waitMs?: number
  items?: number
  bytes?: number
}

/**
 * Collects the signatures requested of one key at the same time, or while a call for it is under way, into one call: on the same
 * two cores transit makes 2,000 signatures a second one by one, and 26,600 in batches of 100. A call that takes long holds up
 * nobody for longer than `waitMs`.
 */
export function createSignBatches(send: SendBatch, limits: BatchLimits = {}): SignBatches {
  const { waitMs = 10, items = 200, bytes = 4 * 1024 * 1024 } = limits
  const lanes = new Map<string, Lane>()
  const sending = new Set<Promise<void>>()

  const post = async (name: string, waiting: Waiting[]): Promise<void> => {
    const inputs = waiting.map(({ input }) => input)
    const answers = await send(name, inputs).catch((error: unknown) => error)
    waiting.forEach(({ settle }, index) => {
      const answer = Array.isArray(answers) ? answers[index] : answers
      if (answer instanceof Uint8Array) settle.resolve(answer)
      else settle.reject(answer ?? new Error('Vault returned fewer signatures than were requested.'))
    })
  }

  const flush = (name: string, lane: Lane): void => {
    clearTimeout(lane.timer)
    lane.timer = undefined
    const { waiting } = lane
    if (waiting.length === 0) return
    lane.waiting = []
    lane.bytes = 0
    lane.running += 1
    const posting = post(name, waiting).finally(() => {
      sending.delete(posting)
      lane.running -= 1
      if (lane.waiting.length > 0) gather(name, lane)
      else if (lane.running === 0) lanes.delete(name)
    })
    sending.add(posting)
  }

  const gather = (name: string, lane: Lane): void => {
    if (lane.isGathering) return
    lane.isGathering = true
    whenGathered({ size: () => lane.waiting.length, most: items, mostMs: waitMs }, () => {
      lane.isGathering = false
      flush(name, lane)
    })
  }

  const laneOf = (name: string): Lane => {
    const lane = lanes.get(name) ?? { waiting: [], bytes: 0, running: 0, isGathering: false }
    lanes.set(name, lane)
    return lane
  }

  return {
    sign(name, input) {
      const lane = laneOf(name)
      const settle = Promise.withResolvers<Uint8Array>()
      lane.waiting.push({ input, settle })
      lane.bytes += input.length
      if (lane.waiting.length >= items || lane.bytes >= bytes) flush(name, lane)
      else if (lane.running === 0) gather(name, lane)
      else lane.timer ??= setTimeout(() => flush(name, lane), waitMs)
      return settle.promise
    },
    async drain() {
      while (sending.size > 0 || lanes.size > 0) {
        for (const [name, lane] of lanes) flush(name, lane)
        await Promise.all(sending)
      }
    },
  }
}
