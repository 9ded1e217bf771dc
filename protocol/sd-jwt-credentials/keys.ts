import type { KeyObject } from 'node:crypto'
import { type VerificationKey, verificationKey, verifySignature } from '../data-integrity/keys.ts'
import { fromJwk, isPrivateJwk, type PublicJwk } from '../dids/jwk.ts'
import { type FieldError, Refusal } from '../errors.ts'
import type { Json } from '../json.ts'
import { isObject } from '../json.ts'
import { tableOf } from '../names.ts'
import type { ReadJwt } from './read.ts'

/** Signature algorithms that are verified, each with the type of its keys. */
const KEY_TYPES = tableOf({ ES256: 'p256', ES384: 'p384', EdDSA: 'ed25519', Ed25519: 'ed25519' } as const)

export const VERIFIED_ALGORITHMS: readonly string[] = [...KEY_TYPES.keys()]

/** Reads a public JWK. Throws `Refusal('did.invalid' | 'did.key_unsupported')`, also for a private one. */
export const keyOfJwk = (jwk: Json): VerificationKey =>
  verificationKey({ id: '', type: 'JsonWebKey', controller: '', publicKeyJwk: jwk as PublicJwk })

/** Of the keys of certificates: others may have no form as a JWK at all, and their export throws. */
const CERTIFICATE_KEYS: readonly unknown[] = ['prime256v1', 'secp384r1', 'ed25519']

/** The public key of a certificate. Throws as `keyOfJwk`. */
export function keyOfCertificate(publicKey: KeyObject): VerificationKey {
  const { asymmetricKeyDetails, asymmetricKeyType } = publicKey
  if (!CERTIFICATE_KEYS.includes(asymmetricKeyDetails?.namedCurve ?? asymmetricKeyType))
    throw new Refusal('did.key_unsupported', 'The key of the certificate is none of P-256, P-384 and Ed25519.')
  const jwk: unknown = publicKey.export({ format: 'jwk' })
  return keyOfJwk(isObject(jwk) ? jwk : {})
}

/** What is wrong with the signature of a JWT; undefined: it is one of the key. */
export function signatureFault(
  { header, input, signature }: Pick<ReadJwt, 'header' | 'input' | 'signature'>,
  key: VerificationKey,
): 'key_unfit' | 'signature' | undefined {
  if (KEY_TYPES.get(String(header.alg)) !== key.keyType) return 'key_unfit'
  return verifySignature(key, input, signature) ? undefined : 'signature'
}

const isHolderKey = (jwk: PublicJwk): boolean => {
  try {
    return !isPrivateJwk(jwk) && ['p256', 'p384', 'ed25519'].includes(fromJwk(jwk).keyType)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return false
  }
}

/** What forbids that a credential is bound to a key. */
export const holderKeyErrors = (jwk: PublicJwk | undefined, path: string): FieldError[] =>
  jwk === undefined || isHolderKey(jwk)
    ? []
    : [{ path, code: 'holder_key', message: 'expected a public JSON Web Key of P-256, P-384 or Ed25519' }]

/** The members of a holder's key that say which key it is, as `cnf` has them (RFC 7800, section 3.2). */
export function confirmationOf({ kty, crv, x, y }: PublicJwk): { jwk: PublicJwk } {
  // the members that reading the key has checked, and no other: a key of the kind OKP has no y
  const known = kty === 'OKP' ? { kty, crv, x } : { kty, crv, x, y }
  return { jwk: Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)) as PublicJwk }
}
