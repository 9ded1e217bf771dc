import type { KeyRequirements } from '../../../credentials/key-attestations.ts'
import type { Holder } from '../../../credentials/wallets.ts'
import { fromJwk, isPrivateJwk, type PublicJwk } from '../../../dids/jwk.ts'
import { didKeyOf } from '../../../dids/key.ts'
import { isObject } from '../../../json.ts'
import { confirmationOf } from '../../../sd-jwt-credentials/keys.ts'
import { isToCome, momentOfSeconds } from '../../../time.ts'
import { SIGNING_ALGORITHMS } from '../authorization/dpop.ts'
import { PROOF_ALGORITHMS } from '../proofs.ts'
import type { TrustedProvider } from './providers.ts'
import { type AttestationRules, BadAttestation, verifySigned } from './signed.ts'

export const KEY_ATTESTATION_TYPE = 'key-attestation+jwt'
/** Twenty keys, a chain of certificates, and a status. */
const MAX_JWT = 64 * 1024
const MAX_VALUES = 20

/** Algorithms of a proof by their types, which its key attestations have as well (OpenID4VCI 1.0, appendix F). */
export const ATTESTATION_ALGORITHMS = { jwt: PROOF_ALGORITHMS, attestation: SIGNING_ALGORITHMS } as const

/**
 * What counts for a credential: the levels that its template names stand in the place of the tenant's, because wallets read
 * one list of each kind in its metadata (D-980).
 */
export function requirementsFor<Policy extends KeyRequirements & { requiresKeyAttestation: boolean }>(
  policy: Policy,
  own: KeyRequirements | undefined,
): Policy {
  if (!own) return policy
  const { keyStorage, userAuthentication } = own
  return {
    ...policy,
    requiresKeyAttestation: true,
    ...(keyStorage.length > 0 && { keyStorage }),
    ...(userAuthentication.length > 0 && { userAuthentication }),
  }
}

/** What an attestation has to assert, as a part of a sentence. */
export const assertedLevels = ({ keyStorage, userAuthentication }: KeyRequirements): string =>
  [
    ...(keyStorage.length > 0 ? [` with key_storage of ${keyStorage.join(' or ')}`] : []),
    ...(userAuthentication.length > 0 ? [` with user_authentication of ${userAuthentication.join(' or ')}`] : []),
  ].join(' and')

export interface KeyAttestationRules extends AttestationRules, KeyRequirements {
  /** Which kind of proof it is, or comes with: with one of the type `jwt` the keys end at a time (appendix D.1). */
  proofType: 'jwt' | 'attestation'
  /** Keys at most. */
  batchSize: number
}

export interface KeyAttestation {
  holders: Holder[]
  /** What its maker calls each key (`kid` of the JWK); undefined where it has no name. */
  names: (string | undefined)[]
  /** The nonce of the issuer that it was made for. */
  nonce: string
  /** Where its status is, if it has one; not looked at yet. */
  status: unknown
  provider: TrustedProvider
}

/** Curves of device and holder keys. */
const KEYS: readonly string[] = ['EC P-256', 'OKP Ed25519']

function holderOf(jwk: unknown): Holder {
  const expected = new BadAttestation('attested_keys', 'expected public keys of P-256 or Ed25519 as attested_keys')
  if (!isObject(jwk) || isPrivateJwk(jwk) || !KEYS.includes(`${jwk.kty} ${jwk.crv}`)) throw expected
  const { jwk: own } = confirmationOf(jwk as PublicJwk)
  try {
    const { keyType, publicKey } = fromJwk(own)
    return { jwk: own, did: didKeyOf(keyType, publicKey) }
  } catch (error) {
    throw new BadAttestation(expected.rule, expected.expected, error)
  }
}

/** Counted before one is read: a thousand cost nothing. */
function holdersOf(keys: unknown, batchSize: number): Holder[] {
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > batchSize)
    throw new BadAttestation('attested_keys', `expected 1 to ${batchSize} attested_keys`)
  const holders = keys.map(holderOf)
  if (new Set(holders.map(({ did }) => did)).size < holders.length)
    throw new BadAttestation('attested_keys', 'expected each of attested_keys once')
  return holders
}

const namesOf = (keys: unknown): (string | undefined)[] =>
  Array.isArray(keys) ? keys.map((key) => (isObject(key) && typeof key.kid === 'string' ? key.kid : undefined)) : []

const INDEX = /^(?:0|[1-9]\d{0,3})$/

/**
 * The key that the `kid` of a proof means: the one of this name, or at this index (OpenID4VCI 1.0, appendix F.1, whose example
 * has `0`). Undefined where there is none, or where two have the name.
 */
export function attestedKey({ holders, names }: KeyAttestation, kid: string): Holder | undefined {
  const named = holders.filter((_, place) => names[place] === kid)
  if (named.length > 0) return named.length === 1 ? named[0] : undefined
  return INDEX.test(kid) ? holders[Number(kid)] : undefined
}

/** Whether one of the values that it asserts is one of those that are accepted. */
function checkLevel(name: 'key_storage' | 'user_authentication', asserted: unknown, accepted: readonly string[]): void {
  if (asserted !== undefined && !(Array.isArray(asserted) && asserted.length > 0 && asserted.length <= MAX_VALUES))
    throw new BadAttestation(name, `expected 1 to ${MAX_VALUES} values as ${name}`)
  if (accepted.length === 0) return
  if (!asserted?.some((each: unknown) => typeof each === 'string' && accepted.includes(each)))
    throw new BadAttestation(name, `expected as ${name} one of ${accepted.join(', ')}`)
}

/**
 * Verifies a key attestation (OpenID4VCI 1.0, appendix D.1). Whether its nonce is the issuer's, and what its status says, is
 * the caller's to find out. Throws `BadAttestation`.
 */
export async function verifyKeyAttestation(jwt: string, rules: KeyAttestationRules): Promise<KeyAttestation> {
  // those that the metadata names for this type of proof (appendices F.1 and F.3)
  const algorithms = ATTESTATION_ALGORITHMS[rules.proofType]
  const form = { typ: KEY_ATTESTATION_TYPE, maxLength: MAX_JWT, algorithms }
  const { payload, provider } = await verifySigned(jwt, form, rules)
  const { iat, exp, nonce, attested_keys: keys, key_storage: storage, user_authentication: user, status } = payload
  if (typeof iat !== 'number' || isToCome(momentOfSeconds(iat), rules))
    throw new BadAttestation('iat', 'expected an iat that is not in the future')
  if (rules.proofType === 'jwt' && exp === undefined) throw new BadAttestation('exp', 'expected an exp')
  if (typeof nonce !== 'string') throw new BadAttestation('nonce', 'expected a nonce of the nonce endpoint')
  checkLevel('key_storage', storage, rules.keyStorage)
  checkLevel('user_authentication', user, rules.userAuthentication)
  return { holders: holdersOf(keys, rules.batchSize), names: namesOf(keys), nonce, status, provider }
}
