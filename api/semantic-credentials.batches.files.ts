import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'
import type { RowError } from '../activities/semantic-credentials.batches.files.ts'

/** A leading sign makes a formula of a cell where a spreadsheet opens the file (OWASP, CSV Injection). */
const cell = (value: string | number): string => {
  const text = String(value)
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
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

/** Sends as fast as the caller takes it; the first page is read before anything is answered, so that a refusal is one. */
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
  // a caller who leaves ends the reading; what breaks off for another reason ends the connection, not the file
  await pipeline(Readable.from(rest()), response).catch((error: unknown) => {
    response.locals.log.info({ err: error }, 'a download broke off')
    response.destroy()
  })
}
