import { Refusal } from '../errors.ts'
import type { DidDocument, DidService, Relationship } from './document.ts'
import { type PublicKey, type PublicKeyType, toMultibase } from './keys.ts'
import { documentContexts, type MethodType, verificationMethod } from './methods.ts'

interface Use {
  /** The first type is the key's main method; the others repeat the key, for verifiers that need that type. */
  types: [MethodType, ...MethodType[]]
  relationships: Relationship[]
}

const SIGNING: Relationship[] = ['authentication', 'assertionMethod']

/**
 * Other verifiers of Ed25519Signature2018 accept only an Ed25519VerificationKey2018, and CWT verifiers of the NZCP
 * family only a JsonWebKey2020; Data Integrity suites require Multikey.
 */
const USES: Partial<Record<PublicKeyType, Use>> = {
  ed25519: { types: ['Multikey', 'Ed25519VerificationKey2018'], relationships: SIGNING },
  p256: { types: ['Multikey', 'JsonWebKey2020'], relationships: SIGNING },
  p384: { types: ['Multikey', 'JsonWebKey2020'], relationships: SIGNING },
  bls12381g2: { types: ['Multikey'], relationships: ['assertionMethod'] },
  x25519: { types: ['X25519KeyAgreementKey2020'], relationships: ['keyAgreement'] },
}

const SUFFIXES: Partial<Record<MethodType, string>> = { Ed25519VerificationKey2018: '-2018', JsonWebKey2020: '-jwk' }

/** Characters of the multibase key in a fragment: at least 70 random bits, and short enough for a kid header. */
const FRAGMENT_LENGTH = 16

/**
 * Fragment of a key in our did:web documents: the first characters of its multibase form, so it changes only with the
 * key.
 */
export const keyFragment = (key: PublicKey): string => toMultibase(key).slice(0, FRAGMENT_LENGTH)

function useOf({ keyType }: PublicKey): Use {
  const use = USES[keyType]
  if (!use) throw new Refusal('did.key_unsupported', `A did:web document cannot have ${keyType} keys.`)
  return use
}

/** DID URL of a key in our did:web document; `type` selects another representation if the key has one. */
export function webMethodId(did: string, key: PublicKey, type?: MethodType): string {
  const [own, ...further] = useOf(key).types
  const suffix = type === undefined || type === own || !further.includes(type) ? '' : (SUFFIXES[type] ?? '')
  return `${did}#${keyFragment(key)}${suffix}`
}

/** DID URLs of a key in our did:web document, one for each of its types. */
export const webMethodIds = (did: string, key: PublicKey): string[] =>
  useOf(key).types.map((type) => webMethodId(did, key, type))

/** Returns the DID document of a did:web, with keys of type ed25519, p256, p384, bls12381g2 and x25519. */
export function webDidDocument(did: string, keys: PublicKey[], services: DidService[] = []): DidDocument {
  const methods = keys.flatMap((key) =>
    useOf(key).types.map((type) => ({ key, type, id: webMethodId(did, key, type) })),
  )
  const document: DidDocument = {
    '@context': documentContexts(methods.map(({ type }) => type)),
    id: did,
    verificationMethod: methods.map(({ key, type, id }) => verificationMethod(id, did, type, key)),
  }
  for (const relationship of ['authentication', 'assertionMethod', 'keyAgreement'] as const) {
    const ids = methods.filter(({ key }) => useOf(key).relationships.includes(relationship)).map(({ id }) => id)
    if (ids.length > 0) document[relationship] = ids
  }
  if (services.length > 0) document.service = services
  return document
}
