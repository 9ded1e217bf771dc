import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Stores the database's mark outside of the database. Throws `Unavailable('keys')` while it is unavailable. */
export interface Witness {
  /** Returns the mark for an id; undefined where none is stored. */
  read(id: string): Promise<number | undefined>
  /** Stores the mark if the stored one is lower; returns the one that is stored then. */
  write(id: string, mark: number): Promise<number>
}

/** One small file per database. Machines need not share the folder: a machine's mark can only be behind. */
export function createFileWitness(directory: string): Witness {
  const place = (id: string) => join(directory, id)
  const usable = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error: Error) => {
      throw new Error(`EPOCH_DIRECTORY is not usable: ${error.message}`, { cause: error })
    })
  const stored = async (id: string): Promise<number | undefined> => {
    try {
      const mark = Number(await readFile(place(id), 'utf8'))
      if (!Number.isSafeInteger(mark) || mark < 0) throw new Error(`${place(id)} does not hold a number.`)
      return mark
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }
  /** Renames the new file into place, so that a crash leaves the old number or the new one. */
  async function replace(id: string, mark: number): Promise<number> {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const own = `${place(id)}.${randomUUID()}` // in containers, processes that share the folder have the same number
    try {
      await writeFile(own, String(mark), { mode: 0o600, flush: true })
      const standing = await stored(id) // read last: little time is left in which another process could write
      if (standing !== undefined && standing >= mark) return standing
      await rename(own, place(id))
      return mark
    } finally {
      await rm(own, { force: true })
    }
  }
  return { read: (id) => usable(stored(id)), write: (id, mark) => usable(replace(id, mark)) }
}
