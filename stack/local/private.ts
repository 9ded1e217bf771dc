import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Owner } from './unprivileged.ts'

/**
 * A directory that nobody else may look into; made when missing, corrected when it was open to others. `through`: whose
 * group may pass on the way to what is theirs (D-166), but not list what is there.
 */
export function privateDirectory(path: string, through?: Owner): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  if (through) chownSync(path, lstatSync(path).uid, through.gid)
  chmodSync(path, through ? 0o710 : 0o700)
}

/** Takes the files right in a directory from everybody else; links and what is in `except` stay as they are. */
export function privateFiles(directory: string, except: readonly string[] = []): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isFile() && !except.includes(entry.name) && lstatSync(path).mode & 0o077) chmodSync(path, 0o600)
  }
}
