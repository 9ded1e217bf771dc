import { pipeline } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CsvError, parse } from 'csv-parse'
import type { CheckColumns } from '../../../activities/credentials/batches/upload.ts'
import { readHeader, rowOfCells } from '../../../protocol/credentials/batches.csv.ts'
import {
  MAX_ROW_BYTES,
  MAX_ROWS,
  MAX_UPLOAD_BYTES,
  type ReadRow,
  ROW_TOO_LARGE,
  type RowKind,
  rowOfJson,
} from '../../../protocol/credentials/batches.ts'
import { Refusal, within } from '../../../protocol/errors.ts'
import { parseJson } from '../../../protocol/json.strict.ts'

type Bytes = AsyncIterable<Uint8Array>

/** Cells of a CSV line at most. A line with another number of cells than the header is a row with an error. */
const MAX_CELLS = 1_000

/** Rows of a CSV in one turn of the event loop: the parser holds thousands of short ones at a time. */
const ROWS_AT_ONCE = 20

const NEWLINE = 10
const RETURN = 13
const BOM = Buffer.from([0xef, 0xbb, 0xbf])

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Passes bytes on, counted and hashed. Throws `Refusal('request.too_large')`. */
export async function* measured(
  source: Bytes,
  hash: { update(bytes: Uint8Array): unknown },
): AsyncGenerator<Uint8Array> {
  let total = 0
  for await (const bytes of source) {
    total += bytes.length
    if (total > MAX_UPLOAD_BYTES)
      throw new Refusal('request.too_large', 'The upload is larger than 1 GiB; split it into several batches.')
    hash.update(bytes)
    yield bytes
  }
}

/** Lines without their line ends; undefined for a line that is too long, whose further bytes are not kept. */
async function* linesOf(source: Bytes): AsyncGenerator<Buffer | undefined> {
  let parts: Uint8Array[] = []
  let length = 0
  const keep = (part: Uint8Array) => {
    length += part.length
    if (length <= MAX_ROW_BYTES + 1) parts.push(part)
  }
  const line = () => {
    const whole = Buffer.concat(parts)
    const end = whole.at(-1) === RETURN ? whole.length - 1 : whole.length
    const content = length > MAX_ROW_BYTES + 1 || end > MAX_ROW_BYTES ? undefined : whole.subarray(0, end)
    parts = []
    length = 0
    return content
  }
  for await (const bytes of source) {
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      keep(bytes.subarray(start, end))
      yield line()
      start = end + 1
    }
    keep(bytes.subarray(start))
  }
  if (length > 0) yield line()
}

/** A line has only one line to name. */
const ofLine = (message: string): string => message.replace(/^The body\b/, 'The line').replace('line 1, ', '')

function rowOfLine(line: Buffer, kind: RowKind): ReadRow {
  try {
    return rowOfJson(parseJson(utf8.decode(line)), kind)
  } catch (error) {
    if (error instanceof Refusal)
      return {
        errors:
          error.errors.length > 0 ? error.errors : [{ path: '', code: error.code, message: ofLine(error.message) }],
      }
    if (error instanceof TypeError) return { errors: [{ path: '', code: 'row.utf8', message: 'expected valid UTF-8' }] }
    throw error
  }
}

/**
 * Rows of JSON lines (application/x-ndjson). Skips blank lines; a line that is not JSON is a row with an error. Throws
 * `Refusal('batch.too_many_rows')` for too many blank lines: compressed, a billion of them take a megabyte.
 */
export async function* jsonRows(source: Bytes, kind: RowKind): AsyncGenerator<ReadRow> {
  let blank = 0
  let first = true
  for await (const content of linesOf(source)) {
    const line = first && content?.subarray(0, 3).equals(BOM) ? content.subarray(3) : content
    first = false
    if (line === undefined) yield { errors: [ROW_TOO_LARGE] }
    else if (line.toString('latin1').trim() !== '') yield rowOfLine(line, kind)
    else if (++blank > MAX_ROWS)
      throw new Refusal('batch.too_many_rows', `The upload has more than ${MAX_ROWS} blank lines; remove them.`)
  }
}

/** Blank lines of a CSV at most, also those within quotes, which texts of several paragraphs have. */
const MAX_BLANK_LINES = 8 * MAX_ROWS

/** Counts blank lines. Throws `Refusal('batch.too_many_rows')`: the parser skips them without a word. */
function createBlankLines() {
  let [blank, first] = [0, 0]
  return (bytes: Uint8Array): void => {
    for (const byte of bytes) {
      const isEnd = byte === NEWLINE || byte === RETURN
      // of ends of lines in a row, one by the same character as the first ends a blank line
      if (isEnd && byte === first) blank++
      if (!isEnd) first = 0
      else if (first === 0) first = byte
    }
    if (blank > MAX_BLANK_LINES)
      throw new Refusal('batch.too_many_rows', `The CSV has more than ${MAX_BLANK_LINES} blank lines; remove them.`)
  }
}

/** A replacement character would change a claim in silence, so a file in another encoding is refused as a whole. */
async function* textOf(source: Bytes): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const countBlank = createBlankLines()
  try {
    for await (const bytes of source) {
      countBlank(bytes)
      yield decoder.decode(bytes, { stream: true })
    }
    yield decoder.decode()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new Refusal('request.not_utf8', 'The CSV is not valid UTF-8; save it in that encoding.')
  }
}

const unreadable = ({ code, lines }: CsvError) =>
  new Refusal(
    'batch.csv_invalid',
    'The CSV cannot be read (RFC 4180): check its quotes, and that rows are not too long.',
    [{ path: within('line', String(lines)), code: String(code).toLowerCase(), message: 'expected RFC 4180' }],
  )

/**
 * Rows of a CSV file (RFC 4180) by its header line. Throws `Refusal('batch.csv_*')` where the file as a whole is at fault,
 * and what `checkColumns` throws.
 */
export async function* csvRows(
  source: Bytes,
  delimiter: string,
  kind: RowKind,
  checkColumns?: CheckColumns,
): AsyncGenerator<ReadRow> {
  const parser = parse({
    delimiter,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_ROW_BYTES,
    // max_record_size counts the text of the cells; a gigabyte of delimiters has none
    cast: (cell, { index }) => {
      if (index < MAX_CELLS) return cell
      throw new Refusal('batch.csv_invalid', 'The CSV cannot be read: a line has too many cells.', [
        { path: '', code: 'csv_too_many_cells', message: `expected at most ${MAX_CELLS} cells in a line` },
      ])
    },
  })
  // the loop below throws every failure of the pipeline
  pipeline(textOf(source), parser, () => undefined)
  let columns: ReturnType<typeof readHeader> | undefined
  let read = 0
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      if (columns === undefined) {
        columns = readHeader(cells, kind, delimiter)
        checkColumns?.(columns)
      } else yield rowOfCells(columns, cells, kind, parseJson)
      if (++read % ROWS_AT_ONCE === 0) await nextTurn()
    }
  } catch (error) {
    throw error instanceof CsvError ? unreadable(error) : error
  }
}
