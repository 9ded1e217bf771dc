import { type FileHandle, open } from 'node:fs/promises'
import { Usage } from './usage.ts'

/** A file that credentials are written to. */
export interface Target {
  /** Writes all of it, in place of what the file had; again after a try that broke. */
  write(parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>
}

/**
 * Opens a file for its owner alone, also one that others could read; what it has stays until there is something to write.
 * A file that cannot be written is found out now, and not when everything is signed.
 */
export async function openTarget(name: string): Promise<Target> {
  let handle: FileHandle | undefined
  try {
    handle = await open(name, 'a', 0o600)
    const isFile = (await handle.stat()).isFile() // and no terminal, pipe or /dev/null
    if (isFile) await handle.chmod(0o600)
    return fileTarget(handle, isFile)
  } catch (error) {
    await handle?.close()
    throw new Usage(`${name} cannot be written: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const fileTarget = (handle: FileHandle, isFile: boolean): Target => ({
  async write(parts) {
    if (isFile) await handle.truncate()
    await handle.writeFile(parts)
    await handle.close()
  },
})
