import { globSync, mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import type { MutantResult } from '@stryker-mutator/api/core'
import { Stryker } from '@stryker-mutator/core'
import type { Module } from './modules.ts'

const REPORTS = 'build/mutants'

/** Plants every mutant of a module's code, one at a time, in a copy of the project. */
export async function plantMutants(name: string, { code, tests }: Module): Promise<MutantResult[]> {
  mkdirSync(REPORTS, { recursive: true })
  const stryker = new Stryker({
    mutate: code,
    testFiles: tests,
    testRunner: 'files',
    plugins: [new URL('./runner.ts', import.meta.url).href],
    ignorers: ['prose'],
    coverageAnalysis: 'perTest',
    concurrency: 1,
    timeoutMS: 45_000,
    timeoutFactor: 2,
    dryRunTimeoutMinutes: 60,
    disableTypeChecks: false,
    incremental: true,
    incrementalFile: `${REPORTS}/${name}.json`,
    tempDirName: '.local/mutants',
    ignorePatterns: ['.local'],
    reporters: ['progress-append-only', 'missed'],
    allowConsoleColors: false,
  })
  const files = new Set(globSync(code).map((file) => resolve(file)))
  // what an earlier run knew of files that the module had then is among the results
  return (await stryker.runMutationTest()).filter(({ fileName }) => files.has(fileName))
}
