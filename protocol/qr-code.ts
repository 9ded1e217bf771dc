import { toDataURL } from 'qrcode'
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
