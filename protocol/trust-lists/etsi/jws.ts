import type { KeyObject } from 'node:crypto'
import { compactVerify, errors } from 'jose'
import { parseForeignJson } from '../../json.depth.ts'
import { parseCompactJws } from '../../jws.ts'
import { authorityOf } from '../../mobile-credentials/authority.ts'
import { type Certificate, readCertificate } from '../../mobile-credentials/certificates.read.ts'
import { assertSigners, notSigned, refuseSignature, type Signers } from './signers.ts'

/** Of JAdES (ETSI TS 119 182-1): when the signer says that it signed. Nothing depends on it. */
const UNDERSTOOD = { sigT: true }

/** And what the library knows itself: whether the payload is in base64url (RFC 7797). */
const CRITICAL = [...Object.keys(UNDERSTOOD), 'b64']

/** One of 8 MB has some 6,000 certificates, each with ten values around it. */
const MAX_VALUES = 500_000

/** The keys of each, as node:crypto has them: a key of another kind, or curve, has not signed. */
const KEYS: Readonly<Record<string, string>> = {
  ...{ ES256: 'prime256v1', ES384: 'secp384r1', ES512: 'secp521r1', EdDSA: 'ed25519', Ed25519: 'ed25519' },
  ...{ RS256: 'rsa', RS384: 'rsa', RS512: 'rsa', PS256: 'rsa', PS384: 'rsa', PS512: 'rsa' },
}
const ALGORITHMS = Object.keys(KEYS)

const isOf = (algorithm: string, { asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean =>
  KEYS[algorithm] === (asymmetricKeyDetails?.namedCurve ?? asymmetricKeyType)

/** Of a value from outside, for a sentence. */
const nameOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 100) : 'none that is a text')

/** Throws `Refusal('trust_list.source_invalid')`. */
export const listJson = (bytes: Uint8Array): unknown =>
  parseForeignJson(bytes, { code: 'trust_list.source_invalid', maxValues: MAX_VALUES })

/** What can be said before a key is tried. */
function checkedHeader(text: string): { algorithm: string; named: Certificate | undefined } {
  const { header } = parseCompactJws(text) ?? {}
  if (!header)
    throw refuseSignature(
      text.startsWith('{')
        ? 'The list is JSON without a signature, and its source names signers: expected a compact JWS.'
        : 'The list is no compact JWS: expected three parts in base64url with dots in between, and a header in JSON.',
    )
  const { alg, crit = [], x5c } = header
  if (typeof alg !== 'string' || !ALGORITHMS.includes(alg))
    throw refuseSignature(
      `The algorithm of the signature is not taken: ${nameOf(alg)}. Expected one of ${ALGORITHMS.join(', ')}.`,
    )
  const unknown = (Array.isArray(crit) ? crit : [crit]).find((name) => !CRITICAL.includes(String(name)))
  if (unknown !== undefined)
    throw refuseSignature(
      `The signature has a critical header parameter that the platform does not know: ${nameOf(unknown)}.`,
    )
  const [first] = Array.isArray(x5c) ? x5c : []
  return {
    algorithm: alg,
    named: typeof first === 'string' ? readCertificate(Buffer.from(first, 'base64')) : undefined,
  }
}

/**
 * Verifies a compact JWS, such as a JAdES baseline signature, by one of these certificates: what certificates it names
 * itself says nothing. Returns what is signed, and the name of the key. Throws `Refusal('trust_list.source_signature')`,
 * and `trust_list.source_invalid` for what it signs.
 */
export async function verifiedJson(text: string, signers: Signers): Promise<{ content: unknown; signedBy: string }> {
  assertSigners(signers)
  const { algorithm, named } = checkedHeader(text)
  const keys = signers.valid.map(({ publicKey }) => publicKey).filter((key) => isOf(algorithm, key))
  if (keys.length === 0)
    throw refuseSignature(`The algorithm of the signature, ${algorithm}, is none of the keys of the signers.`)
  for (const publicKey of keys) {
    try {
      const { payload } = await compactVerify(text, publicKey, { algorithms: ALGORITHMS, crit: UNDERSTOOD })
      return { content: listJson(payload), signedBy: authorityOf({ publicKey }) }
    } catch (error) {
      // of another signer, or of a key that is too small (TypeError): the next one is tried
      if (!(error instanceof errors.JOSEError || error instanceof TypeError)) throw error
    }
  }
  throw notSigned(signers, named)
}
