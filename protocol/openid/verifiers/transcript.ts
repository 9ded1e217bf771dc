import { createHash } from 'node:crypto'
import { encodeCbor } from '../../cose/cbor.ts'

export interface Handover {
  clientId: string
  nonce: string
  responseUri: string
}

/** SessionTranscript of an mdoc that is presented in an answer that is not encrypted (OpenID4VP 1.0, appendix B.2.6.1). */
export function sessionTranscript({ clientId, nonce, responseUri }: Handover): Uint8Array {
  const info = encodeCbor([clientId, nonce, null, responseUri])
  const digest = new Uint8Array(createHash('sha256').update(info).digest())
  return encodeCbor([null, null, ['OpenID4VPHandover', digest]])
}
