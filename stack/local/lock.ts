import { randomUUID } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isRunning, startOf } from '../parts/processes.ts'

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'

/** Makes the lock file with its content in one step; false when somebody has it. */
function take(file: string, content: string): boolean {
  const own = `${file}.${randomUUID()}`
  writeFileSync(own, content)
  try {
    linkSync(own, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(own)
  }
}

/** Takes away a lock whose holder is gone. Renaming first: of two that find it, one removes it, and only that one. */
function removeStale(file: string): boolean {
  try {
    const content = readFileSync(file, 'utf8')
    if (isRunning(JSON.parse(content) as { pid: number; started: string })) return false
    const aside = `${file}.${randomUUID()}`
    renameSync(file, aside)
    const same = readFileSync(aside, 'utf8') === content
    if (!same) take(file, readFileSync(aside, 'utf8'))
    rmSync(aside)
    return same
  } catch (error) {
    if (isMissing(error)) return true
    throw error
  }
}

/** Runs `work` while no other process of this machine holds `file`; calls `waiting` once when it has to wait. */
export async function withLock<T>(file: string, work: () => Promise<T>, waiting: () => void): Promise<T> {
  mkdirSync(dirname(file), { recursive: true })
  const content = JSON.stringify({ pid: process.pid, started: startOf(process.pid), id: randomUUID() })
  for (let told = false; !take(file, content); ) {
    if (removeStale(file)) continue
    if (!told) waiting()
    told = true
    await wait(200)
  }
  try {
    return await work()
  } finally {
    rmSync(file, { force: true })
  }
}
