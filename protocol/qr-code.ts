import { toDataURL } from 'qrcode'
import { Refusal } from './errors.ts'

/** What fits at error correction level M with room to scan it from a screen; the limit of the format is 2,331 bytes. */
const MAX_QR_BYTES = 1_000
const WIDTH_PX = 360

/**
 * A square PNG as a data: URL, about 5 kB for a link. Its size is ours alone: a wide code costs seconds and gigabytes.
 * Throws `Refusal('qr_code.too_long')`.
 */
export async function qrCode(text: string): Promise<string> {
  if (Buffer.byteLength(text) > MAX_QR_BYTES)
    throw new Refusal('qr_code.too_long', `A QR code takes at most ${MAX_QR_BYTES} bytes.`)
  return toDataURL(text, { type: 'image/png', width: WIDTH_PX, errorCorrectionLevel: 'M', margin: 4 })
}
