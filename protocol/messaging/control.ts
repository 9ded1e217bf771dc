import { createHash } from 'node:crypto'
import { absoluteId, type DidDocument, type PublicJwk, publicKeyOf, toJwk } from '../dids/index.ts'
import { usableMethod } from '../dids/usable.ts'
import { Refusal } from '../errors.ts'
import { parseForeignJson } from '../json.depth.ts'
import { isObject } from '../json.ts'
import { type Clock, hasCome, isToCome, momentOfSeconds } from '../time.ts'
import { type RefuseJws, readSignedMessage, type SignedMessage } from './jws.ts'

/** How far ahead a JWT may expire: its digest is kept until then. */
export const MAX_LIFETIME_HOURS = 24

/** Throws `Refusal('inbox.jwt_invalid')` that names the member `jwt` and the broken rule. */
export const refuseJwt: RefuseJws = (rule, what, expected) => {
  throw new Refusal('inbox.jwt_invalid', `The jwt does not prove the control of the DID: ${what}.`, [
    { path: 'jwt', code: rule, message: expected },
  ])
}

export interface ControlProof {
  message: SignedMessage
  /** SHA-256 of what the signature covers: another form of the signature is the same proof. */
  digest: Uint8Array
  expiresAt: Date
}

interface Expected extends Clock {
  did: string
  /** Id of the inbox. */
  audience: string
}

function claimsOf({ payload }: SignedMessage): Record<string, unknown> {
  try {
    const claims = parseForeignJson(payload, { code: 'inbox.jwt_invalid', maxDepth: 16 })
    if (isObject(claims)) return claims
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
  return refuseJwt('claims', 'its payload is not a JSON object with each name once', 'expected claims as a JSON object')
}

function moment(claims: Record<string, unknown>, name: 'exp' | 'nbf' | 'iat'): Date | undefined {
  const value = claims[name]
  if (value === undefined) return undefined
  if (typeof value === 'number') return momentOfSeconds(value)
  return refuseJwt(name, `its ${name} is not a number`, `expected ${name} in seconds since 1970-01-01T00:00:00Z`)
}

function expiryOf(claims: Record<string, unknown>, clock: Clock): Date {
  const expected = `expected exp to come within ${MAX_LIFETIME_HOURS} hours`
  const expiry = moment(claims, 'exp')
  if (!expiry) return refuseJwt('exp', 'it has no exp', expected)
  if (hasCome(expiry, clock)) refuseJwt('exp', 'it has expired', expected)
  const latest = new Date(clock.now.getTime() + MAX_LIFETIME_HOURS * 3_600_000)
  if (isToCome(expiry, { ...clock, now: latest })) refuseJwt('exp', 'it expires too late', expected)
  return expiry
}

/**
 * Reads a JWT (RFC 7519) by which a DID registers itself with an inbox: `kid` and `iss` are of the DID, `aud` is the inbox,
 * `exp` is near, `nbf` and `iat` are past. The signature is not verified. Throws `Refusal('inbox.jwt_invalid')`.
 */
export function readControlProof(jwt: string, { did, audience, ...clock }: Expected): ControlProof {
  const message = readSignedMessage(jwt, refuseJwt)
  const claims = claimsOf(message)
  if (message.did !== did)
    refuseJwt('kid', 'its kid is a key of another DID', 'expected kid to be a DID URL of the DID')
  if (claims.iss !== did) refuseJwt('iss', 'its iss is not the DID', 'expected iss to be the DID')
  const [only, ...others] = [claims.aud].flat()
  if (only !== audience || others.length > 0)
    refuseJwt(
      'aud',
      'its aud is something else, or more, than the inbox',
      'expected aud to be the id of the inbox, and nothing else',
    )
  const expiresAt = expiryOf(claims, clock)
  for (const name of ['nbf', 'iat'] as const) {
    const time = moment(claims, name)
    if (time && isToCome(time, clock)) refuseJwt(name, `its ${name} is in the future`, `expected ${name} to be past`)
  }
  return { message, digest: createHash('sha256').update(message.signingInput).digest(), expiresAt }
}

/** Names a key, whatever a document calls it. */
export const controlKeyOf = ({ kty, crv, x, y }: PublicJwk): Uint8Array =>
  createHash('sha256')
    .update(JSON.stringify([kty, crv, x, y ?? null]))
    .digest()

/** Keys of a document that are looked at. */
const MAX_KEYS = 50

/** Whether a document still has a key for `authentication`, so that the DID is under the control that it proved. */
export function isControlledBy(document: DidDocument, controlKey: Uint8Array, clock: Clock): boolean {
  const ids = (document.authentication ?? []).slice(0, MAX_KEYS)
  return ids.some((entry) => {
    try {
      const id = absoluteId(document.id, typeof entry === 'string' ? entry : entry.id)
      const { method, fault } = usableMethod(document, id, 'authentication', clock)
      return !fault && Buffer.compare(controlKeyOf(toJwk(publicKeyOf(method))), controlKey) === 0
    } catch (error) {
      if (error instanceof Refusal) return false // a key that is not understood; another one may be it
      throw error
    }
  })
}
