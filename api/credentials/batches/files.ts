import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'
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

/**
 * Sends as fast as the caller reads. Reads the first page before it sends the status, so that a refusal is a problem.
 */
export async function sendFile(
  response: Response,
  { type, name }: { type: string; name: string },
  texts: AsyncGenerator<string>,
): Promise<void> {
  const first = await texts.next()
  response.status(200).set('Content-Type', type).set('Content-Disposition', `attachment; filename="${name}"`)
  const rest = async function* () {
    if (!first.done) yield first.value
    yield* texts
  }
  // when the caller leaves, reading stops; any other failure closes the connection, so that no file looks complete
  await pipeline(Readable.from(rest()), response).catch((error: unknown) => {
    response.locals.log.info({ err: error }, 'a download broke off')
    response.destroy()
  })
}
