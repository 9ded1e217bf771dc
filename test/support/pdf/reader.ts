import { type PDFiumDocument, PDFiumLibrary } from '@hyzyla/pdfium'
import jsQrModule from 'jsqr'
import { decodePDFRawStream, PDFArray, PDFDocument, PDFHexString, PDFName, PDFRawStream } from 'pdf-lib'

const DPI = 150

export interface Page {
  text: string
  /** RGBA at 150 dots per inch. */
  pixels: Uint8Array
  width: number
  height: number
}

/** What another program, PDFium, reads and draws. */
export async function readPdf(pdf: Uint8Array): Promise<Page[]> {
  const library = await PDFiumLibrary.init()
  const document: PDFiumDocument = await library.loadDocument(Buffer.from(pdf))
  const pages: Page[] = []
  for (const page of document.pages()) {
    const text = page.getText()
    let drawn = { data: new Uint8Array(), width: 0, height: 0 }
    await page.render({
      scale: DPI / 72,
      render: async ({ data, width, height }) => {
        drawn = { data: new Uint8Array(data), width, height }
        return data
      },
    })
    pages.push({ text, pixels: drawn.data, width: drawn.width, height: drawn.height })
  }
  document.destroy()
  library.destroy()
  return pages
}

/** The text of the QR code on a page. */
export const scanPage = ({ pixels, width, height }: Page): string | undefined =>
  jsQrModule.default(new Uint8ClampedArray(pixels), width, height)?.data

/** Dark pixels in a part of a page, which is in points from the bottom left as in the PDF. */
export function inkIn(
  { pixels, width, height }: Page,
  box: { x: number; y: number; width: number; height: number },
): number {
  const scale = DPI / 72
  let ink = 0
  for (let y = Math.round(height - (box.y + box.height) * scale); y < height - box.y * scale; y++)
    for (let x = Math.round(box.x * scale); x < (box.x + box.width) * scale; x++)
      if ((pixels[(y * width + x) * 4] ?? 255) < 128) ink += 1
  return ink
}

/** What is left in the file that somebody could edit or run, and what it says of itself. */
export async function structureOf(pdf: Uint8Array) {
  const document = await PDFDocument.load(pdf, { updateMetadata: false })
  const annotations = document
    .getPages()
    .flatMap((page) => page.node.lookupMaybe(PDFName.of('Annots'), PDFArray)?.asArray() ?? [])
  return {
    hasForm: document.catalog.has(PDFName.of('AcroForm')),
    annotations: annotations.length,
    title: document.getTitle(),
    author: document.getAuthor(),
    widgets: document.context.enumerateIndirectObjects().filter(([, object]) => object.toString().includes('/Widget'))
      .length,
  }
}

/** What assistive software reads in place of parts of the pages (ISO 32000-1, 14.9.3). */
export async function alternativesIn(pdf: Uint8Array): Promise<string[]> {
  const document = await PDFDocument.load(pdf, { updateMetadata: false })
  const contents = document.context
    .enumerateIndirectObjects()
    .flatMap(([, object]) => (object instanceof PDFRawStream ? [decodePDFRawStream(object).decode()] : []))
    .map((bytes) => Buffer.from(bytes).toString('latin1'))
  return contents.flatMap((content) =>
    [...content.matchAll(/\/Alt <([0-9A-F]+)>/gi)].map(([, hex = '']) => PDFHexString.of(hex).decodeText()),
  )
}
