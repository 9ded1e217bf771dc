import { readFileSync } from 'node:fs'
import { degrees, PDFDocument, PDFName, rgb, StandardFonts, type TextAlignment } from 'pdf-lib'

const file = (name: string) => new Uint8Array(readFileSync(new URL(name, import.meta.url)))

/** Parts of Noto fonts (OFL.txt): Latin, Arabic, and the Chinese characters of the tests. */
export const FONTS = {
  latin: file('NotoSans.ttf'),
  arabic: file('NotoNaskhArabic.ttf'),
  chinese: file('NotoSansSC.ttf'),
}

export interface TextPlace {
  name: string
  x?: number
  y: number
  width?: number
  height?: number
  multiline?: boolean
  alignment?: TextAlignment
  size?: number
  turned?: number
}

export interface TemplatePdf {
  texts?: readonly TextPlace[]
  /** Side of the square button in points; 0: no button. */
  qr?: number
  qrPage?: number
  pages?: number
  change?(document: PDFDocument): void | Promise<void>
}

/** A template as designers make them: a page of text with fields, and a button for the QR code. */
export async function templatePdf({
  texts = [{ name: 'Course', y: 700 }],
  qr = 200,
  qrPage = 0,
  pages = 1,
  change,
}: TemplatePdf = {}) {
  const document = await PDFDocument.create()
  document.setTitle('The template')
  const font = await document.embedFont(StandardFonts.Helvetica)
  const sheets = Array.from({ length: pages }, () => document.addPage([595, 842]))
  const [first] = sheets
  first?.drawText('Certificate', { x: 50, y: 780, size: 24, font, color: rgb(0, 0, 0.5) })
  const form = document.getForm()
  for (const { name, x = 50, y, width = 300, height = 24, multiline = false, alignment, size, turned = 0 } of texts) {
    const field = form.createTextField(name)
    if (multiline) field.enableMultiline()
    if (alignment !== undefined) field.setAlignment(alignment)
    if (first) field.addToPage(first, { x, y, width, height, borderWidth: 0, rotate: degrees(turned) })
    if (size !== undefined) field.setFontSize(size)
  }
  const sheet = sheets[qrPage]
  if (qr > 0 && sheet) form.createButton('qrCode').addToPage('QR', sheet, { x: 340, y: 100, width: qr, height: qr })
  document.catalog.set(PDFName.of('Lang'), document.context.obj('en'))
  await change?.(document)
  return document.save()
}
