import type { KeyObject } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose'
import type { Json } from '../../../json.ts'
import { type Certificate, fingerprintOf } from '../../../mobile-credentials/certificates.read.ts'
import { Faulty } from '../../../sd-jwt-credentials/faults.ts'
import { verifyChain } from '../../../sd-jwt-credentials/x5c.ts'
import { SIGNING_ALGORITHMS } from '../authorization/dpop.ts'
import { keyOfJwk, type TrustedProvider } from './providers.ts'

/** An attestation that is not what it has to be; `rule` is a code, `expected` a sentence without values of it. */
export class BadAttestation extends Error {
  override readonly name = 'BadAttestation'
  readonly rule: string
  readonly expected: string

  constructor(rule: string, expected: string, cause?: unknown) {
    super(expected, { cause })
    this.rule = rule
    this.expected = expected
  }
}

export interface AttestationRules {
  providers: readonly TrustedProvider[]
  /** Keys come in certificates that somebody else has issued, without the trust anchor (HAIP 1.0, sections 4.4.1 and 4.5.1). */
  requiresCertificate: boolean
  now: Date
  toleranceMs: number
}

/** A key of a provider that the tenant trusts. */
export interface TrustedKey {
  provider: TrustedProvider
  publicKey: KeyObject
}

export interface VerifiedAttestation {
  payload: JWTPayload
  provider: TrustedProvider
}

const MAX_CHAIN = 5
/** Of one certificate in base64. */
const MAX_CERTIFICATE = 8_192
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

const untrusted = (cause?: unknown) =>
  new BadAttestation('trust', 'expected the signature of a wallet provider that the issuer trusts', cause)

/** The certificates of an `x5c` in DER; undefined for what is none, or too long. */
export function chainIn(x5c: unknown): Uint8Array[] | undefined {
  const isChain =
    Array.isArray(x5c) &&
    x5c.length > 0 &&
    x5c.length <= MAX_CHAIN &&
    x5c.every((each) => typeof each === 'string' && each.length <= MAX_CERTIFICATE && BASE64.test(each))
  return isChain ? x5c.map((each: string) => new Uint8Array(Buffer.from(each, 'base64'))) : undefined
}

/**
 * What the profile adds to the chain: nobody vouches for itself, and the anchor is the verifier's own. The first certificate is
 * the signer's, without which nobody has its key: it may be what the tenant trusts.
 */
function checkProfile(chain: readonly Uint8Array[], leaf: Certificate, anchors: readonly Certificate[]): void {
  const known = new Set(anchors.map(({ fingerprint }) => fingerprint))
  if (leaf.subjectName === leaf.issuerName)
    throw new BadAttestation('x5c', 'expected a certificate that has not signed itself')
  if (chain.slice(1).some((each) => known.has(fingerprintOf(each))))
    throw new BadAttestation('x5c', 'expected an x5c without the certificate of the trust anchor')
}

function byCertificate(x5c: unknown, rules: AttestationRules): TrustedKey {
  const chain = chainIn(x5c)
  if (!chain) throw new BadAttestation('x5c', `expected 1 to ${MAX_CHAIN} certificates in base64 as x5c`)
  const anchors = rules.providers.flatMap((provider) =>
    provider.certificates.map((certificate) => ({ provider, certificate })),
  )
  const trusted = anchors.map(({ certificate }) => certificate)
  try {
    const { leaf, anchor } = verifyChain(chain, {
      ...{ now: rules.now, toleranceMs: rules.toleranceMs, trusted },
      isRevoked: () => false,
      isForPurpose: () => true,
    })
    const provider = anchors.find(({ certificate }) => certificate.fingerprint === anchor.fingerprint)?.provider
    if (!provider) throw untrusted()
    if (rules.requiresCertificate) checkProfile(chain, leaf, trusted)
    return { provider, publicKey: leaf.publicKey }
  } catch (error) {
    throw error instanceof Faulty ? untrusted(error) : error
  }
}

function byKey(kid: unknown, { providers, requiresCertificate }: AttestationRules): TrustedKey {
  if (requiresCertificate) throw new BadAttestation('x5c', 'expected the certificate of its signer as x5c')
  for (const provider of providers) {
    const jwk = provider.keys.find((each) => each.kid === kid)
    const publicKey = jwk && keyOfJwk(jwk)
    if (publicKey) return { provider, publicKey }
  }
  throw untrusted()
}

/** The key that a header names. Throws `BadAttestation`. */
export function trustedKey({ kid, x5c, ...header }: Json, rules: AttestationRules): TrustedKey {
  // a key that the attestation brings itself proves nothing
  if ((['jwk', 'jku', 'x5u', 'crit'] as const).some((name) => header[name] !== undefined))
    throw new BadAttestation('header', 'expected its key by x5c or kid, and no critical parameters')
  if (x5c !== undefined) return byCertificate(x5c, rules)
  if (typeof kid !== 'string') throw new BadAttestation('header', 'expected its key by x5c or kid')
  return byKey(kid, rules)
}

const isOfAnother = ({ issuer }: TrustedProvider, iss: unknown): boolean =>
  issuer !== undefined && iss !== undefined && iss !== issuer

/**
 * Who may have signed it: those that have a key of its kid, each by itself, or else all of them together. Providers of another
 * issuer than the one that is named come last, for two of them may have one authority.
 */
function signersOf(jwt: string, providers: readonly TrustedProvider[]): readonly (readonly TrustedProvider[])[] {
  let iss: unknown
  let kid: unknown
  try {
    iss = decodeJwt(jwt).iss
    const header = decodeProtectedHeader(jwt)
    if (header.x5c === undefined) kid = header.kid
  } catch {
    return [providers] // no JWT, which its verification says
  }
  const others = new Set(providers.filter((provider) => isOfAnother(provider, iss)))
  const ordered = [...providers.filter((each) => !others.has(each)), ...others]
  const named = kid === undefined ? [] : ordered.filter(({ keys }) => keys.some((each) => each.kid === kid))
  return named.length > 1 ? named.map((each) => [each]) : [ordered]
}

async function verifyBy(
  jwt: string,
  typ: string,
  rules: AttestationRules,
  algorithms: readonly string[],
): Promise<VerifiedAttestation> {
  const found: TrustedProvider[] = []
  try {
    const { payload } = await jwtVerify(
      jwt,
      (header) => {
        const { provider, publicKey } = trustedKey({ ...header }, rules)
        found.push(provider)
        return publicKey
      },
      {
        ...{ algorithms: [...algorithms], typ },
        ...{ clockTolerance: rules.toleranceMs / 1000, currentDate: rules.now },
      },
    )
    const [provider] = found
    if (!provider) throw untrusted()
    if (isOfAnother(provider, payload.iss))
      throw new BadAttestation('iss', 'expected the issuer of the wallet provider as iss')
    return { payload, provider }
  } catch (error) {
    if (error instanceof BadAttestation) throw error
    const claim = error instanceof Error && 'claim' in error ? String(error.claim).slice(0, 20) : 'jwt'
    throw new BadAttestation(
      claim,
      `expected a JWT of the type ${typ} by ${algorithms.join(', ')}, signed by its key, that is good now`,
      error,
    )
  }
}

/**
 * Verifies that a wallet provider that the tenant trusts has signed a JWT of this type, and that it is good now. What it says
 * is the caller's to read. Throws `BadAttestation`.
 */
export async function verifySigned(
  jwt: string,
  {
    typ,
    maxLength,
    algorithms = SIGNING_ALGORITHMS,
  }: { typ: string; maxLength: number; algorithms?: readonly string[] },
  rules: AttestationRules,
): Promise<VerifiedAttestation> {
  if (jwt.length > maxLength) throw new BadAttestation('length', `expected at most ${maxLength} characters`)
  const faults: unknown[] = []
  for (const providers of signersOf(jwt, rules.providers)) {
    try {
      return await verifyBy(jwt, typ, { ...rules, providers }, algorithms)
    } catch (error) {
      faults.push(error)
    }
  }
  throw faults[0]
}
