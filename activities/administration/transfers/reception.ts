import {
  chained,
  type End,
  type Header,
  inLine,
  invalidFile,
  MAX_FILE_BYTES,
  MAX_LINE_BYTES,
  MAX_LINES,
  parseLine,
  readEnd,
  readHeader,
} from '../../../protocol/administration/transfers/file.ts'
import type { KindOfRows } from '../../../protocol/administration/transfers/kinds.ts'
import { KIND_NAMES, KINDS } from '../../../protocol/administration/transfers/kinds.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import { CHUNK_LENGTH, createTransferStorage } from './storage.ts'

/** A file on its way in. */
export interface FileUpload {
  /** Its bytes without their compression; reads only as fast as they are taken. */
  plain: AsyncIterable<Uint8Array>
  /** Bytes of the body so far. */
  received(): number
  /** SHA-256 of the body, once it was read to its end. */
  digest(): Buffer
}

/** How many times larger than its body a file may be: JSON of one template shrinks 30 times. */
const MOST_RATIO = 200
/** Below this size nobody asks for the ratio. */
const SMALL_BYTES = 64 * 1024 * 1024

const NEW_LINE = 10

const tooLarge = (path: string, message: string) =>
  new Refusal('tenant_import.file_too_large', 'The file is larger than the platform takes.', [
    { path, code: 'size', message },
  ])

/** The lines of a file, each of bounded length. Throws `tenant_import.file_too_large`, `tenant_import.file_invalid`. */
async function* linesOf({ plain, received }: FileUpload): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let parts: Uint8Array[] = []
  let [length, total, line] = [0, 0, 1]
  const take = (last: Uint8Array): string => {
    const bytes = Buffer.concat([...parts, last])
    parts = []
    length = 0
    try {
      return decoder.decode(bytes)
    } catch {
      throw invalidFile(`Line ${line} of the file is not UTF-8.`, [
        { path: inLine(line), code: 'utf8', message: 'expected UTF-8' },
      ])
    }
  }
  for await (const bytes of plain) {
    total += bytes.length
    if (total > MAX_FILE_BYTES || (total > SMALL_BYTES && total > received() * MOST_RATIO))
      throw tooLarge('', `expected at most ${MAX_FILE_BYTES} bytes, and ${MOST_RATIO} times those of the body`)
    let from = 0
    for (let at = bytes.indexOf(NEW_LINE); at >= 0; at = bytes.indexOf(NEW_LINE, from)) {
      if (length + at - from > MAX_LINE_BYTES) throw tooLarge(inLine(line), `expected at most ${MAX_LINE_BYTES} bytes`)
      yield take(bytes.subarray(from, at))
      line += 1
      from = at + 1
    }
    const rest = bytes.subarray(from)
    length += rest.length
    if (length > MAX_LINE_BYTES) throw tooLarge(inLine(line), `expected at most ${MAX_LINE_BYTES} bytes`)
    if (rest.length > 0) parts.push(rest)
  }
  if (length > 0)
    throw invalidFile('The file ends within a line.', [
      { path: inLine(line), code: 'truncated', message: 'expected the end of the line' },
    ])
}

/** A row or the header never begins so: members have the order of an export, or the line is read as a row. */
const mayEnd = (line: string) => line.startsWith('{"kind":"end"')

function checkEnd(end: End, digest: Buffer, line: number): void {
  if (digest.toString('hex') !== end.digest)
    throw invalidFile('The file was changed: its digest is another one.', [
      { path: inLine(line, 'digest'), code: 'digest', message: 'expected the digest of the lines before' },
    ])
  for (const kind of KIND_NAMES) {
    const { most }: KindOfRows = KINDS[kind]
    if (most !== undefined && (end.counts[kind] ?? 0) > most)
      throw invalidFile(`A tenant can have ${most} ${kind}.`, [
        { path: inLine(line, `counts.${kind}`), code: 'count', message: `expected at most ${most}` },
      ])
  }
}

const STORE = `insert into tenant_import_segments (import_id, place, first_line, content) values ($1, $2, $3, $4)`
const DISCARD = `delete from tenant_imports where id = $1 and state = 'RECEIVING'`

/** Stores the file of an import in segments of whole lines. */
export function createReception({ config, systemSql }: Pick<Dependencies, 'config' | 'systemSql'>) {
  const storage = createTransferStorage({ config })

  return {
    /**
     * Reads the file to its end. What the file says of itself is compared here: format, version, digest, counts. Throws
     * `tenant_import.file_invalid`, `.version_unknown`, `.file_too_large`.
     */
    async receive(importId: string, upload: FileUpload): Promise<{ header: Header; segments: number }> {
      let header: Header | undefined
      let end: End | undefined
      let digest: Buffer | null = null
      let [number, segments] = [0, 0]
      let segment: string[] = []
      let length = 0
      const flush = async () => {
        if (segment.length === 0) return
        const content = await storage.sealSegment(importId, segments, segment)
        const first = number - segment.length + 1
        await systemSql.query({ text: STORE, values: [importId, segments, first, content] })
        segments += 1
        segment = []
        length = 0
      }
      for await (const line of linesOf(upload)) {
        if (end)
          throw invalidFile('The file goes on after its end.', [
            { path: inLine(number + 1), code: 'order', message: 'expected nothing after the end' },
          ])
        number += 1
        if (number > MAX_LINES) throw tooLarge(inLine(number), `expected at most ${MAX_LINES} lines`)
        if (!header) header = readHeader(line)
        else if (mayEnd(line)) end = readEnd(parseLine(line, number), number)
        if (end) {
          checkEnd(end, digest ?? Buffer.alloc(0), number)
          number -= 1
          await flush()
          number += 1
          continue
        }
        digest = chained(digest, line)
        if (number === 1) continue
        segment.push(line)
        length += line.length
        if (length >= CHUNK_LENGTH) await flush()
      }
      if (!header)
        throw invalidFile('The file is empty.', [
          { path: '', code: 'empty', message: 'expected the file of an export of a tenant' },
        ])
      if (!end)
        throw invalidFile('The file has no end: a part of it is missing.', [
          { path: inLine(number), code: 'truncated', message: 'expected the last line of an export' },
        ])
      return { header: { ...header, counts: end.counts }, segments }
    },

    /** Deletes an upload that is no import yet. */
    async discard(importId: string): Promise<void> {
      await systemSql.query({ text: DISCARD, values: [importId] })
    },
  }
}
