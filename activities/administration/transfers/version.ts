import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

function readVersion(): string {
  const path = findPackageJSON(import.meta.url)
  if (!path) throw new Error('The program has no package.json above it.')
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version
}

/** Of this program, compiled or not, which the header of a file names. */
export const platformVersion = readVersion()
