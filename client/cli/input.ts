import { openAsBlob, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { arrayBuffer, blob } from 'node:stream/consumers'
import { JsonText } from './json.ts'
import { Usage } from './usage.ts'

const nameOf = (file: string) => (file === '-' ? 'Standard input' : file)

/** A file that can be read; `-` is standard input. */
function assertReadable(name: string): void {
  const stat = statSync(name, { throwIfNoEntry: false })
  if (!stat) throw new Usage(`There is no file ${name}.`)
  if (stat.isDirectory()) throw new Usage(`${name} is a folder.`)
}

async function readBytes(name: string): Promise<ArrayBuffer | Uint8Array> {
  if (name === '-') return arrayBuffer(process.stdin)
  assertReadable(name)
  return readFile(name)
}

/** Bytes that are no UTF-8 would become other characters than the file has, and be signed. */
export async function readText(name: string): Promise<string> {
  const bytes = await readBytes(name)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Usage(`${nameOf(name)} is not UTF-8.`)
  }
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
  const name = nameOf(file)
  const value = parseJson(name, text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Usage(`${name} is no JSON object.`)
  return value as Record<string, unknown>
}

/** The text of a JSON object, from a file. */
export async function readObject(file: string): Promise<JsonText> {
  const text = await readText(file)
  parseObject(file, text)
  return new JsonText(text)
}

/** What is uploaded, as its bytes are; a file is not read into memory. */
export async function openUpload(name: string): Promise<Blob> {
  if (name === '-') return blob(process.stdin) as Promise<Blob>
  assertReadable(name)
  return openAsBlob(name)
}
