import { Refusal } from '../../../protocol/errors.ts'
import { type Certificate, readCertificate } from '../../../protocol/mobile-credentials/certificates.read.ts'

/** Reads a certificate of a row. Throws `Refusal('certificate.malformed')`. */
export function certificateOf(base64: unknown): Certificate {
  const certificate = readCertificate(new Uint8Array(Buffer.from(String(base64), 'base64')))
  if (certificate) return certificate
  throw new Refusal('certificate.malformed', 'The certificate cannot be read.', [
    { path: 'certificate', code: 'certificate', message: 'expected an X.509 certificate in DER' },
  ])
}
