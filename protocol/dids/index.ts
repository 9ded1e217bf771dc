import { Refusal, withArticle } from '../errors.ts'
import type { DidDocument, Relationship, VerificationMethod } from './document.ts'
import { RELATIONSHIPS } from './document.ts'
import { fromJwk } from './jwk.ts'
import { fromBase58, fromMultibase, type PublicKey, type PublicKeyType } from './keys.ts'
import { absoluteId, parseDidUrl } from './syntax.ts'

export type { DidDocument, DidService, Relationship, VerificationMethod } from './document.ts'
export { RELATIONSHIPS, validateDidDocument } from './document.ts'
export { fromJwk, type PublicJwk, toJwk } from './jwk.ts'
export { fromMultibase, type PublicKey, type PublicKeyType, publicKey, toMultibase } from './keys.ts'
export { absoluteId, type Did, type DidUrl, isDid, parseDid, parseDidUrl } from './syntax.ts'

export interface Dereferenced {
  /** The method with its id made absolute. */
  method: VerificationMethod
  /** Whether the document's subject allows the method for the purpose. */
  authorized: boolean
}

interface LocatedMethod {
  method: VerificationMethod
  /** The relationship that the method is embedded in; undefined for one of the `verificationMethod` list. */
  embeddedIn?: Relationship
}

function findMethod(document: DidDocument, id: string): LocatedMethod | undefined {
  const same = (method: VerificationMethod) => absoluteId(document.id, method.id) === id
  const listed = [...(document.verificationMethod ?? []), ...(document.publicKey ?? [])].find(same)
  if (listed) return { method: listed }
  for (const embeddedIn of RELATIONSHIPS) {
    const method = document[embeddedIn]?.find((entry) => typeof entry !== 'string' && same(entry))
    if (method !== undefined && typeof method !== 'string') return { method, embeddedIn }
  }
  return undefined
}

/**
 * Returns the verification method of a DID URL, and whether it may be used for the purpose: the document lists it under
 * that relationship, and the document's subject controls it (a document must not authorise another subject's key).
 * Throws `Refusal('did.method_not_found')`, `Refusal('did.invalid')`.
 */
export function dereference(document: DidDocument, didUrl: string, purpose: Relationship): Dereferenced {
  const { did } = parseDidUrl(didUrl)
  const located = did === document.id ? findMethod(document, didUrl) : undefined
  if (!located)
    throw new Refusal('did.method_not_found', `The DID document has no verification method ${didUrl.slice(0, 200)}.`)
  const referenced = (document[purpose] ?? []).some(
    (entry) => typeof entry === 'string' && absoluteId(document.id, entry) === didUrl,
  )
  const authorized = (referenced || located.embeddedIn === purpose) && located.method.controller === document.id
  return { method: { ...located.method, id: didUrl }, authorized }
}

/** Key types of each method type; a type that is not in the table is not supported. */
const METHOD_TYPES: Record<string, PublicKeyType[] | 'any'> = {
  Multikey: 'any',
  JsonWebKey: 'any',
  JsonWebKey2020: 'any',
  Ed25519VerificationKey2018: ['ed25519'],
  Ed25519VerificationKey2020: ['ed25519'],
  X25519KeyAgreementKey2019: ['x25519'],
  X25519KeyAgreementKey2020: ['x25519'],
  EcdsaSecp256k1VerificationKey2019: ['secp256k1'],
  EcdsaSecp256r1VerificationKey2019: ['p256'],
  P256Key2021: ['p256'],
  P384Key2021: ['p384'],
  P521Key2021: ['p521'],
  Bls12381G1Key2020: ['bls12381g1'],
  Bls12381G2Key2020: ['bls12381g2'],
  RsaVerificationKey2018: ['rsa'],
}

/**
 * Returns the raw public key of a verification method in any representation: publicKeyMultibase, publicKeyBase58 or
 * publicKeyJwk, exactly one of them (DID Core 1.0, section 5.2.1). Throws `Refusal('did.key_unsupported')` for types
 * that are not supported and `Refusal('did.invalid')` for malformed keys.
 */
export function publicKeyOf(method: VerificationMethod): PublicKey {
  const allowed = Object.hasOwn(METHOD_TYPES, method.type) ? METHOD_TYPES[method.type] : undefined
  const { publicKeyMultibase, publicKeyBase58, publicKeyJwk } = method
  const representations = [publicKeyMultibase, publicKeyBase58, publicKeyJwk].filter((value) => value !== undefined)
  if (allowed === undefined || representations.length === 0) {
    throw new Refusal(
      'did.key_unsupported',
      `Verification methods of type ${method.type.slice(0, 60)} are not supported.`,
    )
  }
  const key = representations.length === 1 ? read(method, allowed) : undefined
  if (key === undefined)
    throw new Refusal('did.invalid', 'The verification method must have exactly one public key of its type.')
  if (allowed !== 'any' && !allowed.includes(key.keyType)) {
    throw new Refusal(
      'did.invalid',
      `A verification method of type ${method.type} must not have ${withArticle(key.keyType)} key.`,
    )
  }
  return key
}

/** Checks types first: of a foreign document it is only known that it is JSON. */
const isJwk = ({ kty, crv }: { kty: unknown; crv?: unknown }): boolean =>
  typeof kty === 'string' && (crv === undefined || typeof crv === 'string')

function read(method: VerificationMethod, allowed: PublicKeyType[] | 'any'): PublicKey | undefined {
  const { publicKeyMultibase, publicKeyBase58, publicKeyJwk } = method
  if (typeof publicKeyMultibase === 'string') return fromMultibase(publicKeyMultibase)
  if (typeof publicKeyJwk === 'object' && publicKeyJwk !== null)
    return isJwk(publicKeyJwk) ? fromJwk(publicKeyJwk) : undefined
  const [only] = allowed === 'any' ? [] : allowed // base58 has no key type: the type of the method must determine it
  return typeof publicKeyBase58 === 'string' && only !== undefined ? fromBase58(only, publicKeyBase58) : undefined
}
