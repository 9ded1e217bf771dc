import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { end, isRunning, type Recorded, startOf } from '../parts/processes.ts'
import { withLock } from './lock.ts'
import type { Say } from './progress.ts'

/** Who runs here and what was started, on disk, so that the next start knows its own leftovers from other programs. */
export interface Ledger {
  /** In the order of starting. */
  record(parts: Recorded[]): void
  /** Tells a start that comes now to wait a moment. */
  stopping(): void
  release(): void
}

interface Entry {
  pid: number
  started: string
  stopping: boolean
  parts: Recorded[]
}

const read = (file: string): Entry | undefined =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Entry) : undefined

/** A start that was just interrupted needs to notice; one that stops needs to finish. */
const NOTICE_MS = 3_000
const STOP_MS = 60_000

async function settlePrevious(file: string, say: Say): Promise<void> {
  const begun = Date.now()
  let told = false
  for (;;) {
    const previous = read(file)
    if (!previous) return
    if (!isRunning(previous)) {
      const left = previous.parts.filter(isRunning)
      if (left.length) say(`Ending processes of an interrupted start: ${left.map(({ name }) => name).join(', ')} …`)
      for (const part of previous.parts.toReversed()) await end(part)
      return
    }
    const patience = previous.stopping ? STOP_MS : NOTICE_MS
    if (Date.now() - begun > patience)
      throw new Error(
        `Countersign runs here already (process ${previous.pid}). Stop it with Ctrl-C, or: kill ${previous.pid}`,
      )
    if (previous.stopping && !told) say('Waiting for the previous start to stop …')
    told ||= previous.stopping
    await wait(100)
  }
}

/** Claims the folder for this process; ends what an interrupted start left; throws when another one runs here. */
export async function openLedger(file: string, say: Say): Promise<Ledger> {
  const entry: Entry = { pid: process.pid, started: startOf(process.pid) ?? '', stopping: false, parts: [] }
  const write = () => {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(`${file}.new`, JSON.stringify(entry), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
  const claim = async () => {
    await settlePrevious(file, say)
    write()
  }
  await withLock(`${file}.lock`, claim, () => undefined)
  return {
    record(parts) {
      entry.parts = parts
      write()
    },
    stopping() {
      if (entry.stopping) return
      entry.stopping = true
      write()
    },
    release: () => rmSync(file, { force: true }),
  }
}
