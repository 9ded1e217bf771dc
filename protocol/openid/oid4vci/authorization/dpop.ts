import { createHash } from 'node:crypto'
import { calculateJwkThumbprint, EmbeddedJWK, type JWTPayload, jwtVerify } from 'jose'
import type { Refusal } from '../../../errors.ts'
import { walletRefusal } from '../refusals.ts'

/** Algorithms of DPoP proofs and of client assertions: those that wallets have for P-256, P-384 and Ed25519. */
export const SIGNING_ALGORITHMS = ['ES256', 'ES384', 'EdDSA'] as const

const MAX_AGE_SECONDS = 300
const MAX_JWT = 4 * 1024
const MAX_JTI = 200

export interface DpopRules {
  method: string
  /** The address of the endpoint, as its metadata has it. */
  url: string
  /** That the proof comes with; absent at the token endpoint. */
  accessToken?: string
  now: Date
  toleranceMs: number
}

export interface DpopProof {
  /** Thumbprint of the key (RFC 7638). */
  jkt: string
  jti: string
  /** Absent: the wallet does not know one yet. */
  nonce?: string
}

/** `where`: which endpoint answers, since the same fault has another status at a resource (RFC 9449, section 7.1). */
export type DpopPlace = 'token' | 'resource'

export const invalidProof = (where: DpopPlace, rule: string, message: string, cause?: unknown): Refusal =>
  walletRefusal(
    where === 'token' ? 'invalid_dpop_proof' : 'invalid_dpop_proof_for_token',
    `The DPoP proof is not valid: ${message}.`,
    [{ path: 'DPoP', code: rule, message }],
    { cause },
  )

/** The address without query and fragment (RFC 9449, section 4.3). */
function bareUrl(url: unknown): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= most

/**
 * Verifies a DPoP proof (RFC 9449, section 4.3). Whether its nonce is ours, and its jti was not used, is the caller's to
 * check. Throws `wallet.invalid_dpop_proof`, or for a resource `wallet.invalid_dpop_proof_for_token`.
 */
export async function verifyDpop(
  proof: string,
  { method, url, accessToken, now, toleranceMs }: DpopRules,
): Promise<DpopProof> {
  const where: DpopPlace = accessToken === undefined ? 'token' : 'resource'
  const refuse = (rule: string, message: string, cause?: unknown) => invalidProof(where, rule, message, cause)
  if (proof.length > MAX_JWT) throw refuse('length', `expected at most ${MAX_JWT} characters`)
  let payload: JWTPayload
  let jkt: string
  try {
    const verified = await jwtVerify(proof, EmbeddedJWK, {
      algorithms: [...SIGNING_ALGORITHMS],
      typ: 'dpop+jwt',
      requiredClaims: ['iat', 'jti', 'htm', 'htu'],
      maxTokenAge: MAX_AGE_SECONDS,
      clockTolerance: toleranceMs / 1000,
      currentDate: now,
    })
    payload = verified.payload
    jkt = await calculateJwkThumbprint(verified.protectedHeader.jwk ?? {})
  } catch (error) {
    const claim = error instanceof Error && 'claim' in error ? String(error.claim).slice(0, 20) : 'jwt'
    throw refuse(claim, 'expected one JWT of the type dpop+jwt, new, signed by the public key in its header', error)
  }
  const { jti, htm, htu, ath, nonce } = payload
  if (!isText(jti, MAX_JTI)) throw refuse('jti', `expected a jti of 1 to ${MAX_JTI} characters`)
  if (htm !== method) throw refuse('htm', `expected the htm ${method}`)
  if (bareUrl(htu) !== url) throw refuse('htu', 'expected the address of the endpoint as htu')
  if (nonce !== undefined && typeof nonce !== 'string') throw refuse('nonce', 'expected a text as nonce')
  if (accessToken !== undefined && ath !== createHash('sha256').update(accessToken).digest('base64url'))
    throw refuse('ath', 'expected the SHA-256 of the access token as ath')
  return { jkt, jti, ...(nonce !== undefined && { nonce }) }
}
