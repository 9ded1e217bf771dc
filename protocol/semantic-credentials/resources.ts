import { base64url } from 'multiformats/bases/base64'
import { CONTEXT } from '../contexts/index.ts'
import type { Json } from '../data-integrity/index.ts'
import { tableOf } from '../names.ts'

/** Digests of resources that never change, in base64 (VC Data Model 2.0, appendix B.1; 1.1, appendix A.1). */
const PUBLISHED = tableOf({
  [CONTEXT.credentialsV2]: tableOf({
    sha256: 'JKGMkOmFbVJhEfKTduMC2XCyvRAYLjOVmZWwIH1wQ7k=',
    sha384: 'NSOcNpmdIVUxIJGvGUoe22FjTWrXiaXlsZ8q6912LdnR3KraQO2n75Ica4wK4Qeg',
  }),
  [CONTEXT.credentialsV1]: tableOf({
    sha256: 'q03dmlMXWIB6eaW0UFENYa6NFH6rlmzJogDAcJWwzcw=',
    sha384: 'gsOz6rhjdUu/0rnxfY1tufYRafMBy/CwXh/EvrX1xR3U0uiIwnT0nD+7JAj2H67R',
  }),
})

const SRI = /^(sha256|sha384|sha512)-([A-Za-z0-9+/_-]{43,88}={0,2})$/
const BYTES = tableOf({ sha256: 32, sha384: 48, sha512: 64 })
/** Multihash prefixes: SHA-256, SHA-384 and SHA-512 with their lengths (multicodec table). */
const MULTIHASHES = tableOf({ '1220': 'sha256', '2030': 'sha384', '1340': 'sha512' })

interface Digest {
  algorithm: string
  bytes: Buffer
}

/** Subresource Integrity, section 3.5, one hash; base64url is found in the wild. */
function readSri(text: string): Digest | undefined {
  const [, algorithm = '', encoded = ''] = SRI.exec(text) ?? []
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.length > 0 && bytes.length === BYTES.get(algorithm) ? { algorithm, bytes } : undefined
}

/** Multibase of a multihash, or of a bare SHA-256 as the data model's examples have it. */
function readMultibase(text: string): Digest | undefined {
  if (!/^u[\w-]{43,100}$/.test(text)) return undefined
  const bytes = Buffer.from(base64url.decode(text))
  const algorithm = MULTIHASHES.get(bytes.subarray(0, 2).toString('hex'))
  if (algorithm !== undefined && bytes.length === (BYTES.get(algorithm) ?? 0) + 2)
    return { algorithm, bytes: bytes.subarray(2) }
  return bytes.length === 32 ? { algorithm: 'sha256', bytes } : undefined
}

const READERS = { digestSRI: readSri, digestMultibase: readMultibase }

/**
 * What is wrong with the digests of one `relatedResource` (VC Data Model 2.0, section 5.3). Digests of resources that are
 * not known here are checked for their form alone: nothing is fetched.
 */
export function digestFaults(resource: Json): { member: string; message: string }[] {
  const given = Object.entries(READERS).filter(([member]) => resource[member] !== undefined)
  if (given.length === 0) return [{ member: 'digestSRI', message: 'or digestMultibase must be given' }]
  return given.flatMap(([member, read]) => {
    const text = resource[member]
    const digest = typeof text === 'string' && text.length <= 200 ? read(text) : undefined
    if (digest === undefined) return [{ member, message: 'must be a digest in SHA-256, SHA-384 or SHA-512' }]
    const published = PUBLISHED.get(String(resource.id))?.get(digest.algorithm)
    const differs = published !== undefined && !Buffer.from(published, 'base64').equals(digest.bytes)
    return differs ? [{ member, message: 'is not the digest of this resource' }] : []
  })
}
