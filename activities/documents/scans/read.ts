import { PDFiumLibrary, PDFiumModule, type PDFiumPage } from '@hyzyla/pdfium'
import { prepareZXingModule, purgeZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { MAX_SCAN_PIXELS, pixelsOf, type ScanKind, scanKindOf } from '../../../protocol/compact-credentials/scans.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Scan } from '../types.ts'
import { instantiator } from './modules.ts'

const zxing = instantiator('zxing-wasm/reader/zxing_reader.wasm')
const pdfium = instantiator('@hyzyla/pdfium/pdfium.wasm')

/** What the library says of an image that it cannot decode. */
const NOT_LOADED = 'Failed to load image from memory'
/** QR codes of one image that are read. */
const MAX_CODES = 20
const MAX_PDF_PAGES = 5
/** Modules of the smallest QR code: 21. */
const SMALLEST = 21
/** Pixels of the longer side of a page: A4 at 200 dots per inch, then at 340 for small codes. */
const PAGE_PIXELS = [2_340, 4_000]

const unreadable = (what: string, options?: ErrorOptions) =>
  new Refusal('scan.unreadable', `The file cannot be read: ${what}.`, [], options)

/** The texts of the QR codes in an image, in a format that the library decodes. */
async function textsIn(image: Uint8Array): Promise<string[]> {
  purgeZXingModule()
  prepareZXingModule({ overrides: { instantiateWasm: zxing, print: quiet, printErr: quiet } })
  try {
    const codes = await readBarcodes(image, { formats: ['QRCode'], maxNumberOfSymbols: MAX_CODES })
    if (codes.some(({ error }) => error === NOT_LOADED))
      throw unreadable('the image is damaged, or too large once unpacked')
    return codes.filter(({ isValid }) => isValid).map(({ text }) => text)
  } finally {
    purgeZXingModule()
  }
}

/** The libraries write to the console what they also throw. */
function quiet(): void {}

async function textsInImage(kind: 'png' | 'jpeg', file: Uint8Array): Promise<string[]> {
  const pixels = pixelsOf(kind, file)
  if (!pixels) throw unreadable('the image has no size')
  if (pixels > MAX_SCAN_PIXELS)
    throw new Refusal('scan.too_many_pixels', `The image has ${pixels} pixels; at most ${MAX_SCAN_PIXELS} are read.`)
  return textsIn(file)
}

/** A page as an image in shades of grey, in the netpbm format PGM; undefined for one too narrow for any QR code. */
async function draw(page: PDFiumPage, longerSide: number): Promise<Uint8Array | undefined> {
  const { originalWidth, originalHeight } = page.getOriginalSize()
  const longer = Math.max(originalWidth, originalHeight)
  if (!((longerSide / longer) * Math.min(originalWidth, originalHeight) >= SMALLEST)) return undefined
  const { width, height, data } = await page.render({ scale: longerSide / longer, colorSpace: 'Gray' })
  return Buffer.concat([Buffer.from(`P5 ${width} ${height} 255\n`), data])
}

/** JavaScript of the document does not run: the library is built without it. */
async function openPdf(file: Uint8Array) {
  const silent = { print: quiet, printErr: quiet }
  const library = await PDFiumLibrary.initBase({
    vendor: (options) => PDFiumModule({ ...options, ...silent }),
    instantiateWasm: pdfium,
  })
  try {
    return await library.loadDocument(file)
  } catch (cause) {
    throw unreadable('the PDF is damaged, or protected by a password', { cause })
  }
}

async function textsInPdf({ file, prefix }: Scan): Promise<string[]> {
  const pdf = await openPdf(file)
  const texts: string[] = []
  for (let number = 0; number < Math.min(MAX_PDF_PAGES, pdf.getPageCount()); number++)
    for (const pixels of PAGE_PIXELS) {
      const image = await draw(pdf.getPage(number), pixels) // drawing closes the page
      const found = image ? await textsIn(image) : []
      texts.push(...found)
      if (found.some((text) => text.startsWith(prefix))) return texts
    }
  return texts
}

/**
 * Returns the texts of the QR codes in a PNG, a JPEG or a PDF, each once. Throws `request.unsupported_media_type`,
 * `scan.unreadable` and `scan.too_many_pixels`.
 */
export async function scan(request: Scan): Promise<string[]> {
  const kind: ScanKind | undefined = scanKindOf(request.file)
  if (!kind)
    throw new Refusal('request.unsupported_media_type', 'The file is no PNG, JPEG or PDF, by its first bytes.', [
      { path: 'file', code: 'media_type', message: 'expected a PNG, a JPEG or a PDF' },
    ])
  try {
    return [...new Set(await (kind === 'pdf' ? textsInPdf(request) : textsInImage(kind, request.file)))]
  } catch (cause) {
    if (cause instanceof Refusal) throw cause
    throw unreadable('it is damaged, or takes too much memory', { cause }) // the libraries throw whatever they hit
  }
}
