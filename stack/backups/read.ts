import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { END_OF_ROWS, FIRST, type Head, LAST, parseCopy, type Tail } from './format.ts'

const LINE_FEED = 10
const END = Buffer.from(`${END_OF_ROWS}\n`)
/** Longer than any of our own lines, and far from filling the memory. */
const LONGEST_LINE = 1024 * 1024

const broken = (why: string) => new Error(`The file is not a complete backup: ${why}.`)

/** What a file holds. It is opened when somebody asks, so that no error comes before somebody hears it. */
export async function* unpack(open: () => Readable): AsyncGenerator<Buffer> {
  const gunzip = createGunzip()
  pipeline(open(), gunzip, () => undefined) // an error of the one is the other's too, and comes out of the loop below
  try {
    for await (const chunk of gunzip) yield chunk as Buffer
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) throw error
    throw broken(`it cannot be unpacked (${error.message})`)
  }
}

/** Where the line is that ends the rows, in a buffer that begins with a row. No row is that line: COPY doubles a backslash. */
function endOfRows(buffer: Buffer): number {
  if (buffer.subarray(0, END.length).equals(END)) return 0
  const before = buffer.indexOf(`\n${END.toString()}`)
  return before === -1 ? -1 : before + 1
}

/** Whole lines of a stream: one at a time, or many until the rows of a table end. */
function createLines(source: AsyncIterable<Buffer>) {
  const chunks = source[Symbol.asyncIterator]()
  let buffer: Buffer = Buffer.alloc(0)
  const more = async (): Promise<boolean> => {
    const { value, done } = await chunks.next()
    if (done) return false
    buffer = buffer.length === 0 ? value : Buffer.concat([buffer, value])
    return true
  }
  return {
    async line(): Promise<string | undefined> {
      for (;;) {
        const at = buffer.indexOf(LINE_FEED)
        if (at !== -1) {
          const text = buffer.toString('utf8', 0, at)
          buffer = buffer.subarray(at + 1)
          return text
        }
        if (buffer.length > LONGEST_LINE) throw broken('it has a line without an end')
        if (!(await more())) return undefined
      }
    },

    /** Rows up to the line that ends them. */
    async *rows(): AsyncGenerator<Buffer> {
      for (;;) {
        const end = endOfRows(buffer)
        const whole = end === -1 ? buffer.lastIndexOf(LINE_FEED) + 1 : end
        if (whole > 0) yield buffer.subarray(0, whole)
        buffer = buffer.subarray(end === -1 ? whole : end + END.length)
        if (end !== -1) return
        if (!(await more())) throw broken('it ends in the middle of a table')
      }
    },
  }
}

const parsed = <T>(line: string | undefined, first: string): T => {
  if (!line?.startsWith(first))
    throw broken(line === undefined ? 'it is cut off' : 'it does not have the lines of a backup')
  try {
    return JSON.parse(line.slice(first.length)) as T
  } catch {
    throw broken(`the line ${first.trim()} cannot be read`)
  }
}

export interface Section {
  table: string
  columns: string[]
  rows: AsyncIterable<Buffer>
}

/** The head, then the tables one after the other, then the tail. Throws a sentence where the file is not a whole backup. */
export async function readBackup(source: AsyncIterable<Buffer>) {
  const lines = createLines(source)
  const head = parsed<Head>(await lines.line(), FIRST)
  if (head.format !== 1) throw broken(`its form ${JSON.stringify(head.format)} is not one that this version knows`)
  let last: string | undefined
  return {
    head,
    /** Each section's rows have to be read before the next is asked for. */
    async *sections(): AsyncGenerator<Section> {
      for (;;) {
        const line = await lines.line()
        const copy = line === undefined ? undefined : parseCopy(line)
        if (!copy) {
          last = line
          return
        }
        yield { ...copy, rows: lines.rows() }
      }
    },
    /** After the last section. */
    tail: (): Tail => parsed<Tail>(last, LAST),
  }
}

export type BackupReader = Awaited<ReturnType<typeof readBackup>>
