import { create, toBuffer, toDataURL, toString as toSvg } from 'qrcode'
import { Refusal } from './errors.ts'

/** Bytes that scan well from a screen at error correction level M; the limit of the format is 2,331 bytes. */
const MAX_QR_BYTES = 1_000
const WIDTH_PX = 360

/**
 * Returns a square PNG as a data: URL, about 5 kB for a link. Callers cannot set its size: a wide code costs seconds
 * and gigabytes. Throws `Refusal('qr_code.too_long')`.
 */
export async function qrCode(text: string): Promise<string> {
  if (Buffer.byteLength(text) > MAX_QR_BYTES)
    throw new Refusal('qr_code.too_long', `The text is too long for a QR code: at most ${MAX_QR_BYTES} bytes.`)
  return toDataURL(text, { type: 'image/png', width: WIDTH_PX, errorCorrectionLevel: 'M', margin: 4 })
}

/** A text to draw, of digits, upper-case letters and `$%*+-./:` alone, and how. */
export interface QrDrawing {
  text: string
  type: 'png' | 'svg'
  /** Width and height in pixels; 0: what scans well, which is 4 pixels for a module. */
  width: number
}

/** Characters of the alphanumeric mode that the largest symbol holds at error correction level M (ISO/IEC 18004). */
export const MAX_QR_TEXT = 3_391
/** A wide code costs seconds and gigabytes. */
export const MAX_QR_WIDTH = 2_048
const MARGIN_MODULES = 4
const PIXELS = 4

const CORRECTION = { errorCorrectionLevel: 'M', margin: MARGIN_MODULES } as const

/**
 * Draws a QR code; a PNG comes in base64. The caller has bounded text and width, because the library is asked for
 * whatever it is given. Throws `Refusal('qr_code.too_narrow')` where the width is less than the symbol has modules.
 */
export async function drawQrCode({ text, type, width }: QrDrawing): Promise<string> {
  const modules = create(text, CORRECTION).modules.size + 2 * MARGIN_MODULES
  if (width > 0 && width < modules)
    throw new Refusal('qr_code.too_narrow', `The QR code of this text needs ${modules} pixels at least.`, [
      { path: 'width', code: 'width', message: `expected ${modules} or more, or 0 for the best width` },
    ])
  const options = { ...CORRECTION, width: width || modules * PIXELS }
  if (type === 'svg') return toSvg(text, { ...options, type })
  return (await toBuffer(text, { ...options, type })).toString('base64')
}
