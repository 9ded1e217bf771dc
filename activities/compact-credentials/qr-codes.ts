import { PREFIXES, type Profile } from '../../protocol/compact-credentials/text.ts'
import { Refusal } from '../../protocol/errors.ts'
import { MAX_QR_TEXT, MAX_QR_WIDTH, type QrDrawing } from '../../protocol/qr-code.ts'
import type { Dependencies } from '../dependencies.ts'
import { bundledOnly } from '../documents/index.ts'

const ENCODED = /^[A-Z2-7]+$/

/** Draws credentials as QR codes, in a thread. */
export const createQrCodes = ({ documents }: Pick<Dependencies, 'documents'>) => ({
  /**
   * Throws `compact_credential.malformed` for a text of another profile, `compact_credential.too_long`,
   * `qr_code.too_wide` and `qr_code.too_narrow`.
   */
  async draw(tenantId: string, profile: Profile, { text, type, width }: QrDrawing): Promise<Buffer> {
    const prefix = PREFIXES[profile]
    if (!text.startsWith(prefix) || !ENCODED.test(text.slice(prefix.length)))
      throw new Refusal('compact_credential.malformed', `The payload is no ${profile} credential.`, [
        { path: 'payload', code: 'credential', message: `expected ${prefix} and base32 in upper case` },
      ])
    if (text.length > MAX_QR_TEXT)
      throw new Refusal('compact_credential.too_long', 'The credential is too long for a QR code.', [
        { path: 'payload', code: 'length', message: `expected at most ${MAX_QR_TEXT} characters` },
      ])
    if (width > MAX_QR_WIDTH)
      throw new Refusal('qr_code.too_wide', 'The QR code would be too wide.', [
        { path: 'width', code: 'width', message: `expected at most ${MAX_QR_WIDTH} pixels, or 0 for the best width` },
      ])
    const drawn = await documents.drawQrCode({ text, type, width }, bundledOnly(tenantId))
    return Buffer.from(drawn, type === 'png' ? 'base64' : 'utf8')
  },
})
