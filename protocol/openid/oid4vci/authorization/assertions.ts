import { createLocalJWKSet, decodeJwt, type JWTPayload, jwtVerify } from 'jose'
import type { Refusal } from '../../../errors.ts'
import type { Json } from '../../../json.ts'
import { momentOfSeconds } from '../../../time.ts'
import { refuseMember, walletRefusal } from '../refusals.ts'
import { SIGNING_ALGORITHMS } from './dpop.ts'
import { CLIENT_ID, type WalletJwk } from './types.ts'

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

const MAX_JWT = 8 * 1024
/** Time between the making of an assertion and its end. */
export const ASSERTION_SECONDS = 300

export const invalidClient = (message: string, cause?: unknown): Refusal =>
  walletRefusal('invalid_client', message, [], { cause })

const textIn = (body: Json, name: string): string | undefined => {
  const value = body[name]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string' && value.length <= MAX_JWT) return value
  throw refuseMember('invalid_request', name, 'type', `expected a text of at most ${MAX_JWT} characters`)
}

export interface Assertion {
  jwt: string
  /** Who it says that it is of, before it is verified. */
  clientId: string
}

/**
 * The client assertion of a request (RFC 7523, section 2.2); undefined where it has none. Throws `wallet.invalid_client`,
 * `wallet.invalid_request`.
 */
export function readAssertion(body: Json): Assertion | undefined {
  const jwt = textIn(body, 'client_assertion')
  const type = textIn(body, 'client_assertion_type')
  if (jwt === undefined && type === undefined) return undefined
  if (jwt === undefined || type !== JWT_BEARER)
    throw refuseMember('invalid_request', 'client_assertion_type', 'choice', `expected ${JWT_BEARER}, and an assertion`)
  try {
    const { sub } = decodeJwt(jwt)
    if (typeof sub === 'string' && CLIENT_ID.test(sub)) return { jwt, clientId: sub }
  } catch (error) {
    throw invalidClient('The client assertion is no JWT.', error)
  }
  throw invalidClient('The client assertion names no client as sub.')
}

interface AssertionRules {
  keys: readonly WalletJwk[]
  /** Addresses that it may be for: the issuer, or an endpoint. */
  audiences: readonly string[]
  now: Date
  toleranceMs: number
}

/**
 * Verifies a client assertion (RFC 7523, section 3), and returns its jti with its end. Throws `wallet.invalid_client`.
 */
export async function verifyAssertion(
  { jwt, clientId }: Assertion,
  { keys, audiences, now, toleranceMs }: AssertionRules,
): Promise<{ jti: string; endsAt: Date }> {
  let payload: JWTPayload
  try {
    const verified = await jwtVerify(jwt, createLocalJWKSet({ keys: [...keys] }), {
      algorithms: [...SIGNING_ALGORITHMS],
      issuer: clientId,
      subject: clientId,
      audience: [...audiences],
      requiredClaims: ['exp', 'jti'],
      clockTolerance: toleranceMs / 1000,
      currentDate: now,
    })
    payload = verified.payload
  } catch (error) {
    throw invalidClient(
      `The client assertion is not valid: expected a JWT that a key of the wallet has signed, with iss and sub ${clientId.slice(0, 100)}, for this issuer, with exp and jti.`,
      error,
    )
  }
  const { aud, jti, exp = 0 } = payload
  if (typeof aud !== 'string') throw invalidClient('The client assertion is not valid: expected one aud.')
  if (typeof jti !== 'string' || jti === '' || jti.length > 200)
    throw invalidClient('The client assertion is not valid: expected a jti of 1 to 200 characters.')
  const endsAt = momentOfSeconds(exp)
  if (endsAt.getTime() > now.getTime() + ASSERTION_SECONDS * 1000 + toleranceMs)
    throw invalidClient(`The client assertion is not valid: expected an exp within ${ASSERTION_SECONDS} seconds.`)
  return { jti, endsAt }
}
