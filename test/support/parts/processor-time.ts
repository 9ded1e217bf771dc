import { createHash } from 'node:crypto'
import type { ExecutionContext } from 'ava'

/*
 * Processor time is what code costs, whatever else the machine does meanwhile; time on the clock belongs into
 * `*.timing.test.ts`, which run alone.
 */

const milliseconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1_000

/** Milliseconds that work costs this thread. */
export function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  return milliseconds(process.threadCpuUsage(before))
}

/** Milliseconds that work costs all threads of this process together. */
export async function processorMsOfAll(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  return milliseconds(process.cpuUsage(before))
}

/** The longest turn of the event loop while `work` runs, in milliseconds of this thread: between two looks of a timer. */
async function turnOf(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let before = process.threadCpuUsage()
  const timer = setInterval(() => {
    longest = Math.max(longest, milliseconds(process.threadCpuUsage(before)))
    before = process.threadCpuUsage()
  }, 1)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return longest
}

/** A turn of work that does not change: parsing, hashing and objects, as requests do. */
function fixedWork(): void {
  const text = JSON.stringify(
    Array.from({ length: 400 }, (_, at) => ({ id: at, name: `credential ${at}`, tags: [at, at] })),
  )
  for (let round = 0; round < 300; round++) {
    const parsed = JSON.parse(text) as { name: string }[]
    createHash('sha256')
      .update(parsed.map(({ name }) => name).join())
      .digest()
  }
}

/** Milliseconds that `fixedWork` takes on the machine for which the limits of turns were written. */
const USUAL_MS = 45

let slowness: number | undefined

/** How many times slower than usual this machine is, and at least 1: neighbours of a virtual machine slow its processor. */
function slownessOf(): number {
  slowness ??= Math.max(1, Math.min(...Array.from({ length: 5 }, () => processorMs(fixedWork))) / USUAL_MS)
  return slowness
}

/**
 * The longest turn of the event loop in one run of `work`, in milliseconds. A collection of garbage may stretch one turn,
 * but work that is too long is too long each time: a run that reaches `limit` is repeated twice, and counted as the usual
 * machine would take it.
 */
export async function longestTurn(
  t: Pick<ExecutionContext, 'log'>,
  work: () => Promise<unknown>,
  limit = 50,
): Promise<number> {
  const first = await turnOf(work)
  t.log(`longest turn: ${first.toFixed(1)} ms`)
  if (first < limit) return first
  const least = Math.min(first, await turnOf(work), await turnOf(work))
  t.log(`least of three: ${least.toFixed(1)} ms; the machine is ${slownessOf().toFixed(1)} times slower than usual`)
  return least / slownessOf()
}
