import { accessSync, constants, lstatSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { availableMemory } from 'node:process'
import { startOf } from '../parts/processes.ts'

/** Variable of the environment: where the parts that tests bring up keep their data (D-893). */
export const DATA = 'TEST_DATA'

/** Linux keeps what is here in memory: of most machines at most half of it, of containers often 64 MiB. */
const MEMORY = { directory: '/dev/shm', bytes: 4 * 2 ** 30 }

function hasRoom({ directory, bytes }: typeof MEMORY): boolean {
  try {
    accessSync(directory, constants.W_OK)
    const { bavail, bsize } = statfsSync(directory)
    return Math.min(bavail * bsize, availableMemory()) >= bytes
  } catch {
    return false // another system, or not for us
  }
}

const RUN = /^(countersign-tests-(\d+)-\w+)-\w{6}$/

const nameOf = (pid: number) => `countersign-tests-${pid}-${startOf(pid)?.replaceAll(/\W/g, '')}`

/** Takes away what runs left that were killed outright: in memory it would stay until the machine stops. */
function removeLeft(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, run, pid] = RUN.exec(name) ?? []
    const path = join(parent, name)
    const isOurs = lstatSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.()
    if (pid && isOurs && nameOf(Number(pid)) !== run) rmSync(path, { recursive: true, force: true })
  }
}

/** Makes the directory of a run, in memory where there is room; `remove` takes away what killed files left in it too. */
export function prepareData(inMemory: boolean, memory = MEMORY) {
  const fits = inMemory && hasRoom(memory)
  if (fits) removeLeft(memory.directory)
  const directory = mkdtempSync(join(fits ? memory.directory : tmpdir(), `${nameOf(process.pid)}-`))
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) }
}

/** A new directory for a part's data. */
export const dataDirectory = (name: string): string =>
  mkdtempSync(join(process.env[DATA] ?? tmpdir(), `countersign-${name}-`))
