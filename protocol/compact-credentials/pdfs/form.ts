import {
  PDFArray,
  PDFButton,
  PDFDict,
  PDFDocument,
  type PDFField,
  PDFName,
  type PDFPage,
  PDFRef,
  PDFTextField,
  type PDFWidgetAnnotation,
} from 'pdf-lib'
import { type FieldError, Refusal, Unavailable } from '../../errors.ts'
import { dangerOf } from './dangers.ts'
import { type PdfTemplate, QR_CODE } from './template.ts'

export const MAX_PAGES = 20
/** Points; smaller ones hold no QR code that a camera reads (D-294). */
export const MIN_QR_POINTS = 60
/** Points: 200 inches, the largest page of the format (ISO 32000-1, annex C). */
const MAX_PAGE_POINTS = 14_400

/** A place of a field on a page. */
export interface Spot {
  field: PDFField
  widget: PDFWidgetAnnotation
  page: PDFPage
}

export interface Form {
  document: PDFDocument
  /** By the whole name of the field; a field may stand in several places. */
  spots: Map<string, Spot[]>
}

const invalid = (rule: string, message: string, path: string, cause?: unknown): Refusal =>
  new Refusal(
    'pdf_template.pdf_invalid',
    'The PDF cannot be a template; see errors.',
    [{ path, code: `pdf_template.${rule}`, message }],
    { cause },
  )

const READABLE = 'expected a PDF that can be read: ISO 32000, with complete objects'

/**
 * Runs code of the libraries over a template: their errors are about the template (D-340), and the refusal repeats
 * them. They read encrypted objects as broken ones.
 */
export async function reading<Result>(
  pdf: Uint8Array,
  path: string,
  work: () => Promise<Result>,
  expected = READABLE,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal || error instanceof Unavailable) throw error
    if (Buffer.from(pdf).includes('/Encrypt')) throw invalid('encrypted', 'expected a PDF without encryption', path)
    const reason = error instanceof Error ? error.message.slice(0, 150) : 'not readable'
    throw invalid('broken', `${expected} (${reason})`, path, error)
  }
}

const rectOf = (widget: PDFWidgetAnnotation) => {
  const { x, y, width, height } = widget.getRectangle()
  return [x, y, width, height].every((value) => Number.isFinite(value) && Math.abs(value) <= MAX_PAGE_POINTS)
    ? { width, height }
    : undefined
}

/** The page of each widget, by its annotations: the widget's own member P may be missing or wrong. */
function pagesOf(document: PDFDocument): Map<PDFDict, PDFPage> {
  const pages = new Map<PDFDict, PDFPage>()
  for (const page of document.getPages()) {
    const annotations = page.node.lookupMaybe(PDFName.of('Annots'), PDFArray)
    for (const annotation of annotations?.asArray() ?? []) {
      const dict = annotation instanceof PDFRef ? document.context.lookup(annotation) : annotation
      if (dict instanceof PDFDict) pages.set(dict, page)
    }
  }
  return pages
}

function spotsOf(document: PDFDocument, path: string): Map<string, Spot[]> {
  const pages = pagesOf(document)
  const spots = new Map<string, Spot[]>()
  for (const field of document.getForm().getFields()) {
    const name = field.getName()
    if (spots.has(name)) throw invalid('field_twice', `has the field ${name} twice`, path)
    const isKnown = field instanceof PDFTextField || (field instanceof PDFButton && name === QR_CODE)
    if (!isKnown)
      throw invalid(
        'field_kind',
        `has the field ${name}, which is neither a text field nor the button ${QR_CODE}`,
        path,
      )
    const places = field.acroField.getWidgets().flatMap((widget): Spot[] => {
      const page = pages.get(widget.dict)
      if (!rectOf(widget)) throw invalid('field_size', `has the field ${name} outside of all pages`, path)
      return page ? [{ field, widget, page }] : []
    })
    if (places.length === 0) throw invalid('field_page', `has the field ${name} on no page`, path)
    spots.set(name, places)
  }
  return spots
}

/**
 * Opens a PDF and finds its fields. Throws `pdf_template.pdf_invalid` with `path` and the broken rule: encryption, code,
 * other files, too many pages, fields of other kinds, no button for the QR code.
 */
export const openForm = (pdf: Uint8Array, path: string): Promise<Form> =>
  reading(pdf, path, async () => {
    if (!Buffer.from(pdf.subarray(0, 1_024)).includes('%PDF-')) throw invalid('broken', 'expected a PDF', path)
    const document = await PDFDocument.load(pdf, { updateMetadata: false, throwOnInvalidObject: true })
    const danger = dangerOf(document)
    if (danger) throw invalid('active', `expected a PDF without ${danger}`, path)
    const pages = document.getPageCount()
    if (pages === 0 || pages > MAX_PAGES) throw invalid('pages', `expected 1 to ${MAX_PAGES} pages`, path)
    const spots = spotsOf(document, path)
    const [place, ...others] = spots.get(QR_CODE) ?? []
    if (!place || !(place.field instanceof PDFButton) || place.page !== document.getPage(0) || others.length > 0)
      throw invalid('qr_code', `expected one button field ${QR_CODE}, on page 1`, path)
    const { width, height } = place.widget.getRectangle()
    if (Math.min(width, height) < MIN_QR_POINTS)
      throw invalid(
        'qr_code_size',
        `expected a button ${QR_CODE} of ${MIN_QR_POINTS} points at least in width and height`,
        path,
      )
    return { document, spots }
  })

/** Names of one side alone: what a template fills and the PDF does not have, and the other way round. */
export function fieldErrors({ fields }: PdfTemplate, { spots }: Form): FieldError[] {
  const keys = new Set(fields.map(({ key }) => key))
  const unknown = fields.flatMap(({ key }, at) =>
    spots.has(key)
      ? []
      : [
          {
            path: `fields.${at}.key`,
            code: 'pdf_template.field_unknown',
            message: 'expected the name of a text field of the PDF',
          },
        ],
  )
  const left = [...spots.keys()].filter((name) => name !== QR_CODE && !keys.has(name))
  return [
    ...unknown,
    ...left.slice(0, 50).map((name) => ({
      path: 'fields',
      code: 'pdf_template.field_unfilled',
      message: `expected an entry for the text field ${name.slice(0, 255)} of the PDF`,
    })),
  ]
}
