import { setTimeout as wait } from 'node:timers/promises'
import { joined, type Measured } from './measure.ts'
import type { BenchedPlatform } from './platform.ts'
import { type Tools, withWork } from './prepare.ts'
import type { Row } from './report.ts'

const ROUNDS = 5
/** Two platforms differ by less than one moment of a shared machine from the next: shorter rounds, and more of them. */
const ROUNDS_OF_TWO = 15
/** V8 compiles what is called often, and of the platform that is more than of a loop: only then its work stops falling. A run of less than 3 s measures nothing anyway. */
const WARMING_SECONDS = 20
const WARMING_TURNS = 4

export interface Compared {
  format: string
  verb: Row['verb']
  /** The plain loop. */
  plainly(seconds: number): Promise<Measured>
  /** The platform. */
  ask(concurrency: number, seconds: number): Promise<Measured>
  /** Another platform that is asked the same in turn. */
  beside?: { platform: BenchedPlatform; ask: Compared['ask'] }
}

/** What a platform whose processes stood still had to do meanwhile: its timers, all at once. */
const WAKING_MS = 500

/** With the other platform standing still, which at rest takes processor time, too. */
async function alone<T>(platform: BenchedPlatform, other: BenchedPlatform | undefined, run: () => Promise<T>) {
  other?.pause()
  platform.resume()
  if (other) await wait(WAKING_MS)
  return await run()
}

/** The plain loop and the platform in turn, so that a busy moment of the machine meets both. */
export async function inRounds(compared: Compared, { platform, seconds }: Tools): Promise<Row> {
  const { format, verb, plainly, ask, beside } = compared
  const stored = await platform.countCredentials()
  const warmingSeconds = Math.min(WARMING_SECONDS, seconds < 3 ? seconds : 4 * seconds)
  const warm: Measured[] = []
  // in turn, because V8 drops what it compiled for a process that rests
  for (let turn = 0; turn < WARMING_TURNS; turn++) {
    warm.push(await ask(32, warmingSeconds / WARMING_TURNS))
    await beside?.ask(32, warmingSeconds / WARMING_TURNS)
  }
  await plainly(Math.min(3, seconds) / 2)
  const plain: Measured[] = []
  const one: Measured[] = []
  const many: Measured[] = []
  const others: Measured[] = []
  const rounds = beside ? ROUNDS_OF_TWO : ROUNDS
  const each = seconds / rounds
  for (let round = 0; round < rounds; round++) {
    await alone(platform, beside?.platform, async () => {
      plain.push(await plainly(each))
      one.push(await ask(1, each))
      many.push(await withWork(platform, () => ask(32, each)))
    })
    if (!beside) continue
    await alone(beside.platform, platform, async () => {
      await beside.ask(1, each)
      others.push(await withWork(beside.platform, () => beside.ask(32, each)))
    })
  }
  platform.resume()
  beside?.platform.resume()
  const answered = [...warm, ...one, ...many].reduce((sum, { done, errors }) => sum + done - errors, 0)
  const lost = verb === 'sign' ? answered - ((await platform.countCredentials()) - stored) : 0
  const row = { format, verb, plain, one: joined(one), rounds: many, many: joined(many), lost }
  return { ...row, ...(beside && { beside: others }) }
}
