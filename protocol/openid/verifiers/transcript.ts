import { createHash } from 'node:crypto'
import { encodeCbor } from '../../cose/cbor.ts'

export interface Handover {
  clientId: string
  nonce: string
  responseUri: string
  /** SHA-256 thumbprint (RFC 7638) of the key that the answer is encrypted to; absent: it is not encrypted. */
  keyThumbprint?: Uint8Array
}

const sha256 = (bytes: Uint8Array): Uint8Array => new Uint8Array(createHash('sha256').update(bytes).digest())

/** SessionTranscript of an mdoc that is presented in an answer to a URL (OpenID4VP 1.0, appendix B.2.6.1). */
export function sessionTranscript({ clientId, nonce, responseUri, keyThumbprint }: Handover): Uint8Array {
  const info = encodeCbor([clientId, nonce, keyThumbprint ?? null, responseUri])
  return encodeCbor([null, null, ['OpenID4VPHandover', sha256(info)]])
}

export interface BrowserHandover {
  /** Of the page that asked, as the browser knows it. */
  origin: string
  nonce: string
  keyThumbprint?: Uint8Array
}

/** SessionTranscript of an mdoc that is presented through the Digital Credentials API (appendix B.2.6.2). */
export function browserTranscript({ origin, nonce, keyThumbprint }: BrowserHandover): Uint8Array {
  const info = encodeCbor([origin, nonce, keyThumbprint ?? null])
  return encodeCbor([null, null, ['OpenID4VPDCAPIHandover', sha256(info)]])
}
