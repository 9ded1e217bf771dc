import { crc32, deflateSync } from 'node:zlib'
import { PDFDocument } from 'pdf-lib'
import { PNG } from 'pngjs'
import { create, toBuffer } from 'qrcode'
import { COMPACT, type CompactVerdict, signCompact } from '../credentials/compact.ts'
import { createDid } from '../credentials/credentials.ts'
import { openWorld, type World } from '../world.ts'

const CORRECTION = { errorCorrectionLevel: 'M', margin: 4 } as const

export const qrPng = (text: string, scale = 4): Promise<Buffer> => toBuffer(text, { ...CORRECTION, scale })

function chunk(type: string, data: Uint8Array): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(content))
  return Buffer.concat([length, content, sum])
}

/** A grey PNG of any size that its header may claim, with any data. */
export function rawPng(width: number, height: number, data: Uint8Array): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 8
  const start = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([start, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', new Uint8Array())])
}

/** A PNG whose data unpack to as many bytes of zero. */
export const bomb = (bytes: number): Buffer => rawPng(100, 100, deflateSync(Buffer.alloc(bytes)))

/** A grey PNG of these shades, 0 to 255. */
export function shadesPng(width: number, height: number, shadeAt: (x: number, y: number) => number): Buffer {
  const rows = Buffer.alloc(height * (width + 1)) // each row begins with its filter, 0
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = shadeAt(x, y)
  return rawPng(width, height, deflateSync(rows))
}

/** A PNG as a camera sees it: turned, smaller, and a little out of focus. */
export function photographed(bytes: Buffer, { degrees, scale }: { degrees: number; scale: number }): Buffer {
  const { data, width, height } = PNG.sync.read(bytes)
  const side = Math.ceil(Math.hypot(width, height) * scale)
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
  const shade = (x: number, y: number) => {
    const [column, row] = [Math.round(x), Math.round(y)]
    return column < 0 || row < 0 || column >= width || row >= height ? 255 : (data[(row * width + column) * 4] ?? 255)
  }
  const steps = [-0.75, -0.25, 0.25, 0.75] // the mean of what lies up to 0.75 pixels around
  return shadesPng(side, side, (x, y) => {
    let sum = 0
    for (const dx of steps)
      for (const dy of steps) {
        const [u, v] = [(x + dx - side / 2) / scale, (y + dy - side / 2) / scale]
        sum += shade(u * cos + v * sin + width / 2, v * cos - u * sin + height / 2)
      }
    return Math.round(sum / steps.length ** 2)
  })
}

const segment = (marker: number, bytes: number[]) => [0xff, marker, 0, bytes.length + 2, ...bytes]

/**
 * A baseline JPEG (ITU-T T.81) in which each module of a QR code is one block, so that only the blocks' means are coded:
 * their differences in nine categories of four bits each, and one bit for the end of a block.
 */
export function qrJpeg(text: string): Buffer {
  const { size, data } = create(text, CORRECTION).modules
  const side = size + 2 * CORRECTION.margin
  const pixels = side * 8
  let bits = ''
  let last = 0
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const [column, row] = [x - CORRECTION.margin, y - CORRECTION.margin]
      const isInside = column >= 0 && row >= 0 && column < size && row < size
      const mean = isInside && data[row * size + column] ? -120 : 120
      const difference = mean - last
      last = mean
      const category = difference === 0 ? 0 : Math.floor(Math.log2(Math.abs(difference))) + 1
      const value = difference < 0 ? difference + 2 ** category - 1 : difference
      bits += `${category.toString(2).padStart(4, '0') + (category ? value.toString(2).padStart(category, '0') : '')}0`
    }
  bits = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1')
  const scanned = (bits.match(/.{8}/g) ?? []).flatMap((octet) =>
    octet === '11111111' ? [0xff, 0] : [parseInt(octet, 2)],
  )
  const [high, low] = [pixels >> 8, pixels & 0xff]
  return Buffer.from([
    ...[0xff, 0xd8],
    ...segment(0xdb, [0, ...Array<number>(64).fill(8)]),
    ...segment(0xc0, [8, high, low, high, low, 1, 1, 0x11, 0]),
    ...segment(0xc4, [0x00, 0, 0, 0, 9, ...Array<number>(12).fill(0), 0, 1, 2, 3, 4, 5, 6, 7, 8]),
    ...segment(0xc4, [0x10, 1, ...Array<number>(15).fill(0), 0]),
    ...segment(0xda, [1, 1, 0, 0, 63, 0]),
    ...scanned,
    ...[0xff, 0xd9],
  ])
}

export interface Page {
  width?: number
  height?: number
  images?: Buffer[]
}

/** A PDF with images of 120 points (42 mm) side by side on its pages: A4, if nothing else is said. */
export async function pdfOf(pages: Page[], script?: string): Promise<Buffer> {
  const pdf = await PDFDocument.create()
  for (const { width = 595, height = 842, images = [] } of pages) {
    const page = pdf.addPage([width, height])
    for (const [at, image] of images.entries())
      page.drawImage(await pdf.embedPng(image), { x: 30 + 150 * at, y: 60, width: 120, height: 120 })
  }
  if (script) pdf.addJavaScript('main', script)
  return Buffer.from(await pdf.save())
}

/** A PDF that asks for a password. */
export const lockedPdf = (): Buffer => {
  const secret = '41'.repeat(32)
  const objects = [
    '1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj',
    '2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj',
    '3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 100 100]>> endobj',
    `4 0 obj <</Filter /Standard /V 1 /R 2 /O <${secret}> /U <${secret}> /P -4>> endobj`,
    `trailer <</Root 1 0 R /Encrypt 4 0 R /ID [<${secret}> <${secret}>] /Size 5>>`,
  ]
  return Buffer.from(`%PDF-1.4\n${objects.join('\n')}\n%%EOF\n`)
}

type Field = [name: string, value: string | Blob]

/** A verification with a file, as a browser's form sends it. */
export function verifyForm(world: Pick<World, 'url' | 'token'>, fields: Field[], path: string = COMPACT) {
  const form = new FormData()
  for (const [name, value] of fields)
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, value, 'file')
  const headers = { authorization: `Bearer ${world.token}` }
  return fetch(`${world.url}${path}/verify`, { method: 'POST', headers, body: form })
}

export const fileField = (bytes: Uint8Array, type = 'application/octet-stream'): Field => [
  'file',
  new Blob([new Uint8Array(bytes)], { type }),
]

/** The status, with the verdict's error or the problem's code. */
export async function outcomeOf(answer: Promise<Response>): Promise<string> {
  const response = await answer
  const body = (await response.json()) as CompactVerdict & { type?: string }
  const code = response.ok ? (body.error?.type ?? 'verified') : body.type?.replace('/problems#', '')
  return `${response.status} ${code}`
}

/** A world with the QR code of a credential, and what a verification of a file answers. */
export async function openScans() {
  const world = await openWorld()
  const { encoded } = await signCompact(world, { iss: await createDid(world, 'P-256'), name: 'Ada' })
  return {
    world,
    image: await qrPng(encoded),
    outcome: (file: Uint8Array) => outcomeOf(verifyForm(world, [fileField(file)])),
  }
}
