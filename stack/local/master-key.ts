import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * 32 bytes in base64 from a file that only we may read, made once: of two that make it, one wins and both use it.
 * Throws when others may read the file.
 */
export function masterKeyFrom(file: string): string {
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true })
    const own = `${file}.${randomUUID()}`
    writeFileSync(own, randomBytes(32).toString('base64'), { mode: 0o600, flush: true })
    try {
      linkSync(own, file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      rmSync(own)
    }
  }
  if (process.platform !== 'win32' && statSync(file).mode & 0o077)
    throw new Error(`Other users may read the master key. Run: chmod 600 ${file}`)
  return readFileSync(file, 'utf8').trim()
}
