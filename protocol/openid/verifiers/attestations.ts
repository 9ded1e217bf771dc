import type { FieldError } from '../../errors.ts'
import { isObject, type Json } from '../../json.ts'
import { jsonOf, parseCompactJws } from '../../jws.ts'

/** A JWT by which somebody whom wallets trust vouches for a verifier (OpenID4VP 1.0, section 12). */
export interface VerifierAttestation {
  /** What wallets know the verifier by. */
  subject: string
  /** The key that signs the verifier's requests. */
  jwk: Json
  expiresAt: Date
  notBefore?: Date
  /** The addresses that wallets may answer at are listed. */
  listsAddresses: boolean
}

export const ATTESTATION_TYPE = 'verifier-attestation+jwt'
export const MAX_ATTESTATION = 16_000
const MAX_SUBJECT = 512
const PATH = 'verifierAttestation'

const fault = (code: string, message: string): FieldError => ({ path: PATH, code, message })

/** Signatures by a secret say nothing to a wallet. */
const isOfSecret = (alg: unknown): boolean => typeof alg !== 'string' || alg === 'none' || alg.startsWith('HS')

function payloadOf(jwt: string): { header: Json; claims: Json } | undefined {
  const jws = jwt.length > MAX_ATTESTATION ? undefined : parseCompactJws(jwt)
  if (!jws) return undefined
  try {
    const claims = jsonOf(jws.payload)
    return isObject(claims) ? { header: jws.header, claims } : undefined
  } catch {
    return undefined // not JSON, so no claims
  }
}

const isTime = (value: unknown): value is number => typeof value === 'number' && value > 0 && value < 1e11

/** Reads an attestation. Who signed it is the wallet's to verify: only wallets know whom they trust. */
export function readAttestation(jwt: string): { attestation: VerifierAttestation } | { errors: FieldError[] } {
  const read = payloadOf(jwt)
  if (!read) return { errors: [fault('jwt', `expected a JWT of at most ${MAX_ATTESTATION} characters`)] }
  const { header, claims } = read
  const { iss, sub, exp, nbf, cnf, redirect_uris: addresses } = claims
  const jwk = isObject(cnf) ? cnf.jwk : undefined
  const errors: FieldError[] = []
  if (header.typ !== ATTESTATION_TYPE) errors.push(fault('typ', `expected the typ ${ATTESTATION_TYPE}`))
  if (isOfSecret(header.alg)) errors.push(fault('alg', 'expected the signature of an asymmetric key'))
  if (typeof iss !== 'string' || iss === '') errors.push(fault('iss', 'expected an iss'))
  const isSubject = typeof sub === 'string' && sub.length <= MAX_SUBJECT && /^[\x21-\x7e]+$/.test(sub)
  if (!isSubject) errors.push(fault('sub', `expected a sub of 1 to ${MAX_SUBJECT} characters of ASCII without spaces`))
  if (!isTime(exp)) errors.push(fault('exp', 'expected an exp'))
  if (nbf !== undefined && !isTime(nbf)) errors.push(fault('nbf', 'expected a number of seconds as nbf'))
  if (!isObject(jwk)) errors.push(fault('cnf', 'expected the public key of the verifier as cnf.jwk'))
  if (errors.length > 0 || !isSubject || !isTime(exp) || !isObject(jwk)) return { errors }
  return {
    attestation: {
      ...{ subject: sub, jwk, expiresAt: new Date(exp * 1000), listsAddresses: addresses !== undefined },
      ...(isTime(nbf) && { notBefore: new Date(nbf * 1000) }),
    },
  }
}

/** The same of one that was read before. Throws for another one. */
export function knownAttestation(jwt: string): VerifierAttestation {
  const read = readAttestation(jwt)
  if ('attestation' in read) return read.attestation
  throw new Error('a verifier attestation that was accepted cannot be read')
}

const isSameKey = (one: Json, other: Json): boolean =>
  (['kty', 'crv', 'x', 'y'] as const).every((member) => one[member] === other[member])

/** What forbids that a verifier signs with this key by this attestation, from now until then. */
export function attestationFaults(
  jwt: string,
  publicJwk: Json,
  { now, until }: { now: Date; until: Date },
): FieldError[] {
  const { jwk, expiresAt, notBefore } = knownAttestation(jwt)
  const errors: FieldError[] = []
  if (!isSameKey(jwk, publicJwk))
    errors.push(fault('public_key', 'expected as cnf.jwk the key with which the DID signs requests'))
  if (expiresAt < until) errors.push(fault('expired', 'expected an exp that is not before the end of the request'))
  if (notBefore && notBefore > now) errors.push(fault('nbf', 'expected an nbf that is not in the future'))
  return errors
}
