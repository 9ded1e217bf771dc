import { calculateJwkThumbprint, decodeJwt, importJWK, type JWTPayload, jwtVerify } from 'jose'
import { fromJwk, isPrivateJwk, type PublicJwk } from '../../../dids/jwk.ts'
import { Refusal } from '../../../errors.ts'
import { isObject } from '../../../json.ts'
import { invalidClient } from '../authorization/assertions.ts'
import { SIGNING_ALGORITHMS } from '../authorization/dpop.ts'
import { CLIENT_ID } from '../authorization/types.ts'
import { type TrustedProvider, vouchesFor } from './providers.ts'
import { type AttestationRules, BadAttestation, verifySigned } from './signed.ts'

const ATTESTATION_TYPE = 'oauth-client-attestation+jwt'
const PROOF_TYPE = 'oauth-client-attestation-pop+jwt'

const MAX_ATTESTATION = 16 * 1024
const MAX_PROOF = 4 * 1024
const MAX_JTI = 200
/** Age of a proof at most: its challenge does not live longer. */
const MAX_AGE_SECONDS = 300

/** The headers of a wallet that its maker vouches for. */
export interface SentAttestation {
  attestation: string
  proof: string
}

/** An attestation and its proof of possession (draft-ietf-oauth-attestation-based-client-auth-11). */
export interface WalletAttestation {
  clientId: string
  /** Thumbprint of the key of the wallet's instance. */
  jkt: string
  jti: string
  /** Of the issuer; absent: the wallet does not know one yet. */
  challenge?: string
  /** Where the attestation's status is, if it has one; not looked at yet. */
  status: unknown
  provider: Awaited<ReturnType<typeof verifySigned>>['provider']
}

const HEADERS = ['OAuth-Client-Attestation', 'OAuth-Client-Attestation-PoP'] as const

/** A refusal that names the header. */
const refuse = (header: (typeof HEADERS)[number], rule: string, message: string, cause?: unknown): Refusal =>
  new Refusal(
    'wallet.invalid_client',
    `The header ${header} is not valid: ${message}.`,
    [{ path: header, code: rule, message }],
    { cause },
  )

/** Both headers or none (section 5). Throws `wallet.invalid_client`. */
export function readAttestation(attestation: unknown, proof: unknown): SentAttestation | undefined {
  if (attestation === undefined && proof === undefined) return undefined
  if (typeof attestation === 'string' && typeof proof === 'string') return { attestation, proof }
  throw invalidClient(`Send both headers, ${HEADERS.join(' and ')}, each once.`)
}

async function instanceKey(cnf: unknown): Promise<{ jwk: PublicJwk; jkt: string }> {
  const jwk = isObject(cnf) ? cnf.jwk : undefined
  const expected = 'expected the public key of the instance as cnf.jwk'
  if (!isObject(jwk) || isPrivateJwk(jwk)) throw refuse(HEADERS[0], 'cnf', expected)
  const { kty, crv, x, y } = jwk as PublicJwk
  const own = { kty, ...(crv !== undefined && { crv }), ...(x !== undefined && { x }), ...(y !== undefined && { y }) }
  try {
    fromJwk(own)
    return { jwk: own, jkt: await calculateJwkThumbprint(own) }
  } catch (error) {
    throw refuse(HEADERS[0], 'cnf', expected, error)
  }
}

async function verifyProof(
  proof: string,
  jwk: PublicJwk,
  clientId: string,
  { audience, now, toleranceMs }: { audience: string } & Pick<AttestationRules, 'now' | 'toleranceMs'>,
): Promise<{ jti: string; challenge?: string }> {
  const at = (rule: string, message: string, cause?: unknown) => refuse(HEADERS[1], rule, message, cause)
  if (proof.length > MAX_PROOF) throw at('length', `expected at most ${MAX_PROOF} characters`)
  let payload: JWTPayload
  try {
    const verified = await jwtVerify(proof, async (header) => importJWK(jwk, header.alg), {
      ...{ algorithms: [...SIGNING_ALGORITHMS], typ: PROOF_TYPE, audience },
      ...{ requiredClaims: ['iat', 'jti', 'aud'], maxTokenAge: MAX_AGE_SECONDS },
      ...{ clockTolerance: toleranceMs / 1000, currentDate: now },
    })
    payload = verified.payload
  } catch (error) {
    const claim = error instanceof Error && 'claim' in error ? String(error.claim).slice(0, 20) : 'jwt'
    throw at(
      claim,
      `expected a new JWT of the type ${PROOF_TYPE} for this issuer, signed by the key in cnf of the attestation`,
      error,
    )
  }
  const { aud, iss, jti, challenge } = payload
  if (typeof aud !== 'string') throw at('aud', 'expected only the issuer as aud')
  // drafts had it; what it says has to be right
  if (iss !== undefined && iss !== clientId) throw at('iss', 'expected the sub of the attestation as iss, or no iss')
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI)
    throw at('jti', `expected a jti of 1 to ${MAX_JTI} characters`)
  if (challenge !== undefined && typeof challenge !== 'string') throw at('challenge', 'expected a text as challenge')
  return { jti, ...(challenge !== undefined && { challenge }) }
}

/** Providers that may vouch for the wallet come first: two of them may have one authority, each with wallets of its own. */
function inOrder(attestation: string, providers: readonly TrustedProvider[]): TrustedProvider[] {
  let clientId: unknown
  try {
    clientId = decodeJwt(attestation).sub
  } catch {
    return [...providers] // no JWT, which its verification says
  }
  const isFor = (provider: TrustedProvider) => vouchesFor(provider, clientId)
  return [...providers.filter(isFor), ...providers.filter((provider) => !isFor(provider))]
}

/**
 * Verifies both headers (section 7). Whether the challenge is the issuer's, the jti was not used, and what the status says, is
 * the caller's to find out. Throws `wallet.invalid_client`.
 */
export async function verifyWalletAttestation(
  { attestation, proof }: SentAttestation,
  { audience, ...rules }: AttestationRules & { audience: string },
): Promise<WalletAttestation> {
  try {
    const isShort = attestation.length <= MAX_ATTESTATION
    const { payload, provider } = await verifySigned(
      attestation,
      { typ: ATTESTATION_TYPE, maxLength: MAX_ATTESTATION },
      { ...rules, providers: isShort ? inOrder(attestation, rules.providers) : rules.providers },
    )
    const { sub, exp, cnf, status } = payload
    if (typeof sub !== 'string' || !CLIENT_ID.test(sub))
      throw new BadAttestation('sub', 'expected the client_id of the wallet as sub')
    if (!vouchesFor(provider, sub))
      throw new BadAttestation(
        'sub',
        'expected as sub a client id that the issuer has registered of this wallet provider',
      )
    if (exp === undefined) throw new BadAttestation('exp', 'expected an exp')
    const { jwk, jkt } = await instanceKey(cnf)
    return { clientId: sub, jkt, ...(await verifyProof(proof, jwk, sub, { audience, ...rules })), status, provider }
  } catch (error) {
    if (!(error instanceof BadAttestation)) throw error
    throw refuse(HEADERS[0], error.rule, error.expected, error)
  }
}
