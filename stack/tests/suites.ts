import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildClient } from '../client.ts'
import { asCommand } from '../command.ts'
import { findTemporalBinary } from '../parts/temporal.binary.ts'
import { findVaultBinary } from '../parts/vault.binary.ts'
import { CLUSTER, prepareCluster } from './cluster.ts'
import { DATA, prepareData } from './data.ts'
import { PARTS } from './parts.ts'
import type { Suite } from './plan.ts'
import { runTests } from './run.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const floors = JSON.parse(readFileSync(new URL('../../test/floor.json', import.meta.url), 'utf8')) as Floors

interface RunSuite extends Suite {
  /** Parts keep their data in memory where there is room. */
  inMemory: boolean
}

interface Floors {
  test: number
  heavy: number
}

export const TESTS = {
  root,
  files: 'test/**/*.test.ts',
  timed: /\.timing\.test\.ts$/,
  concurrency: 3, // two cores wait for parts a quarter of the time
  silenceMs: 5 * 60_000,
  floor: floors.test,
  parts: PARTS,
  inMemory: true,
} satisfies RunSuite

/** Long runs, soak and crash tests. */
export const HEAVY = {
  ...TESTS,
  inMemory: false, // batches of a million rows
  files: 'test/**/*.heavy.ts',
  concurrency: 1,
  silenceMs: 60 * 60_000,
  floor: floors.heavy,
} satisfies RunSuite

/** What takes minutes once: a file that built it beside others would be silent for longer than a file may be. */
async function buildParts(): Promise<void> {
  await findTemporalBinary(process.env, console.log)
  await findVaultBinary(process.env, console.log)
}

/** Builds what is generated, and for a whole run the parts; then runs the suite as the command line says. */
export const runSuite = (suite: RunSuite): Promise<void> =>
  asCommand(async () => {
    const args = process.argv.slice(2)
    await buildClient(console.log)
    if (args.length === 0) await buildParts()
    const data = prepareData(suite.inMemory)
    try {
      const cluster = await prepareCluster(data.directory)
      await runTests(suite, { ...process.env, [DATA]: data.directory, [CLUSTER]: cluster }, args)
    } finally {
      await data.remove()
    }
  })
