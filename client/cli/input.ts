import { openAsBlob, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { text as textOf } from 'node:stream/consumers'
import { Usage } from './usage.ts'

/** A file that can be read; `-` is standard input. */
function assertReadable(name: string): void {
  const stat = statSync(name, { throwIfNoEntry: false })
  if (!stat) throw new Usage(`There is no file ${name}.`)
  if (stat.isDirectory()) throw new Usage(`${name} is a folder.`)
}

export async function readText(name: string): Promise<string> {
  if (name === '-') return textOf(process.stdin)
  assertReadable(name)
  return readFile(name, 'utf8')
}

/** What is none ends the program with the name of the file or option. */
export function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Usage(`${name} is not JSON.`)
  }
}

/** A JSON object from a file; what is none is no request to send. */
export function parseObject(file: string, text: string): Record<string, unknown> {
  const name = file === '-' ? 'Standard input' : file
  const value = parseJson(name, text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Usage(`${name} is no JSON object.`)
  return value as Record<string, unknown>
}

/** A file to upload, which is not read into memory. */
export async function openUpload(name: string): Promise<Blob> {
  if (name === '-') return new Blob([await textOf(process.stdin)])
  assertReadable(name)
  return openAsBlob(name)
}
