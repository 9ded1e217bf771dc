import { whenGathered } from '../../frame/process/gathering.ts'
import { LONGEST_RETURN_MS, observeReturns, type Returns } from './returns.ts'

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
  /** When `waiting` waits no longer, by `performance.now()`. */
  deadline: number
  /** Calls under way. */
  running: number
  /** Set while `waiting` waits for a call to end, or for more callers; of an idle lane, until it is forgotten. */
  timer?: NodeJS.Timeout
  isGathering: boolean
  /** How many the last call served or left waiting: so many are likely to ask again until `returnBy`. */
  expected: number
  returnBy: number
  returns: Returns
}

export interface BatchLimits {
  /** So long may an input wait for others, or for the call before to end. */
  waitMs?: number
  /** So long may it wait for those whom the last call served; longer where a crowd needed longer to return. */
  returnMs?: number
  items?: number
  bytes?: number
  nowMs?: () => number
}

function stopTimer(lane: Lane): void {
  clearTimeout(lane.timer)
  lane.timer = undefined
}

/**
 * Collects the signatures requested of one key at the same time, or while a call for it is under way, into one call: on the same
 * two cores transit makes 2,000 signatures a second one by one, and 26,600 in batches of 100. Who comes soon after a call waits
 * until as many are there as that call served or left waiting, so that two halves of a crowd do not call in turn (D-1030): for
 * `returnMs`, or for as long as the last crowd needed (D-1041). A call that takes long holds up nobody for longer than `waitMs`, a
 * crowd that does not return for `LONGEST_RETURN_MS`, and both together for their sum: 25 ms, and the turn of the event loop.
 */
export function createSignBatches(send: SendBatch, limits: BatchLimits = {}): SignBatches {
  const { waitMs = 10, returnMs = 5, items = 200, bytes = 4 * 1024 * 1024, nowMs = () => performance.now() } = limits
  const lanes = new Map<string, Lane>()
  const sending = new Set<Promise<void>>()

  /** `served`: 0 after a call that failed, whose callers are not expected again. */
  const ended = (name: string, lane: Lane, served: number): void => {
    lane.running -= 1
    lane.expected = served + lane.waiting.length
    if (served > 0) lane.returns.served(lane.expected, lane.waiting.length, nowMs())
    lane.returnBy = nowMs() + lane.returns.ms()
    stopTimer(lane)
    if (lane.waiting.length > 0) gather(name, lane)
    else if (lane.running === 0)
      lane.timer = setTimeout(() => lanes.delete(name), Math.max(LONGEST_RETURN_MS, lane.returns.ms()))
  }

  const post = async (name: string, lane: Lane, waiting: Waiting[]): Promise<void> => {
    const inputs = waiting.map(({ input }) => input)
    const answers = await send(name, inputs).catch((error: unknown) => error)
    ended(name, lane, Array.isArray(answers) ? waiting.length : 0) // before anyone who is answered can ask again
    waiting.forEach(({ settle }, index) => {
      const answer = Array.isArray(answers) ? answers[index] : answers
      if (answer instanceof Uint8Array) settle.resolve(answer)
      else settle.reject(answer ?? new Error('Vault returned fewer signatures than were requested.'))
    })
  }

  const flush = (name: string, lane: Lane): void => {
    const { waiting } = lane
    if (waiting.length === 0) return
    stopTimer(lane)
    lane.waiting = []
    lane.bytes = 0
    lane.running += 1
    const posting = post(name, lane, waiting).finally(() => sending.delete(posting))
    sending.add(posting)
  }

  const leftMs = (lane: Lane) => lane.deadline - nowMs()

  const flushWithin = (ms: number, name: string, lane: Lane): void => {
    lane.timer ??= setTimeout(() => flush(name, lane), Math.max(1, Math.min(ms, leftMs(lane))))
  }

  const gather = (name: string, lane: Lane): void => {
    if (lane.isGathering) return
    lane.isGathering = true
    whenGathered({ size: () => lane.waiting.length, most: items, mostMs: leftMs(lane), nowMs }, () => {
      lane.isGathering = false
      if (lane.waiting.length >= lane.expected || leftMs(lane) <= 0) flush(name, lane)
      else flushWithin(lane.returns.ms(), name, lane)
    })
  }

  const laneOf = (name: string): Lane => {
    const lane = lanes.get(name) ?? {
      waiting: [],
      bytes: 0,
      deadline: 0,
      running: 0,
      isGathering: false,
      expected: 0,
      returnBy: 0,
      returns: observeReturns(returnMs),
    }
    lanes.set(name, lane)
    return lane
  }

  return {
    sign(name, input) {
      const lane = laneOf(name)
      const now = nowMs()
      lane.returns.asked(now)
      if (lane.waiting.length === 0) {
        stopTimer(lane)
        lane.deadline = now + waitMs + lane.returns.ms()
        if (lane.running === 0 && now > lane.returnBy) lane.expected = 0
      }
      const settle = Promise.withResolvers<Uint8Array>()
      lane.waiting.push({ input, settle })
      lane.bytes += input.length
      if (lane.waiting.length >= items || lane.bytes >= bytes) flush(name, lane)
      else if (lane.running === 0) gather(name, lane)
      else if (!lane.isGathering) flushWithin(waitMs, name, lane)
      return settle.promise
    },
    async drain() {
      while (sending.size > 0 || [...lanes.values()].some(({ waiting }) => waiting.length > 0)) {
        for (const [name, lane] of lanes) flush(name, lane)
        await Promise.all(sending)
      }
    },
  }
}
