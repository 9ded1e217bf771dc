import { type Fields, fieldErrors, text } from '../../../protocol/administration/transfers/fields.ts'
import { type FieldError, within } from '../../../protocol/errors.ts'

const fault = (path: string, code: string, message: string): FieldError => ({ path, code, message })

const MOST_FILES = 11
const PDF = 'template.pdf'
const FONTS = 'fonts/'

/** The files of a PDF template, as its line has them. */
export function filesOf(files: unknown): { pdf?: Uint8Array; fonts: Map<string, Uint8Array>; errors: FieldError[] } {
  const fonts = new Map<string, Uint8Array>()
  let pdf: Uint8Array | undefined
  if (!Array.isArray(files) || files.length > MOST_FILES)
    return { fonts, errors: [fault('files', 'list', `expected at most ${MOST_FILES} files`)] }
  const shape: Fields = { name: text(255), content: { type: 'bytes', most: 6_291_456 } }
  for (const [at, file] of files.entries()) {
    const errors = fieldErrors(shape, file).map((error) => ({
      ...error,
      path: error.path.replace(/^row/, within('files', at)),
    }))
    if (errors.length > 0) return { fonts, errors }
    const { name, content } = file as { name: string; content: string }
    const bytes = new Uint8Array(Buffer.from(content, 'base64'))
    if (name === PDF) pdf = bytes
    else if (name.startsWith(FONTS)) fonts.set(name.slice(FONTS.length), bytes)
    else return { fonts, errors: [fault(within('files', at, 'name'), 'name', `expected ${PDF} or ${FONTS}<name>`)] }
  }
  return pdf
    ? { pdf, fonts, errors: [] }
    : { fonts, errors: [fault('files', 'required', `expected ${PDF} among them`)] }
}
