import { base58btc } from 'multiformats/bases/base58'
import { createDocumentLoader } from '../../../protocol/contexts/index.ts'
import { hashData } from '../../../protocol/data-integrity/hash.ts'
import type { Json } from '../../../protocol/data-integrity/index.ts'
import type { TestSigner } from './signers.ts'

const documentLoader = createDocumentLoader()

/** A proof made as whoever holds the key likes, and not as we would. */
export async function prove(document: Json, signer: TestSigner, more: Json = {}): Promise<Json> {
  const options = {
    type: 'DataIntegrityProof',
    cryptosuite: 'eddsa-rdfc-2022',
    verificationMethod: signer.verificationMethod,
    proofPurpose: 'assertionMethod',
    ...more,
  }
  const { bytes } = await hashData(document, options, { documentLoader })
  return { ...options, proofValue: base58btc.encode(await signer.sign(bytes)) }
}
