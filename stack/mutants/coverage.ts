/**
 * Loaded into every process and thread of a test file in the first, unchanged run: writes down which mutants its code
 * came by. Loaded without a loader: only erasable syntax and node: imports here.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'

/** Names the folder to write to. */
export const COVERAGE = 'COUNTERSIGN_MUTANT_COVERAGE'

/** What Stryker's instrumentation counts, by a mutant's id; no test is named to it, so that all counts stand here. */
interface Instrumented {
  __stryker__?: { mutantCoverage?: { static: Record<string, number> } }
}

const folder = process.env[COVERAGE]

const write = () => {
  const counts = (globalThis as Instrumented).__stryker__?.mutantCoverage?.static
  if (folder && counts)
    writeFileSync(join(folder, `${process.pid}-${threadId}.json`), JSON.stringify(Object.keys(counts)))
}

process.on('exit', write)
setInterval(write, 250).unref() // a process that is killed, or a thread that is ended, has no exit
