import { PDFArray, PDFDict, type PDFDocument, PDFName, PDFRef } from 'pdf-lib'
import { type FieldError, Refusal, within } from '../../errors.ts'
import type { Json } from '../../json.ts'
import { MAX_QR_TEXT } from '../../qr-code.ts'
import type { Profile } from '../text.ts'
import { dropUnused } from './dangers.ts'
import { drawQrCode, drawText } from './draw.ts'
import { createChooser, PROBE, sampleOf } from './fonts.ts'
import { type Form, openForm, reading } from './form.ts'
import { type PdfField, type PdfTemplate, QR_CODE } from './template.ts'
import { claimFinder, fillValue, parseValue } from './values.ts'

export interface Filling {
  template: PdfTemplate
  pdf: Uint8Array
  /** By their names in the template. */
  fonts: { name: string; bytes: Uint8Array }[]
  profile: Profile
  /** The credential as text, and its claims. */
  encoded: string
  decoded: Json
  now: Date
}

/** A template as it is uploaded. */
type Trial = Pick<Filling, 'template' | 'pdf' | 'fonts'>

const MAX_TEXT = 5_000
const QR_ALTERNATIVE = 'QR code of the credential'

const fault = (code: string, message: string): FieldError => ({ path: 'payload', code: `pdf.${code}`, message })

const refuse = (errors: FieldError[]): Refusal =>
  new Refusal('pdf.not_filled', 'The credential does not fill the template; see errors.', errors.slice(0, 100))

/** One form of each character, and line breaks in place of other control characters. */
const readable = (text: string) =>
  text
    .normalize('NFC')
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/[^\P{Cc}\n]/gu, ' ')

/** The text of a field, and why the credential does not give it. */
function textFor({ key, value, isRequired }: PdfField, find: (name: string) => unknown) {
  const { text, missing, undated } = fillValue(parseValue(value) ?? [], find)
  const errors = [
    ...(isRequired ? missing : []).map((claim) =>
      fault('claim_missing', `expected the claim ${claim}, which the field ${key} requires`),
    ),
    ...undated.map((claim) => fault('claim_not_date', `expected a date in the claim ${claim}, for the field ${key}`)),
    ...(text.length > MAX_TEXT
      ? [fault('text_too_long', `expected at most ${MAX_TEXT} characters in the field ${key}`)]
      : []),
  ]
  return { text: readable(text).trim(), errors }
}

/** Takes the fields away: their widgets from the pages, and the form from the document. */
function flatten(document: PDFDocument, widgets: ReadonlySet<PDFDict>): void {
  const { context, catalog } = document
  for (const page of document.getPages()) {
    const annotations = page.node.lookupMaybe(PDFName.of('Annots'), PDFArray)
    if (!annotations) continue
    const left = annotations.asArray().filter((annotation) => {
      const dict = annotation instanceof PDFRef ? context.lookup(annotation) : annotation
      return !(
        dict instanceof PDFDict &&
        (widgets.has(dict) || dict.get(PDFName.of('Subtype')) === PDFName.of('Widget'))
      )
    })
    page.node.set(PDFName.of('Annots'), context.obj(left))
  }
  catalog.delete(PDFName.of('AcroForm'))
}

function describe(document: PDFDocument, { name, metadata }: PdfTemplate, now: Date): void {
  const { title = name, author, subject, keywords } = metadata
  document.setTitle(title, { showInWindowTitleBar: true })
  if (author !== undefined) document.setAuthor(author)
  if (subject !== undefined) document.setSubject(subject)
  if (keywords !== undefined) document.setKeywords([keywords])
  document.setCreationDate(now)
  document.setModificationDate(now)
  document.catalog.delete(PDFName.of('Metadata')) // of the template, and another title in it
}

/** What a template is filled with. */
interface Contents {
  texts: { field: PdfField; text: string }[]
  encoded: string
}

/** Draws texts and QR code in the places of the fields, and returns why one cannot be drawn. */
async function draw(
  { document, spots }: Form,
  { template, fonts }: Pick<Filling, 'template' | 'fonts'>,
  { texts, encoded }: Contents,
): Promise<FieldError[]> {
  const choose = createChooser(document, fonts)
  const errors: FieldError[] = []
  for (const { field, text } of texts) {
    const { key, alternativeText, fontName } = field
    if (key === QR_CODE) continue
    const choice = await choose(text, fontName)
    if ('lacks' in choice) {
      const character = `U+${choice.lacks.toString(16).toUpperCase().padStart(4, '0')}`
      errors.push(
        fault(
          'glyph_missing',
          `expected characters that a font of the template has in the field ${key}: none has ${character}`,
        ),
      )
      continue
    }
    for (const spot of spots.get(key) ?? [])
      if (!drawText(spot, text, choice.style, alternativeText))
        errors.push(
          fault('text_does_not_fit', `expected a shorter text for the field ${key}: it does not fit at the least size`),
        )
  }
  const alternative = template.fields.find(({ key }) => key === QR_CODE)?.alternativeText ?? QR_ALTERNATIVE
  for (const spot of spots.get(QR_CODE) ?? [])
    if (!drawQrCode(spot, encoded, alternative))
      errors.push(
        fault('qr_code_too_small', `expected a shorter credential, or a larger button ${QR_CODE} in the template`),
      )
  return errors
}

/** The file, without fields and without what nothing refers to. */
async function finish({ document, spots }: Form, template: PdfTemplate, now: Date): Promise<Uint8Array> {
  flatten(document, new Set([...spots.values()].flat().map(({ widget }) => widget.dict)))
  describe(document, template, now)
  await document.flush()
  dropUnused(document)
  return document.save({ updateFieldAppearances: false })
}

const SAMPLE = `CSC:/1/${'A'.repeat(100)}`

/**
 * Fills a template with samples, so that what the libraries do not take shows when it is uploaded, not when a pass is
 * made (D-340). Whether a text fits is a matter of the credential. Throws `pdf_template.pdf_invalid`.
 */
export const tryFilling = (form: Form, { template, pdf, fonts }: Trial, path: string): Promise<Uint8Array> =>
  reading(
    pdf,
    path,
    async () => {
      const samples = new Map(fonts.map(({ name, bytes }) => [name, sampleOf(bytes)]))
      const [first = PROBE] = samples.values()
      const texts = template.fields.map((field) => ({ field, text: samples.get(field.fontName ?? '') ?? first }))
      await draw(form, { template, fonts }, { texts, encoded: SAMPLE })
      return finish(form, template, new Date(0))
    },
    'expected a PDF that can be filled',
  )

/**
 * Returns the PDF of a credential that was verified: its claims in the fields of the template, its QR code in the place
 * of the button, and no field that could be edited. Throws `pdf.not_filled`, `compact_credential.too_long`, and
 * `pdf_template.pdf_invalid` where the libraries do not take the template with these claims.
 */
export async function fillPdf({ template, pdf, fonts, profile, encoded, decoded, now }: Filling): Promise<Uint8Array> {
  if (encoded.length > MAX_QR_TEXT)
    throw new Refusal('compact_credential.too_long', 'The credential is too long for a QR code.', [
      { path: 'payload', code: 'length', message: `expected at most ${MAX_QR_TEXT} characters` },
    ])
  const find = claimFinder(profile, decoded)
  const texts = template.fields.map((field) => ({ field, ...textFor(field, find) }))
  const missing = texts.flatMap(({ errors }) => errors)
  if (missing.length > 0) throw refuse(missing)
  const path = within('templateId')
  const form = await openForm(pdf, path)
  const fill = async () => {
    const errors = await draw(form, { template, fonts }, { texts, encoded })
    if (errors.length > 0) throw refuse(errors)
    return finish(form, template, now)
  }
  return reading(pdf, path, fill, 'expected a template whose PDF and fonts can be filled with this credential')
}
