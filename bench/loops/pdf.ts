import { PDFDocument } from 'pdf-lib'
import { toBuffer } from 'qrcode'
import { serveJobs } from '../child.ts'
import { type Measured, repeated } from '../measure.ts'

/** One PDF after another on one thread for a while, by pdf-lib as its README says. */
export interface PdfLoop {
  seconds: number
  /** Base64, with the text field Course and the button qrCode. */
  template: string
  encoded: string
}

async function fill(template: Uint8Array, encoded: string): Promise<Uint8Array> {
  const document = await PDFDocument.load(template)
  const form = document.getForm()
  form.getTextField('Course').setText('CS-101')
  const image = await document.embedPng(await toBuffer(encoded, { errorCorrectionLevel: 'M' }))
  form.getButton('qrCode').setImage(image)
  form.flatten()
  return document.save()
}

async function run({ seconds, template, encoded }: PdfLoop): Promise<Measured> {
  const bytes = Buffer.from(template, 'base64')
  return repeated(seconds, async () => {
    if ((await fill(bytes, encoded)).length < 1_000) throw new Error('pdf-lib made no PDF')
  })
}

serveJobs(run)
