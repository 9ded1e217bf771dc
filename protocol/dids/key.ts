import { ed25519 } from '@noble/curves/ed25519.js'
import { Refusal } from '../errors.ts'
import type { DidDocument, Relationship } from './document.ts'
import { fromMultibase, type PublicKey, type PublicKeyType, publicKey, toMultibase } from './keys.ts'
import { documentContexts, type KeyFormat, methodTypeOf, verificationMethod } from './methods.ts'
import { parseDidUrl } from './syntax.ts'

const SIGNING: Relationship[] = ['assertionMethod', 'authentication', 'capabilityInvocation', 'capabilityDelegation']

/** Relationships of each key type (did:key draft, section 3.1.3, and its test vectors). */
const USES: Record<PublicKeyType, Relationship[]> = {
  ed25519: SIGNING,
  x25519: ['keyAgreement'],
  p256: [...SIGNING, 'keyAgreement'],
  p384: [...SIGNING, 'keyAgreement'],
  p521: [...SIGNING, 'keyAgreement'],
  secp256k1: [...SIGNING, 'keyAgreement'],
  rsa: [...SIGNING, 'keyAgreement'],
  bls12381g1: SIGNING,
  bls12381g2: SIGNING,
  bls12381g1g2: SIGNING,
}

/** The X25519 public key that belongs to an Ed25519 one: the same point in Montgomery form (RFC 7748, section 4.1). */
export const x25519Of = ({ publicKey: bytes }: PublicKey): PublicKey =>
  publicKey('x25519', ed25519.utils.toMontgomery(bytes))

/** Returns the did:key of a raw public key. Throws `Refusal('did.invalid')` if the bytes are not a key of the type. */
export const didKeyOf = (keyType: PublicKeyType, bytes: Uint8Array): string =>
  `did:key:${toMultibase(publicKey(keyType, bytes))}`

/** DID URL of a key inside a did:key document. */
export const didKeyMethodId = (did: string, key: PublicKey): string => `${did}#${toMultibase(key)}`

export interface DidKeyOptions {
  /** Representation of the keys in the document. Default: Multikey. */
  publicKeyFormat?: KeyFormat
}

/** Returns the public key in a did:key, or in a DID URL of one. Throws `Refusal('did.invalid')`. */
export function publicKeyOfDidKey(didUrl: string): PublicKey {
  const { method, identifier } = parseDidUrl(didUrl)
  if (method !== 'key') throw new Refusal('did.method_unsupported', `did:${method} is not did:key.`)
  if (!identifier.startsWith('z'))
    throw new Refusal('did.invalid', 'The did:key is not multibase base58btc: expected did:key:z…')
  return fromMultibase(identifier)
}

/**
 * Returns the DID document of a did:key; a fragment in the DID URL is ignored. An Ed25519 key also gives its X25519
 * form for key agreement; a BLS12-381 G1+G2 key gives two methods. Throws `Refusal('did.invalid')`.
 */
export function resolveDidKey(didUrl: string, { publicKeyFormat = 'Multikey' }: DidKeyOptions = {}): DidDocument {
  const { did } = parseDidUrl(didUrl)
  const key = publicKeyOfDidKey(did)
  const keys = key.keyType === 'bls12381g1g2' ? bothGroups(key) : [key]
  const agreement = key.keyType === 'ed25519' ? [x25519Of(key)] : []
  const types = [...keys, ...agreement].map(({ keyType }) => methodTypeOf(publicKeyFormat, keyType))
  const methods = [...keys, ...agreement].map((each) =>
    verificationMethod(didKeyMethodId(did, each), did, methodTypeOf(publicKeyFormat, each.keyType), each),
  )
  // drafts since 2020 embed the derived key in its relationship; older test vectors list it
  const embeds = publicKeyFormat === 'Multikey' || publicKeyFormat === 'Suites2020'
  const [listed, embedded] = embeds ? [methods.slice(0, keys.length), methods.slice(keys.length)] : [methods, []]
  const document: DidDocument = { '@context': documentContexts(types), id: did, verificationMethod: listed }
  for (const use of USES[key.keyType]) document[use] = keys.map((each) => didKeyMethodId(did, each))
  const [derived] = agreement
  if (derived) document.keyAgreement = embeds ? embedded : [didKeyMethodId(did, derived)]
  return document
}

const bothGroups = ({ publicKey: bytes }: PublicKey): PublicKey[] => [
  publicKey('bls12381g1', bytes.subarray(0, 48)),
  publicKey('bls12381g2', bytes.subarray(48)),
]
