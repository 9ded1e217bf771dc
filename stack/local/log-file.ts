import { closeSync, existsSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'

const MAX_BYTES = 10 * 1024 * 1024

/** Keeps a log and the one before it: 20 MiB at most. */
export function rotate(path: string, maxBytes = MAX_BYTES): void {
  mkdirSync(dirname(path), { recursive: true })
  if (existsSync(path) && statSync(path).size > maxBytes) renameSync(path, path.replace(/(\.log)?$/, '.1.log'))
}

/** Appends a process's output to a file that stays bounded, and hands every line on. */
export function logTo(path: string, maxBytes = MAX_BYTES) {
  rotate(path, maxBytes)
  let file: number | undefined = openSync(path, 'a', 0o600)
  let size = statSync(path).size
  let isLosing = false
  const close = () => {
    if (file !== undefined) closeSync(file)
    file = undefined // its number may be another file's from now on
  }
  const write = (chunk: Buffer) => {
    file ??= openSync(path, 'a', 0o600)
    size += writeSync(file, chunk)
    if (size <= maxBytes) return
    close()
    size = 0
    rotate(path, maxBytes)
    file = openSync(path, 'a', 0o600)
  }
  /** A full disk ends nobody: what cannot be written is lost, and that is told once. */
  const append = (chunk: Buffer, tell: (text: string) => void) => {
    try {
      write(chunk)
      isLosing = false
    } catch (error) {
      if (!isLosing)
        tell(`${path} cannot be written, and loses lines (${error instanceof Error ? error.message : error})`)
      isLosing = true
    }
  }
  return {
    follow(stream: Readable, line: (text: string) => void) {
      let rest = ''
      stream.on('data', (chunk: Buffer) => {
        append(chunk, line)
        const lines = (rest + chunk.toString()).split('\n')
        rest = (lines.pop() ?? '').slice(-65_536)
        lines.forEach(line)
      })
    },
    close,
  }
}

/** Members of a log line that say where to look. */
const TOLD = ['status', 'route', 'problem', 'part', 'cause', 'host', 'reason', 'code', 'batchId', 'listId', 'requestId']

const LEVELS: Record<number, string> = { 40: 'warning', 50: 'error', 60: 'fatal' }

/** What a person should see of a process's output: warnings and worse, and what is no log line at all (a crash). */
export function notable(name: string, text: string): string | undefined {
  if (!text.startsWith('{')) return text.trim() ? `${name}: ${stripVTControlCharacters(text)}` : undefined
  const level = LEVELS[Number(/"level":(\d+)/.exec(text.slice(0, 200))?.[1])]
  if (!level) return undefined
  try {
    const {
      msg = '',
      err,
      ...more
    } = JSON.parse(text) as Record<string, unknown> & {
      msg?: string
      err?: { message?: string }
    }
    const reason = err?.message && err.message !== msg ? ` (${err.message})` : ''
    const told = TOLD.flatMap((member) => (member in more ? [`${member} ${more[member]}`] : [])).join(', ')
    return `${name}: ${level}: ${msg}${reason}${told && ` [${told}]`}`
  } catch {
    return `${name}: ${text}` // cut off in the middle
  }
}

/** At most so many lines in ten seconds; the file has them all. */
export function throttled(say: (line: string) => void, path: string, most = 10) {
  let windowStart = 0
  let shown = 0
  return (line: string) => {
    if (Date.now() - windowStart > 10_000) {
      windowStart = Date.now()
      shown = 0
    }
    shown += 1
    if (shown <= most) say(line)
    else if (shown === most + 1) say(`… more of this in ${path}`)
  }
}
