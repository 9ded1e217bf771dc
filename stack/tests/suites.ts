import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildClient } from '../client.ts'
import { asCommand } from '../command.ts'
import { findTemporalBinary } from '../parts/temporal.binary.ts'
import { findVaultBinary } from '../parts/vault.binary.ts'
import { CLUSTER, PLATFORM, prepareCluster, preparePlatform } from './cluster.ts'
import { DATA, prepareData } from './data.ts'
import { PARTS } from './parts.ts'
import { type Suite, THOROUGH } from './plan.ts'
import { runTests } from './run.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const floors = JSON.parse(readFileSync(new URL('../../test/floor.json', import.meta.url), 'utf8')) as Floors

interface RunSuite extends Suite {
  /** Variables of its own. */
  env: Record<string, string>
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
  // they start and kill processes
  apart: /^test\/stack\//,
  concurrency: 3, // two cores wait for parts a quarter of the time
  silenceMs: 5 * 60_000,
  floor: floors.test,
  parts: PARTS,
  inMemory: true,
  env: {},
} satisfies RunSuite

/**
 * Files of which `npm test` runs some cases: of kills the quick ones, of pages of the console two of four screens, of hostile
 * inputs every third (D-1070).
 */
const SAMPLED = [
  'test/**/crash.test.ts',
  'test/console/**/*.test.ts',
  'test/frame/hostile/*.test.ts',
  'test/frame/json/names.test.ts',
  'test/stack/bench.test.ts',
]

/** Long runs, soak and crash tests. */
export const HEAVY = {
  ...TESTS,
  inMemory: false, // batches of a million rows
  env: { [THOROUGH]: 'yes' },
  files: ['test/**/*.heavy.ts', ...SAMPLED],
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
      const platform = await preparePlatform(data.directory, cluster)
      const prepared = { ...suite.env, [DATA]: data.directory, [CLUSTER]: cluster, [PLATFORM]: platform }
      await runTests(suite, { ...process.env, ...prepared }, args)
    } finally {
      await data.remove()
    }
  })
