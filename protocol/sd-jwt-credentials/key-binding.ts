import { Refusal } from '../errors.ts'
import { isObject, type Json } from '../json.ts'
import { type JwsHeader, signCompactJws } from '../jws.ts'
import { type Clock, hasCome, isToCome, momentOfSeconds } from '../time.ts'
import { digestOf, type HashAlgorithm } from './disclosures.ts'
import { faulty } from './faults.ts'
import { keyOfJwk, signatureFault, VERIFIED_ALGORITHMS } from './keys.ts'
import type { ReadJwt, ReadSdJwt } from './read.ts'

/** `typ` of a key binding JWT (RFC 9901, section 4.3). */
export const KEY_BINDING_TYPE = 'kb+jwt'

/** Age of a key binding JWT at most, where nobody asks for another one. */
export const MAX_AGE_SECONDS = 300

/** What a verifier asked for. */
export interface KeyBindingSession {
  nonce: string
  /** The verifier, as it names itself to wallets; one of several is enough. */
  audience: string | readonly string[]
  /** Default: 300. */
  maxAgeSeconds?: number
}

/** `required`: by this session. `refused`: for what an issuer hands out. `unchecked`: it may be there, and says nothing. */
export type KeyBindingRule = KeyBindingSession | 'refused' | 'unchecked'

const refuse = (code: string, message: string) => faulty('KeyBinding', `key_binding_${code}`, message)

/** The holder's key. Throws `Faulty`. */
export function holderKey(claims: Json): Json {
  const { cnf } = claims
  if (cnf === undefined) throw refuse('no_key', 'The credential names no key of a holder: it has no cnf.')
  const jwk = isObject(cnf) ? cnf.jwk : undefined
  if (!isObject(jwk)) throw refuse('key_unsupported', 'The cnf of the credential has no jwk.')
  return jwk
}

function keyOf(claims: Json) {
  try {
    return keyOfJwk(holderKey(claims))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw refuse('key_unsupported', `The key in the cnf of the credential cannot be used: ${error.message}`)
  }
}

const seconds = (value: unknown, name: string): Date => {
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw refuse(`${name}_form`, `The ${name} of the key binding is no number of seconds.`)
  return momentOfSeconds(value)
}

function checkTimes({ iat, exp, nbf }: Json, maxAgeSeconds: number, clock: Clock): void {
  const issued = seconds(iat, 'iat')
  if (isToCome(issued, clock)) throw refuse('iat_future', 'The key binding was made in the future.')
  if (hasCome(new Date(issued.getTime() + maxAgeSeconds * 1_000), clock))
    throw refuse('iat_old', `The key binding is older than ${maxAgeSeconds} seconds.`)
  if (exp !== undefined && hasCome(seconds(exp, 'exp'), clock)) throw refuse('expired', 'The key binding has expired.')
  if (nbf !== undefined && isToCome(seconds(nbf, 'nbf'), clock))
    throw refuse('not_yet_valid', 'The key binding is not valid yet.')
}

/** Verifies the key binding of a presentation (RFC 9901, section 7.3, step 5). Throws `Faulty`. */
export function verifyKeyBinding(
  { keyBinding, presented, algorithm }: Pick<ReadSdJwt, 'keyBinding' | 'presented' | 'algorithm'>,
  claims: Json,
  { nonce, audience, maxAgeSeconds = MAX_AGE_SECONDS }: KeyBindingSession,
  clock: Clock,
): void {
  if (!keyBinding) throw refuse('missing', 'The presentation has no key binding.')
  const { header, payload } = keyBinding
  if (header.typ !== KEY_BINDING_TYPE) throw refuse('typ', `The typ of the key binding is not ${KEY_BINDING_TYPE}.`)
  if (header.crit !== undefined) throw refuse('crit', 'The key binding has critical parameters.')
  checkSignature(keyBinding, claims)
  if (payload.nonce !== nonce) throw refuse('nonce', 'The nonce of the key binding is not the one that was expected.')
  const { aud } = payload
  if (typeof aud !== 'string' || ![audience].flat().includes(aud))
    throw refuse('aud', 'The aud of the key binding is not this verifier.')
  checkTimes(payload, maxAgeSeconds, clock)
  if (payload.sd_hash !== digestOf(presented, algorithm))
    throw refuse('sd_hash', 'The sd_hash of the key binding is not that of this presentation.')
}

function checkSignature(keyBinding: ReadJwt, claims: Json): void {
  if (!VERIFIED_ALGORITHMS.includes(String(keyBinding.header.alg)))
    throw refuse('alg', `The alg of the key binding is none of ${VERIFIED_ALGORITHMS.join(', ')}.`)
  const fault = signatureFault(keyBinding, keyOf(claims))
  if (fault === 'key_unfit')
    throw refuse('alg_of_other_key', "The alg of the key binding is not that of the holder's key.")
  if (fault) throw refuse('signature', 'The signature of the key binding is not one of the holder.')
}

/** Adds a key binding to a presentation that ends with a tilde (section 4.3). `sign` takes the bytes that are signed. */
export async function addKeyBinding(
  presented: string,
  {
    alg,
    nonce,
    audience,
    issuedAt,
    algorithm,
    claims = {},
  }: {
    alg: JwsHeader['alg']
    nonce: string
    audience: string
    issuedAt: Date
    algorithm: HashAlgorithm
    /** Further claims, such as those of transaction data. */
    claims?: Json
  },
  sign: (input: Uint8Array) => Promise<Uint8Array>,
): Promise<string> {
  const payload = {
    ...claims,
    iat: Math.floor(issuedAt.getTime() / 1_000),
    aud: audience,
    nonce,
    sd_hash: digestOf(presented, algorithm),
  }
  return `${presented}${await signCompactJws({ alg, typ: KEY_BINDING_TYPE }, payload, sign)}`
}
