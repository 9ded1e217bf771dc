import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Stores the database's mark outside of the database. Throws `Unavailable('keys')` while it is unavailable. May ignore
 * a mark lower than the stored one.
 */
export interface Witness {
  /** Returns the mark for an id; undefined where none is stored. */
  read(id: string): Promise<number | undefined>
  write(id: string, mark: number): Promise<void>
}

/** One small file per database. Machines need not share the folder: a machine's mark can only be behind. */
export function createFileWitness(directory: string): Witness {
  const place = (id: string) => join(directory, id)
  const unusable = (error: Error) => new Error(`EPOCH_DIRECTORY is not usable: ${error.message}`, { cause: error })
  const read = async (id: string): Promise<number | undefined> => {
    try {
      const mark = Number(await readFile(place(id), 'utf8'))
      if (!Number.isSafeInteger(mark) || mark < 0) throw new Error(`${place(id)} does not hold a number.`)
      return mark
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw unusable(error as Error)
    }
  }
  return {
    read,
    /** Renames the new file into place, so that a crash leaves the old number or the new one. */
    async write(id, mark) {
      if (((await read(id)) ?? -1) >= mark) return
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 })
        const own = `${place(id)}.${process.pid}`
        await writeFile(own, String(mark), { mode: 0o600, flush: true })
        await rename(own, place(id))
      } catch (error) {
        throw unusable(error as Error)
      }
    },
  }
}
