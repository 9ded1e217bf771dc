import { PREFIXES, type Profile } from '../../protocol/compact-credentials/text.ts'
import { type CompactVerdict, notACredential } from '../../protocol/compact-credentials/verify.ts'
import type { Dependencies } from '../dependencies.ts'
import { bundledOnly } from '../documents/index.ts'
import type { CompactVerifier, CompactVerifyRequest } from './verify.ts'

interface Parts extends Pick<Dependencies, 'documents'> {
  verifier: CompactVerifier
}

interface ScanRequest extends Omit<CompactVerifyRequest, 'payload'> {
  /** The credential as text, or a file with its QR code. */
  payload: string | Uint8Array
}

/** A verdict with the text that it is about, where there is one. */
export interface ScanVerdict extends CompactVerdict {
  encoded?: string
}

/** Verifies credentials as texts, or by their QR codes in images and PDFs, which are read in a thread. */
export const createScans = ({ documents, verifier }: Parts) => ({
  /**
   * Verifies one credential; a file that has none of the profile, or several, is a verdict (D-296). Throws
   * `request.unsupported_media_type`, `scan.unreadable`, `scan.too_many_pixels` and `scan.too_complex` for a file.
   */
  async verify(tenantId: string, profile: Profile, { payload, ...options }: ScanRequest): Promise<ScanVerdict> {
    const judge = async (encoded: string) => ({
      ...(await verifier.verify(tenantId, profile, { payload: encoded, ...options })),
      encoded,
    })
    if (typeof payload === 'string') return judge(payload)
    const prefix = PREFIXES[profile]
    const texts = await documents.scan({ file: payload, prefix }, bundledOnly(tenantId))
    if (texts.length === 0) return notACredential('The file has no QR code that can be read.')
    const [text, ...others] = texts.filter((each) => each.startsWith(prefix))
    if (text === undefined) return notACredential(`No QR code of the file begins with ${prefix}.`)
    if (others.length > 0) return notACredential('The file has QR codes of several credentials.')
    return judge(text)
  },
})
