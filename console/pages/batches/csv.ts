/** How much of a file is read to check its header and first rows. */
const SAMPLE_BYTES = 256 * 1024
const SAMPLE_ROWS = 5

export const DELIMITERS = [',', ';', '|', '\t'] as const
export type Delimiter = (typeof DELIMITERS)[number]

export interface Sample {
  kind: 'csv' | 'jsonl'
  isGzip: boolean
  text: string
  /** The text is not the whole file. */
  isCut: boolean
}

const isGzip = (head: Uint8Array) => head[0] === 0x1f && head[1] === 0x8b

/** The beginning of a file as text. Throws `TypeError` where it is not UTF-8, as the platform refuses it. */
export async function readSample(file: File): Promise<Sample> {
  const zipped = isGzip(new Uint8Array(await file.slice(0, 2).arrayBuffer()))
  const stream = zipped ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream()
  const reader = stream.getReader()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let [text, size, isCut] = ['', 0, false]
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.length
    text += decoder.decode(value, { stream: true })
    if (size >= SAMPLE_BYTES) {
      isCut = true
      await reader.cancel()
      break
    }
  }
  if (!isCut) text += decoder.decode()
  const isLines = /\.(jsonl|ndjson)(\.gz)?$/i.test(file.name) || /^\s*\{/.test(text)
  return { kind: isLines ? 'jsonl' : 'csv', isGzip: zipped, text, isCut }
}

export interface Cells {
  header: string[]
  rows: string[][]
  /** A quote is open at the end of the whole file. */
  isOpen: boolean
}

/** The header and the first rows (RFC 4180), for a look before the upload: the platform reads the file anew. */
export function readCells({ text, isCut }: Sample, delimiter: string): Cells {
  const lines: string[][] = []
  let [cells, cell, isQuoted, at] = [[] as string[], '', false, 0]
  const endLine = () => {
    cells.push(cell)
    if (cells.length > 1 || cell !== '') lines.push(cells)
    cells = []
    cell = ''
  }
  for (; at < text.length && lines.length <= SAMPLE_ROWS; at++) {
    const sign = text[at]
    if (isQuoted) {
      if (sign !== '"') cell += sign
      else if (text[at + 1] === '"') {
        cell += '"'
        at++
      } else isQuoted = false
    } else if (sign === '"' && cell === '') isQuoted = true
    else if (sign === delimiter) {
      cells.push(cell)
      cell = ''
    } else if (sign === '\n') endLine()
    else if (sign !== '\r') cell += sign
  }
  const isWhole = at === text.length && !isCut
  if (isWhole && lines.length <= SAMPLE_ROWS && (cell !== '' || cells.length > 0)) endLine()
  const [header = [], ...rows] = lines
  return { header: header.map((name) => name.trim()), rows: rows.slice(0, SAMPLE_ROWS), isOpen: isWhole && isQuoted }
}

/** The delimiter that the header line has most of; a comma where it has none. */
export function delimiterOf({ text }: Sample): Delimiter {
  const [line = ''] = text.split('\n', 1)
  const counts = DELIMITERS.map((each) => [each, line.split(each).length] as const)
  return counts.toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? ','
}
