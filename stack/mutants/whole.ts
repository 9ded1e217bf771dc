import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { runFile } from '../tests/file.ts'
import type { FileReport } from '../tests/report.ts'
import { COVERAGE } from './coverage.ts'

const PRELOAD = new URL('./coverage.ts', import.meta.url).href

/** One run of a test file in an AVA of its own. `file` is absolute, in the working directory. */
export function runWhole(file: string, env: NodeJS.ProcessEnv, stop: AbortSignal): Promise<FileReport> {
  const path = relative(process.cwd(), file)
  const suite = { root: process.cwd(), silenceMs: 10 * 60_000 }
  const options = { matching: [], failFast: true, stop, counted: () => undefined }
  return runFile({ path, argument: path }, { suite, env, ...options })
}

/** A run without a mutant, and the ids of all mutants that any process or thread of the file came by. */
export async function runCovered(file: string, env: NodeJS.ProcessEnv): Promise<{ report: FileReport; ids: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-mutants-'))
  const covering = { ...env, [COVERAGE]: folder, NODE_OPTIONS: `--import=${PRELOAD}` }
  const report = await runWhole(file, covering, new AbortController().signal)
  const ids = readdirSync(folder).flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as string[])
  rmSync(folder, { recursive: true })
  return { report, ids: [...new Set(ids)] }
}
