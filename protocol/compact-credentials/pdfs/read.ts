import { type FieldError, Refusal, within } from '../../errors.ts'
import { MAX_ALL_BYTES, MAX_FONT_BYTES, MAX_PDF_BYTES, readArchive, type TemplateFiles, tooLarge } from './archive.ts'
import { tryFilling } from './fill.ts'
import { fontErrors } from './fonts.ts'
import { fieldErrors, openForm } from './form.ts'
import { CONFIG_FILE, FONT_FOLDER, PDF_FILE, type PdfTemplate, readTemplate } from './template.ts'

/** The members of a template and its files; `keptFonts` stand in for those that are named without a file. */
interface Members extends TemplateFiles {
  members: unknown
  keptFonts?: Map<string, Uint8Array> | undefined
}

/** A template as it is uploaded: an archive, or its members and files. */
export type Upload = { zip: Uint8Array } | Members

export interface ReadTemplate extends TemplateFiles {
  template: PdfTemplate
}

/** Where errors of an upload are. */
interface Places {
  pdf: string
  config: string
  fontOf(fileName: string, at: number): string
}

const IN_ARCHIVE: Places = {
  pdf: within('', PDF_FILE),
  config: within('', CONFIG_FILE),
  fontOf: (fileName) => within('', `${FONT_FOLDER}${fileName}`),
}

const IN_BODY: Places = { pdf: 'template_file', config: '', fontOf: (_fileName, at) => within('fonts', at, 'file') }

const invalid = (errors: FieldError[], { config }: Places): Refusal =>
  new Refusal(
    'pdf_template.invalid',
    'The PDF template is not valid; see errors.',
    config === ''
      ? errors
      : errors.map((error) => ({ ...error, path: error.path === '' ? config : `${config}.${error.path}` })),
  )

/** Bounds what an archive bounds by itself. */
function assertSizes({ pdf, fonts }: TemplateFiles): void {
  if (pdf.length > MAX_PDF_BYTES) throw tooLarge('template_file', MAX_PDF_BYTES)
  let bytes = pdf.length
  for (const [name, font] of fonts) {
    bytes += font.length
    if (font.length > MAX_FONT_BYTES) throw tooLarge(name, MAX_FONT_BYTES)
  }
  if (bytes > MAX_ALL_BYTES) throw tooLarge('template_file', MAX_ALL_BYTES)
}

/**
 * Reads and checks a template. Throws `pdf_template.archive_invalid`, `pdf_template.too_large`, `pdf_template.invalid`,
 * `pdf_template.pdf_invalid` and `pdf_template.font_invalid`, which name the file and the rule.
 */
export async function readUpload(upload: Upload): Promise<ReadTemplate> {
  const places = 'zip' in upload ? IN_ARCHIVE : IN_BODY
  const { pdf, fonts: sent, members, keptFonts }: Members = 'zip' in upload ? await unzipped(upload.zip) : upload
  const { template, errors } = readTemplate(members)
  if (errors.length > 0) throw invalid(errors, places)
  const kept = template.fonts.flatMap(({ fileName }): [string, Uint8Array][] => {
    const bytes = keptFonts?.get(fileName)
    return bytes ? [[fileName, bytes]] : []
  })
  const fonts = new Map([...kept, ...sent])
  assertSizes({ pdf, fonts })
  const unnamed = [...fonts.keys()].filter((name) => !template.fonts.some(({ fileName }) => fileName === name))
  const faults = [
    ...(await fontErrors(template.fonts, fonts, ({ fileName }, at) => places.fontOf(fileName, at))),
    ...unnamed.map((name) => ({
      path: places.fontOf(name, 0),
      code: 'pdf_template.font_unnamed',
      message: 'expected an entry of fonts with this file name',
    })),
  ]
  if (faults.length > 0) throw new Refusal('pdf_template.font_invalid', 'A font cannot be used; see errors.', faults)
  const form = await openForm(pdf, places.pdf)
  const wrong = fieldErrors(template, form)
  if (wrong.length > 0) throw invalid(wrong, places)
  const named = template.fonts.flatMap(({ name, fileName }) => {
    const bytes = fonts.get(fileName)
    return bytes ? [{ name, bytes }] : []
  })
  await tryFilling(form, { template, pdf, fonts: named }, places.pdf)
  return { template, pdf, fonts }
}

async function unzipped(zip: Uint8Array): Promise<Members> {
  const { config, ...files } = await readArchive(zip)
  return { ...files, members: config }
}
