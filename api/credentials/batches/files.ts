import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'
import type { RowError } from '../../../activities/credentials/batches/files.ts'

/**
 * Where a cell may begin: at the start, and behind what some program takes for the end of a cell, for those of other
 * countries part cells by another character than the comma. A sign there makes a formula of the cell (OWASP, CSV Injection).
 */
const FORMULA = /(^|[,;|\t\r\n])([\s"]*)(?=[=+\-@＝＋－＠])/g

/** A number stays one; a text cannot become a formula. */
const cell = (value: string | number): string => {
  if (typeof value === 'number') return String(value)
  const text = value.replace(FORMULA, "$1$2'").replace(/^(?=[\t\r\n])/, "'")
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
