import { createVerifyCryptosuite } from '@digitalbazaar/bbs-2023-cryptosuite'
import { DataIntegrityProof } from '@digitalbazaar/data-integrity'
import { cryptosuite as ecdsaRdfc2019 } from '@digitalbazaar/ecdsa-rdfc-2019-cryptosuite'
import { Ed25519Signature2018 } from '@digitalbazaar/ed25519-signature-2018'
import { cryptosuite as eddsaRdfc2022 } from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite'
import { verifyCredential } from '@digitalbazaar/vc'
import { createDocumentLoader } from '../../../protocol/contexts/index.ts'
import { createProofCheck, type Json } from '../../../protocol/data-integrity/index.ts'
import { type DidDocument, dereference, publicKeyOf } from '../../../protocol/dids/index.ts'
import { verifyDomainLinkage } from '../../../protocol/dids/linked.ts'
import { verificationMethod as methodAs } from '../../../protocol/dids/methods.ts'

const documentLoader = createDocumentLoader()
const checkProof = createProofCheck({ documentLoader })

export type Resolve = (did: string) => Promise<DidDocument>

/** Our own rules, and the proof against the document that the world sees. */
export const verifyLinkage = (entry: Json, { origin, now, resolve }: { origin: string; now: Date; resolve: Resolve }) =>
  verifyDomainLinkage(entry, {
    origin,
    now,
    async verifyProof(credential) {
      if (typeof credential === 'string') return false
      const { proof, ...document } = credential as Json & { proof: Json }
      const didUrl = String(proof.verificationMethod)
      const found = dereference(await resolve(didUrl.split('#', 1)[0] ?? ''), didUrl, 'assertionMethod')
      return found.authorized && (await checkProof({ document, proof, method: found.method })).verified
    },
  })

const SUITES: Record<string, () => object> = {
  Ed25519Signature2018: () => new Ed25519Signature2018(),
  'eddsa-rdfc-2022': () => new DataIntegrityProof({ cryptosuite: eddsaRdfc2022 }),
  'ecdsa-rdfc-2019': () => new DataIntegrityProof({ cryptosuite: ecdsaRdfc2019 }),
  'bbs-2023': () => new DataIntegrityProof({ cryptosuite: createVerifyCryptosuite() }),
}

/** The same by @digitalbazaar/vc, which shares no code of ours but the contexts. */
export async function peerVerifies(
  credential: Json,
  resolve: Resolve,
): Promise<{ verified: boolean; error?: unknown }> {
  const { type, cryptosuite, verificationMethod } = credential.proof as Record<string, string>
  const suite = SUITES[cryptosuite ?? type ?? '']
  if (!suite) throw new Error(`no peer for ${cryptosuite ?? type}`)
  const document = await resolve(String(verificationMethod).split('#', 1)[0] ?? '')
  const found = document.verificationMethod?.find(({ id }) => id === verificationMethod)
  const is2018 = type === 'Ed25519Signature2018'
  const context = is2018 ? 'https://w3id.org/security/suites/ed25519-2018/v1' : 'https://w3id.org/security/multikey/v1'
  if (!found) throw new Error(`${verificationMethod} is not in its document`)
  // a did:key may be shown in the form that the suite knows; a did:web has to publish it
  const shown =
    is2018 && document.id.startsWith('did:key:')
      ? methodAs(found.id, document.id, 'Ed25519VerificationKey2018', publicKeyOf(found))
      : found
  const method = { '@context': context, ...shown }
  const loader = async (url: string) => {
    const own = url === verificationMethod ? method : url === document.id ? document : undefined
    return own ? { contextUrl: null, documentUrl: url, document: own } : documentLoader(url)
  }
  return verifyCredential({ credential, suite: suite(), documentLoader: loader })
}
