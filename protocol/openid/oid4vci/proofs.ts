import {
  decodeJwt,
  decodeProtectedHeader,
  importJWK,
  type JWTHeaderParameters,
  type JWTPayload,
  jwtVerify,
  type ProtectedHeaderParameters,
} from 'jose'
import type { Holder } from '../../credentials/wallets.ts'
import { fromJwk, isPrivateJwk, type PublicJwk } from '../../dids/jwk.ts'
import { didKeyOf } from '../../dids/key.ts'
import { type FieldError, Refusal, Unavailable } from '../../errors.ts'
import { isObject } from '../../json.ts'
import { confirmationOf } from '../../sd-jwt-credentials/keys.ts'
import { walletRefusal } from './refusals.ts'

/** Algorithms of the proofs that wallets may send: those of P-256 and Ed25519. */
export const PROOF_ALGORITHMS = ['ES256', 'EdDSA'] as const

const TYPE = 'openid4vci-proof+jwt'
/** Age of a proof at most: its nonce does not live longer. */
const MAX_AGE_SECONDS = 300
/** With an attestation of 20 keys in its header (64 KiB), which base64url makes a third longer. */
const MAX_JWT = 96 * 1024

export interface ProofRules {
  /** The credential issuer, which the proof must be for. */
  audience: string
  /** What the wallet calls itself; a proof that names another issuer is refused. */
  clientId: string | undefined
  now: Date
  toleranceMs: number
  /** Throws `Refusal` for a nonce that is not ours, or has ended. */
  assertNonce(nonce: string): void
  /** Returns the key of a DID URL. Throws `Refusal` where there is none. */
  keyOf(didUrl: string): Promise<PublicJwk>
  /** Verifies an attestation and returns that of its keys which a proof names. Throws `Refusal` where it has none. */
  attestedKeyOf(attestation: string, kid: string, at: string): Promise<Holder>
}

export interface Proof extends Holder {
  nonce: string
  /** The attestation in its header (appendix D.1), not verified yet. */
  keyAttestation?: string
}

export const invalidKeyProof = (at: string, rule: string, message: string, cause?: unknown) => {
  const errors: FieldError[] = [{ path: at, code: rule, message }]
  return walletRefusal('invalid_proof', `The proof of the key is not valid: ${message}.`, errors, { cause })
}

const ASYMMETRIC = new Set(['EC', 'OKP'])

/** The public key of the header, and the DID that the credential is for. */
async function holderOf(header: JWTHeaderParameters, at: string, rules: ProofRules): Promise<Holder> {
  const { jwk, kid, key_attestation: attestation } = header
  const named = (['jwk', 'kid', 'x5c'] as const).filter((name) => header[name] !== undefined)
  if (named.length !== 1 || named[0] === 'x5c')
    throw invalidKeyProof(at, 'key', 'expected exactly one of jwk and kid in its header')
  if (kid !== undefined) {
    if (typeof kid === 'string' && typeof attestation === 'string' && !kid.startsWith('did:'))
      return rules.attestedKeyOf(attestation, kid, at)
    if (typeof kid !== 'string' || !/^did:(key|web|jwk):/.test(kid))
      throw invalidKeyProof(
        at,
        'kid',
        'expected as kid a DID URL of did:key, did:web or did:jwk, or with a key_attestation the index of one of its keys',
      )
    return { jwk: await rules.keyOf(kid), did: kid.split('#', 1)[0] ?? kid }
  }
  if (!isObject(jwk) || !ASYMMETRIC.has(String(jwk.kty)) || isPrivateJwk(jwk))
    throw invalidKeyProof(at, 'jwk', 'expected as jwk the public key of P-256 or Ed25519')
  const { jwk: own } = confirmationOf(jwk as PublicJwk)
  const key = fromJwk(own)
  return { jwk: own, did: didKeyOf(key.keyType, key.publicKey) }
}

const RULES = {
  alg: `expected the alg ${PROOF_ALGORITHMS.join(' or ')}`,
  aud: 'expected only the credential issuer as aud',
  typ: `expected the typ ${TYPE}`,
  iat: `expected an iat of at most ${MAX_AGE_SECONDS} seconds ago`,
  nonce: 'expected a nonce of the nonce endpoint',
  jwt: `expected a JWT that its key has signed with ${PROOF_ALGORITHMS.join(' or ')}`,
} as const

function described(error: unknown, at: string): Error {
  // the wallet did nothing wrong, and may send the same again
  if (error instanceof Unavailable) return error
  if (error instanceof Refusal)
    return error.code.startsWith('wallet.')
      ? error
      : invalidKeyProof(at, 'key', 'expected a key that can be used', error)
  return invalidKeyProof(at, 'jwt', RULES.jwt, error)
}

/** Media types may be written with `application/`, and in capitals (RFC 7515, section 4.1.9). */
const isType = (typ: unknown): boolean =>
  typeof typ === 'string' && typ.toLowerCase().replace(/^application\//, '') === TYPE

function isNew(iat: unknown, { now, toleranceMs }: Pick<ProofRules, 'now' | 'toleranceMs'>): boolean {
  if (typeof iat !== 'number' || !Number.isFinite(iat)) return false
  const ageMs = now.getTime() - iat * 1000
  return ageMs >= -toleranceMs && ageMs <= MAX_AGE_SECONDS * 1000 + toleranceMs
}

interface Unverified {
  header: ProtectedHeaderParameters
  nonce: string
  keyAttestation?: string
}

/** Whatever can be known of a proof without its key, which may have to be fetched, or is in an attestation. */
function readProof(jwt: string, at: string, rules: ProofRules): Unverified {
  const wrong = (rule: keyof typeof RULES, cause?: unknown) => invalidKeyProof(at, rule, RULES[rule], cause)
  let header: ProtectedHeaderParameters
  let payload: JWTPayload
  try {
    header = decodeProtectedHeader(jwt)
    payload = decodeJwt(jwt)
  } catch (error) {
    throw wrong('jwt', error)
  }
  const { alg, typ, key_attestation: keyAttestation } = header
  const { aud, iat, iss, nonce } = payload
  if (!PROOF_ALGORITHMS.some((each) => each === alg)) throw wrong('alg')
  if (!isType(typ)) throw wrong('typ')
  if (aud !== rules.audience) throw wrong('aud')
  if (!isNew(iat, rules)) throw wrong('iat')
  if (iss !== undefined && iss !== rules.clientId)
    throw invalidKeyProof(
      at,
      'iss',
      'expected as iss the client_id of the token request, or no iss where there was none',
    )
  if (typeof nonce !== 'string') throw wrong('nonce')
  if (keyAttestation !== undefined && typeof keyAttestation !== 'string')
    throw invalidKeyProof(at, 'key_attestation', 'expected a JWT as key_attestation')
  rules.assertNonce(nonce)
  return { header, nonce, ...(keyAttestation !== undefined && { keyAttestation }) }
}

/**
 * Verifies a proof of a key (OpenID4VCI 1.0, appendix F.1): who holds the key has signed the nonce for this issuer, now. Its key
 * is looked for only where everything else is right. Whether the nonce was used is the caller's to check. Throws
 * `Refusal('wallet.invalid_proof')`, what `assertNonce` throws, and `Unavailable` where a key cannot be had now.
 */
export async function verifyProof(jwt: string, at: string, rules: ProofRules): Promise<Proof> {
  if (jwt.length > MAX_JWT) throw invalidKeyProof(at, 'length', `expected at most ${MAX_JWT} characters`)
  const { header, ...read } = readProof(jwt, at, rules)
  try {
    const holder = await holderOf(header as JWTHeaderParameters, at, rules)
    await jwtVerify(jwt, await importJWK(holder.jwk, header.alg), {
      ...{ algorithms: [...PROOF_ALGORITHMS], clockTolerance: rules.toleranceMs / 1000, currentDate: rules.now },
    })
    return { ...holder, ...read }
  } catch (error) {
    throw described(error, at)
  }
}
