import { Refusal } from '../errors.ts'
import type { VerificationMethod } from './document.ts'
import { toJwk } from './jwk.ts'
import { type PublicKey, type PublicKeyType, toBase58, toMultibase } from './keys.ts'

type Property = 'publicKeyMultibase' | 'publicKeyBase58' | 'publicKeyJwk'

/** Types of verification method, each with the JSON-LD context that defines it and the property of its key. */
const METHODS = {
  Multikey: { context: 'https://w3id.org/security/multikey/v1', property: 'publicKeyMultibase' },
  JsonWebKey2020: { context: 'https://w3id.org/security/suites/jws-2020/v1', property: 'publicKeyJwk' },
  Ed25519VerificationKey2018: {
    context: 'https://w3id.org/security/suites/ed25519-2018/v1',
    property: 'publicKeyBase58',
  },
  Ed25519VerificationKey2020: {
    context: 'https://w3id.org/security/suites/ed25519-2020/v1',
    property: 'publicKeyMultibase',
  },
  X25519KeyAgreementKey2019: {
    context: 'https://w3id.org/security/suites/x25519-2019/v1',
    property: 'publicKeyBase58',
  },
  X25519KeyAgreementKey2020: {
    context: 'https://w3id.org/security/suites/x25519-2020/v1',
    property: 'publicKeyMultibase',
  },
  EcdsaSecp256k1VerificationKey2019: {
    context: 'https://w3id.org/security/suites/secp256k1-2019/v1',
    property: 'publicKeyBase58',
  },
  P256Key2021: { context: 'https://w3id.org/security/suites/multikey-2021/v1', property: 'publicKeyBase58' },
  Bls12381G1Key2020: { context: 'https://w3id.org/security/suites/bls12381-2020/v1', property: 'publicKeyBase58' },
  Bls12381G2Key2020: { context: 'https://w3id.org/security/suites/bls12381-2020/v1', property: 'publicKeyBase58' },
} as const satisfies Record<string, { context: string; property: Property }>

export type MethodType = keyof typeof METHODS

/**
 * How a document writes its keys (`publicKeyFormat` of the did:key draft): `Multikey`, `JsonWebKey2020`, or the suite
 * types of 2018/2019 and of 2020.
 */
export type KeyFormat = 'Multikey' | 'JsonWebKey2020' | 'Suites2018' | 'Suites2020'

/** X25519 keys do not sign, so they are not Multikey: DIDComm and Data Integrity libraries expect the 2020 type. */
const FORMATS: Record<KeyFormat, Partial<Record<PublicKeyType, MethodType>> & { other?: MethodType }> = {
  Multikey: { x25519: 'X25519KeyAgreementKey2020', other: 'Multikey' },
  JsonWebKey2020: { other: 'JsonWebKey2020' },
  Suites2020: { ed25519: 'Ed25519VerificationKey2020', x25519: 'X25519KeyAgreementKey2020', other: 'Multikey' },
  Suites2018: {
    ed25519: 'Ed25519VerificationKey2018',
    x25519: 'X25519KeyAgreementKey2019',
    secp256k1: 'EcdsaSecp256k1VerificationKey2019',
    p256: 'P256Key2021',
    bls12381g1: 'Bls12381G1Key2020',
    bls12381g2: 'Bls12381G2Key2020',
    other: 'JsonWebKey2020',
  },
}

export function methodTypeOf(format: KeyFormat, keyType: PublicKeyType): MethodType {
  const type = FORMATS[format][keyType] ?? FORMATS[format].other
  if (type === undefined) throw new Refusal('did.key_unsupported', `A ${keyType} key has no ${format} form.`)
  return type
}

/** Returns a verification method of a type. Throws `Refusal('did.key_unsupported')` if the key has no such form. */
export function verificationMethod(
  id: string,
  controller: string,
  type: MethodType,
  key: PublicKey,
): VerificationMethod {
  const { property } = METHODS[type]
  if (property === 'publicKeyJwk') return { id, type, controller, publicKeyJwk: toJwk(key) }
  if (property === 'publicKeyBase58') return { id, type, controller, publicKeyBase58: toBase58(key.publicKey) }
  return { id, type, controller, publicKeyMultibase: toMultibase(key) }
}

/** The DID context, then one per method type that the document uses, each once and in order of first use. */
export const documentContexts = (types: MethodType[]): string[] => [
  ...new Set(['https://www.w3.org/ns/did/v1', ...types.map((type) => METHODS[type].context)]),
]
