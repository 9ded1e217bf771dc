import { DataIntegrityProof } from '@digitalbazaar/data-integrity'
import type { DocumentLoader } from '../contexts/index.ts'
import { toMultibase } from '../dids/index.ts'
import { Refusal, Unavailable } from '../errors.ts'
import type { Json } from './hash.ts'
import type { VerificationKey } from './keys.ts'
import { checkPointers } from './pointers.ts'
import { refusalOf } from './refusals.ts'

export interface SelectiveOptions {
  documentLoader: DocumentLoader
}

/**
 * Verifies a derived proof by the library of its suite. Errors of the document are refusals; any other error of the
 * libraries means a malformed signature, point or scalar.
 */
export async function verifyDerived(
  document: Json,
  proof: Json,
  key: VerificationKey,
  { cryptosuite, documentLoader }: SelectiveOptions & { cryptosuite: object },
): Promise<boolean> {
  const method = {
    '@context': 'https://w3id.org/security/multikey/v1',
    type: 'Multikey',
    id: String(proof.verificationMethod),
    publicKeyMultibase: toMultibase(key),
  }
  const loader = async (url: string) =>
    url === method.id ? { contextUrl: null, documentUrl: url, document: method } : documentLoader(url)
  const suite = new DataIntegrityProof({ cryptosuite })
  const { verified, error } = await suite.verifyProof({ proof, proofSet: [proof], document, documentLoader: loader })
  const refusal = refusalOf(error, document)
  if (refusal) throw refusal
  return verified
}

/** Runs a check of a proof: errors that are no refusals mean that it does not verify. */
export async function orFalse(check: () => Promise<boolean>): Promise<boolean> {
  try {
    return await check()
  } catch (error) {
    if (error instanceof Refusal || error instanceof Unavailable) throw error
    return false
  }
}

/** Derives a proof by the library of its suite. `pointers`: those that the holder selected, for the check. */
export async function deriveFrom(
  document: Json,
  proof: Json,
  { cryptosuite, pointers, documentLoader }: SelectiveOptions & { cryptosuite: object; pointers: string[] },
): Promise<Json> {
  checkPointers(document, pointers)
  const suite = new DataIntegrityProof({ cryptosuite })
  try {
    const purpose = { term: 'assertionMethod' }
    return { ...(await suite.derive({ document, purpose, proofSet: [proof], documentLoader })) }
  } catch (error) {
    const refusal = refusalOf(error, document)
    if (refusal) throw refusal
    throw new Refusal(
      'credential.not_derivable',
      'The base proof of the credential is malformed, or it does not belong to this credential.',
    )
  }
}
