import type { RowError } from '../../../activities/credentials/batches/files.ts'

/**
 * Places where a program may see the start of a cell: the start of the text, and after each character that separates
 * cells in some country. A sign there turns the cell into a formula (OWASP, CSV Injection).
 */
const FORMULA = /(?=[=+\-@＝＋－＠])(?<=(?:^|[,;|\t\r\n])[\s"]*)/g

/** Writes a number as it is, and a text so that it cannot become a formula. */
const cell = (value: string | number): string => {
  if (typeof value === 'number') return String(value)
  const text = value.replace(FORMULA, "'").replace(/^(?=[\t\r\n])/, "'")
  return /^[\w ./:-]*$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`
}

const COLUMNS = ['row', 'field', 'code', 'rule', 'message'] as const

/** Rows as CSV (RFC 4180) with a header line. */
export async function* errorsAsCsv(pages: AsyncIterable<RowError[]>): AsyncGenerator<string> {
  yield `${COLUMNS.join(',')}\r\n`
  for await (const page of pages)
    yield page.map((error) => `${COLUMNS.map((column) => cell(error[column])).join(',')}\r\n`).join('')
}

export async function* errorsAsLines(pages: AsyncIterable<RowError[]>): AsyncGenerator<string> {
  for await (const page of pages) yield page.map((error) => `${JSON.stringify(error)}\n`).join('')
}
