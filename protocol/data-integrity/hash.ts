import serialize from 'canonicalize'
import { fromBase64url } from '../base64url.ts'
import { CONTEXT } from '../contexts/index.ts'
import { Refusal } from '../errors.ts'
import type { Json } from '../json.ts'
import { type CanonizeOptions, canonizePlain, canonizeProofOptions, type Digest, hash } from './canonize.ts'

export type { Json }

/** The steps from a document to the signed bytes (VC Data Integrity EdDSA 1.0, sections 3.3.3 and 3.3.4). */
export interface HashData {
  canonicalDocument: string
  canonicalProofOptions: string
  /** Hash of the proof options, then hash of the document. */
  bytes: Uint8Array
}

const PROOF_CONTEXTS: string[] = [
  CONTEXT.credentialsV2,
  CONTEXT.dataIntegrityV2,
  'https://w3id.org/security/data-integrity/v1',
]

const asArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value])

/** The document's contexts, with that of Data Integrity if they do not define its terms. */
function proofContext(document: Json, proof: Json): unknown[] {
  const contexts = asArray(proof['@context'] ?? document['@context'])
  const defined = proof.type !== 'DataIntegrityProof' || contexts.some((url) => PROOF_CONTEXTS.includes(String(url)))
  return defined ? contexts : [...contexts, CONTEXT.dataIntegrityV2]
}

/** P-384 hashes with SHA-384, every other key with SHA-256 (VC Data Integrity ECDSA 1.0, section 3.2). */
export const digestOf = (keyType: string | undefined): Digest => (keyType === 'p384' ? 'sha384' : 'sha256')

/**
 * Canonicalises and hashes a document without its proof and the proof without its signature. All suites but BBS sign
 * these bytes; P-384 hashes with SHA-384 (VC Data Integrity ECDSA 1.0, section 3.2), everything else with SHA-256.
 */
export async function hashData(document: Json, proof: Json, options: CanonizeOptions): Promise<HashData> {
  const { proofValue: _value, jws: _jws, signatureValue: _signature, ...configuration } = proof
  const withContext = { ...configuration, '@context': proofContext(document, proof) }
  const digest: Digest = options.digest ?? 'sha256'
  const [canonicalDocument, canonicalProofOptions] = await Promise.all([
    canonizePlain(document, options),
    canonizeProofOptions(withContext, options),
  ])
  const bytes = Buffer.concat([hash(digest, canonicalProofOptions), hash(digest, canonicalDocument)])
  return { canonicalDocument, canonicalProofOptions, bytes }
}

/** JSON Canonicalization Scheme (RFC 8785). Throws `Refusal('credential.unprocessable')` for what it has no form for. */
function jcs(value: unknown): string {
  try {
    const text = serialize(value)
    if (text !== undefined) return text
  } catch {
    // a number that JSON does not have, or a cycle: neither comes from JSON
  }
  throw new Refusal('credential.unprocessable', 'The document has a value that is not JSON.')
}

/**
 * Whether the contexts of a proof that signs the JSON itself are those of its document (VC Data Integrity EdDSA 1.0,
 * section 3.3.2). Those of the document are not covered by the signature where the proof has its own: a holder could
 * append one that gives the members another meaning, so all of them must be the same (D-870).
 */
export const sameContexts = (document: Json, proof: Json): boolean =>
  proof['@context'] === undefined || jcs(asArray(document['@context'])) === jcs(asArray(proof['@context']))

/**
 * Like `hashData`, of the suites that sign the JSON itself and not its statements (VC Data Integrity EdDSA 1.0, section
 * 3.3; ECDSA 1.0, section 3.3). The proof has the contexts of the document.
 */
export function hashJson(document: Json, proof: Json, digest: Digest = 'sha256'): HashData {
  const { proofValue: _value, ...configuration } = proof
  const context = proof['@context']
  const canonicalDocument = jcs(context === undefined ? document : { ...document, '@context': context })
  const canonicalProofOptions = jcs(configuration)
  const bytes = Buffer.concat([hash(digest, canonicalProofOptions), hash(digest, canonicalDocument)])
  return { canonicalDocument, canonicalProofOptions, bytes }
}

const JWS_HEADER = Buffer.from('{"alg":"EdDSA","b64":false,"crit":["b64"]}').toString('base64url')

/** Detached JWS of Ed25519Signature2018: the payload is signed unencoded and omitted (RFC 7797, section 3). */
export const jwsInput = (bytes: Uint8Array, header = JWS_HEADER): Uint8Array =>
  Buffer.concat([Buffer.from(`${header}.`), bytes])

export const detachedJws = (signature: Uint8Array): string =>
  `${JWS_HEADER}..${Buffer.from(signature).toString('base64url')}`

/** Splits a detached JWS; undefined when it is not exactly alg EdDSA, b64 false and crit b64, or not strict base64url. */
export function parseDetachedJws(jws: unknown): { header: string; signature: Uint8Array } | undefined {
  const parts = typeof jws === 'string' && jws.length < 1000 ? jws.split('.') : []
  const [header, payload] = parts
  const [encodedHeader, , signature] = parts.map(fromBase64url)
  if (header === undefined || payload !== '' || parts.length !== 3 || !encodedHeader || !signature) return undefined
  let members: unknown
  try {
    members = JSON.parse(Buffer.from(encodedHeader).toString())
  } catch {
    return undefined
  }
  const { alg, b64, crit, ...more } = Object(members) as Json
  const expected = alg === 'EdDSA' && b64 === false && Array.isArray(crit) && crit.length === 1 && crit[0] === 'b64'
  const allowed = Object.keys(more).every((name) => name === 'kid' || name === 'typ')
  return expected && allowed ? { header, signature } : undefined
}
