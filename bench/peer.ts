import {
  createDiscloseCryptosuite,
  createSignCryptosuite,
  createVerifyCryptosuite,
} from '@digitalbazaar/bbs-2023-cryptosuite'
import { generateBbsKeyPair } from '@digitalbazaar/bls12-381-multikey'
import { DataIntegrityProof } from '@digitalbazaar/data-integrity'
import { generate as generateEcdsa } from '@digitalbazaar/ecdsa-multikey'
import { cryptosuite as ecdsaRdfc2019 } from '@digitalbazaar/ecdsa-rdfc-2019-cryptosuite'
import { generate as generateEd25519 } from '@digitalbazaar/ed25519-multikey'
import { Ed25519Signature2018 } from '@digitalbazaar/ed25519-signature-2018'
import { Ed25519VerificationKey2018 } from '@digitalbazaar/ed25519-verification-key-2018'
import { cryptosuite as eddsaRdfc2022 } from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite'
import { derive, issue, verifyCredential } from '@digitalbazaar/vc'
import { createDocumentLoader } from '../protocol/contexts/index.ts'
import { defaultMandatoryPointers, type Json } from '../protocol/data-integrity/index.ts'
import { publicKeyOf } from '../protocol/dids/index.ts'
import { resolveDidKey } from '../protocol/dids/key.ts'
import { verificationMethod } from '../protocol/dids/methods.ts'
import type { Format } from './formats.ts'

/** The libraries under the platform, called as their READMEs say: contexts and keys in memory, no HTTP, no rows. */
export interface Peer {
  sign(credential: Json): Promise<Json>
  /** Throws when the library does not verify it. */
  verify(credential: Json): Promise<void>
  /** Discloses everything; for formats whose base proof nobody else verifies. */
  derive(credential: Json): Promise<Json>
}

const contexts = createDocumentLoader()

/** Contexts, and the keys and DID documents of issuers: each made once, as a cache would hold them. */
const loaderFor = (format: Format) => {
  const known = new Map<string, object>()
  const is2018 = format.name === 'Ed25519Signature2018'
  return (issuer: string) => {
    if (!known.has(issuer)) {
      const [method] = resolveDidKey(issuer).verificationMethod ?? []
      if (!method) throw new Error(`${issuer} has no key`)
      const type = is2018 ? 'Ed25519VerificationKey2018' : 'Multikey'
      const context = is2018
        ? 'https://w3id.org/security/suites/ed25519-2018/v1'
        : 'https://w3id.org/security/multikey/v1'
      known.set(method.id, { '@context': context, ...verificationMethod(method.id, issuer, type, publicKeyOf(method)) })
      known.set(issuer, { '@context': 'https://www.w3.org/ns/did/v1', id: issuer, assertionMethod: [method.id] })
    }
    return async (url: string) => {
      const document = known.get(url)
      return document ? { contextUrl: null, documentUrl: url, document } : contexts(url)
    }
  }
}

const CONTROLLER = 'did:example:issuer'

/** Suites are made for each call, as the libraries advise: they hold the state of one proof. */
async function suitesOf({ name }: Format): Promise<{ signs: (credential: Json) => object; verifies: () => object }> {
  if (name === 'bbs-2023') {
    const pair = await generateBbsKeyPair({ algorithm: 'BBS-BLS12-381-SHA-256' })
    const { publicKey } = await pair.export({ raw: true, publicKey: true, secretKey: true })
    const signer = { ...pair.signer(), id: `${CONTROLLER}#key`, publicKey }
    return {
      signs: (credential) =>
        new DataIntegrityProof({
          signer,
          cryptosuite: createSignCryptosuite({ mandatoryPointers: defaultMandatoryPointers(credential) }),
          date: null,
        }),
      verifies: () => new DataIntegrityProof({ cryptosuite: createVerifyCryptosuite() }),
    }
  }
  if (name === 'Ed25519Signature2018') {
    const key = await Ed25519VerificationKey2018.generate({ controller: CONTROLLER })
    key.id = `${CONTROLLER}#key`
    return {
      signs: () => new Ed25519Signature2018({ signer: key.signer() }),
      verifies: () => new Ed25519Signature2018(),
    }
  }
  const ecdsa = name === 'ecdsa-rdfc-2019'
  const key = ecdsa
    ? await generateEcdsa({ controller: CONTROLLER, curve: 'P-256' })
    : await generateEd25519({ controller: CONTROLLER })
  const cryptosuite = ecdsa ? ecdsaRdfc2019 : eddsaRdfc2022
  return {
    signs: () => new DataIntegrityProof({ signer: key.signer(), cryptosuite }),
    verifies: () => new DataIntegrityProof({ cryptosuite }),
  }
}

const issuerOf = ({ issuer }: Json): string => String(Object(issuer).id ?? issuer)

export async function createPeer(format: Format): Promise<Peer> {
  const { signs, verifies } = await suitesOf(format)
  const loader = loaderFor(format)
  return {
    sign: (credential) =>
      issue({ credential: structuredClone(credential), suite: signs(credential), documentLoader: contexts }),
    async verify(credential) {
      const documentLoader = loader(issuerOf(credential))
      const { verified, error } = await verifyCredential({ credential, suite: verifies(), documentLoader })
      if (!verified) throw new Error('the library does not verify the credential', { cause: error })
    },
    derive(credential) {
      const cryptosuite = createDiscloseCryptosuite({ selectivePointers: [''] })
      const suite = new DataIntegrityProof({ cryptosuite })
      return derive({ verifiableCredential: credential, suite, documentLoader: loader(issuerOf(credential)) })
    },
  }
}
