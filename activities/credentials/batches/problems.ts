import {
  MAX_ROW_BYTES,
  MAX_ROW_ERRORS,
  MAX_UPLOAD_BYTES,
  type ReadRow,
  ROW_TOO_LARGE,
  type RowInput,
} from '../../../protocol/credentials/batches.ts'
import { errorsWithin, type FieldError, Refusal } from '../../../protocol/errors.ts'
import type { SettledOptions } from '../format.ts'

/** Returns the errors of a row as the error file shows them: a hundred, and how many there are besides (D-1212). */
export function rowProblem(code: string, errors: FieldError[]): string {
  const more = errors.length - MAX_ROW_ERRORS
  const rest =
    more > 0 ? [{ path: '', code: 'row.more_errors', message: `${more} more errors of this row are not shown` }] : []
  const shown = [...errors.slice(0, MAX_ROW_ERRORS), ...rest]
  return JSON.stringify(shown.map(({ path, code: rule, message }) => ({ path, code, rule, message })))
}

/** `document`: what the paths of a document's rules begin with. */
export const problemOf = ({ code, message, errors }: Refusal, document = ''): string =>
  rowProblem(code, errors.length > 0 ? errorsWithin(document, errors) : [{ path: '', code, message }])

const problem = (text: string) => ({ input: null, problem: text, row: undefined })

/** A row as it is stored: the input to sign, or why it cannot be signed, as far as the row itself shows it. */
export function storedRow(read: ReadRow, checkRow: SettledOptions['checkRow']) {
  if ('errors' in read) return problem(rowProblem('row.invalid', read.errors))
  try {
    checkRow?.(read.input)
  } catch (error) {
    if (error instanceof Refusal) return problem(problemOf(error))
    throw error
  }
  const input = JSON.stringify(read.input)
  // a line of a CSV is bounded when it is read, but the row made of it repeats the names of the header
  return Buffer.byteLength(input) > MAX_ROW_BYTES
    ? problem(rowProblem('row.invalid', [ROW_TOO_LARGE]))
    : { input, problem: null, row: read.input as RowInput | undefined }
}

/**
 * Counts the bytes of the rows of an upload as they are stored, with the names of columns and with errors, which may be
 * many times what was sent. The function throws `Refusal('request.too_large')` (D-1211).
 */
export function createRoom(mostBytes = 4 * MAX_UPLOAD_BYTES) {
  let bytes = 0
  return (text: string): void => {
    bytes += Buffer.byteLength(text)
    if (bytes > mostBytes)
      throw new Refusal(
        'request.too_large',
        'The rows, with the names of their columns and their errors, are larger than 4 GiB; split the upload into several batches.',
      )
  }
}
