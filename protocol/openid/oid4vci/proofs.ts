import { importJWK, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose'
import type { Holder } from '../../credentials/wallets.ts'
import { fromJwk, isPrivateJwk, type PublicJwk } from '../../dids/jwk.ts'
import { didKeyOf } from '../../dids/key.ts'
import { type FieldError, Refusal } from '../../errors.ts'
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

const RULES: Readonly<Record<string, string>> = {
  aud: 'expected only the credential issuer as aud',
  typ: `expected the typ ${TYPE}`,
  iat: `expected an iat of at most ${MAX_AGE_SECONDS} seconds ago`,
  nonce: 'expected a nonce of the nonce endpoint',
}

function described(error: unknown, at: string): Refusal {
  if (error instanceof Refusal)
    return error.code.startsWith('wallet.')
      ? error
      : invalidKeyProof(at, 'key', 'expected a key that can be used', error)
  const claim = error instanceof Error && 'claim' in error ? String(error.claim) : ''
  const rule = Object.hasOwn(RULES, claim) ? claim : 'jwt'
  const expected = RULES[rule] ?? `expected a JWT that its key has signed with ${PROOF_ALGORITHMS.join(' or ')}`
  return invalidKeyProof(at, rule, expected, error)
}

/**
 * Verifies a proof of a key (OpenID4VCI 1.0, appendix F.1): who holds the key has signed the nonce for this issuer, now.
 * Whether the nonce is ours and was not used is the caller's to check. Throws `Refusal('wallet.invalid_proof')`.
 */
export async function verifyProof(jwt: string, at: string, rules: ProofRules): Promise<Proof> {
  const { audience, clientId, now, toleranceMs } = rules
  if (jwt.length > MAX_JWT) throw invalidKeyProof(at, 'length', `expected at most ${MAX_JWT} characters`)
  let holder: Holder | undefined
  let payload: JWTPayload
  let keyAttestation: unknown
  try {
    const verified = await jwtVerify(
      jwt,
      async (header) => {
        holder = await holderOf(header as JWTHeaderParameters, at, rules)
        keyAttestation = header.key_attestation
        return importJWK(holder.jwk, header.alg)
      },
      {
        algorithms: [...PROOF_ALGORITHMS],
        typ: TYPE,
        audience,
        requiredClaims: ['iat', 'nonce'],
        maxTokenAge: MAX_AGE_SECONDS,
        clockTolerance: toleranceMs / 1000,
        currentDate: now,
      },
    )
    payload = verified.payload
  } catch (error) {
    throw described(error, at)
  }
  const { aud, iss, nonce } = payload
  if (typeof aud !== 'string') throw invalidKeyProof(at, 'aud', 'expected only the credential issuer as aud')
  if (iss !== undefined && iss !== clientId)
    throw invalidKeyProof(
      at,
      'iss',
      'expected as iss the client_id of the token request, or no iss where there was none',
    )
  if (!holder || typeof nonce !== 'string') throw invalidKeyProof(at, 'nonce', 'expected a nonce of the nonce endpoint')
  if (keyAttestation !== undefined && typeof keyAttestation !== 'string')
    throw invalidKeyProof(at, 'key_attestation', 'expected a JWT as key_attestation')
  return { ...holder, nonce, ...(keyAttestation !== undefined && { keyAttestation }) }
}
