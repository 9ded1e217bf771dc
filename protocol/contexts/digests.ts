import { hash } from 'node:crypto'
import { base58btc } from 'multiformats/bases/base58'
import { fromBase64url, withoutPadding } from '../base64url.ts'
import { isObject, type Json, listOf } from '../json.ts'
import { tableOf } from '../names.ts'
import { bundledContexts } from './bundled.ts'
import { CONTEXT } from './urls.ts'

/** A digest is over the bytes of a file, and an npm package keeps the content of a context in a layout of its own. */
interface Published {
  /** The layout with which the bundled content has the publisher's bytes; its digests are computed. */
  layout?: 'indented' | 'indented line'
  /** SHA-256, SHA-384 and SHA-512 of a file of another layout, in base64; D-236 says how they were obtained. */
  digests?: [sha256: string, sha384: string, sha512: string]
}

const PUBLISHED = tableOf<Published>({
  // Verifiable Credentials Data Model 2.0, appendix B.1, and the example of section 5.3
  [CONTEXT.credentialsV2]: {
    digests: [
      'WZVc7WaX1h4D8rJVb+vlMIqxaEKEb1tYbX8fet7JJzQ=',
      'l/HrjlBCNWyAX91hr6LFV2Y3heB5Tcr6IeE4/Tje8YyzYBM8IhqjHWiWpr8+ZbYU',
      'XVVFK9Lc+KKfWikEc+skKxxft31OaPGgqoe6pNuiaUhS1l7GPUisBKmdlW+fcVO5QG+E0tBMdIabAsI5odgTBQ==',
    ],
  },
  [CONTEXT.examplesV2]: { layout: 'indented line' },
  'https://www.w3.org/ns/credentials/undefined-terms/v2': { layout: 'indented line' },
  // Verifiable Credentials Data Model 1.1, appendix B.1
  [CONTEXT.credentialsV1]: {
    digests: [
      'q03dmlMXWIB6eaW0UFENYa6NFH6rlmzJogDAcJWwzcw=',
      'gsOz6rhjdUu/0rnxfY1tufYRafMBy/CwXh/EvrX1xR3U0uiIwnT0nD+7JAj2H67R',
      'U2pAs5DdqUqeORlsAAkPYmaOgYT+PIwCxKIshWZuaL9uhdPcfy26hbK2Lvldl94kEyVo2FBNtD8snILS6IQY0g==',
    ],
  },
  // Verifiable Credential Data Integrity 1.0, section 2.4
  [CONTEXT.dataIntegrityV2]: { layout: 'indented' },
  'https://w3id.org/security/data-integrity/v1': { layout: 'indented line' },
  'https://w3id.org/security/multikey/v1': {
    digests: [
      'uiwYLeLZL35HGEvMqPzwvq7m05hsUnv2ZMGVu8fFhZc=',
      'D6UWQdEvuMcBsuapSSVW8l0yu0r4SpbxGAjwpiO5ckNN0YqPHxhlvGjY7gRsTlo+',
      'En0TOOp/cC10XtW/aQDtqKrEQZ2lRjGB/KAsJ+BQhRBufT7s6eoOFWvP9cP5nurTl3hcRTvFeffdVJapkeELXw==',
    ],
  },
  // Bitstring Status List 1.0, section 5.2
  'https://www.w3.org/ns/credentials/status/v1': {
    digests: [
      '/aWt01MjHmpohKRrEubHVGQoGQDLNIKE2cNg9iOB2fc=',
      'rA74E4M+vWZrYXCmHFrazG19L1oEDRbCko6EFNT6B/ZNcDEwIeAr9Pl73RI+2ahO',
      '/yynZnuZA3O0axJTXmuN6OricBQyeHFa2TWxWSFlIeUUyxzNhRdBCiQpUn4k2PyW+I+Lc0iHomAubuB7g7Zv7Q==',
    ],
  },
  // the file of Decentralized Identifiers 1.0
  'https://www.w3.org/ns/did/v1': {
    digests: [
      'Tz6uVWjJxfA2oIIIj54ZIBnuBvqniXPIf/kdVCG4ja0=',
      'dfTez4F0pvLUDA3b2M37QwDq0kZttJMiWaSDpuEXdJMvFYgHhuH7wWxLOZ+Ykbkr',
      '7FUpU2fb467JAguIB9BZCnNdh83Ls1/wTvaFN6bQm+njweR86tdLhV01hPg61AjzTam5JWR+CElUqvf1SAeFjw==',
    ],
  },
})

const ALGORITHMS = ['sha256', 'sha384', 'sha512'] as const
type Algorithm = (typeof ALGORITHMS)[number]
/** The digest of a resource's bytes, in base64. */
export type DigestOf = (algorithm: Algorithm) => string

export const digestOfBytes =
  (bytes: string | Uint8Array): DigestOf =>
  (algorithm) =>
    hash(algorithm, bytes, 'base64')

function digestsOf(url: string, { layout, digests }: Published): DigestOf {
  const listed = digests ?? []
  if (layout === undefined) return (algorithm) => listed[ALGORITHMS.indexOf(algorithm)] ?? ''
  const text = JSON.stringify(bundledContexts.get(url), null, 2) + (layout === 'indented line' ? '\n' : '')
  const digestOf = digestOfBytes(text)
  const computed = new Map(ALGORITHMS.map((algorithm) => [algorithm, digestOf(algorithm)]))
  return (algorithm) => computed.get(algorithm) ?? ''
}

const known = new Map([...PUBLISHED].map(([url, published]) => [url, digestsOf(url, published)]))

/** Returns the digests of a bundled context's published file; undefined if they are not known. */
export const publishedDigests = (url: string): DigestOf | undefined => known.get(url)

interface Digest {
  algorithm: Algorithm
  bytes: Uint8Array
}

const SRI = /^(sha256|sha384|sha512)-([A-Za-z0-9+/_-]+={0,2})$/
const BYTES = tableOf<number>({ sha256: 32, sha384: 48, sha512: 64 })
/** Multihash prefixes: SHA-256, SHA-384 and SHA-512 with their lengths (multicodec table). */
const MULTIHASHES = tableOf<Algorithm>({ '1220': 'sha256', '2030': 'sha384', '1340': 'sha512' })

/** Subresource Integrity, section 3.5, one hash; some issuers use base64url. */
function readSri(text: string): Digest | undefined {
  const [, name, encoded = ''] = SRI.exec(text) ?? []
  const algorithm = ALGORITHMS.find((each) => each === name)
  const bytes = fromBase64url(withoutPadding(encoded).replaceAll('+', '-').replaceAll('/', '_'))
  return algorithm && bytes && bytes.length === BYTES.get(algorithm) ? { algorithm, bytes } : undefined
}

/** The two bases of multibase that Controlled Identifiers 1.0, section 2.4, lists. */
function decodeMultibase(text: string): Uint8Array | undefined {
  if (text.startsWith('u')) return fromBase64url(text.slice(1))
  return /^z[1-9A-HJ-NP-Za-km-z]{43,100}$/.test(text) ? base58btc.decode(text) : undefined
}

/** Multibase of a multihash (Data Integrity 1.0, section 2.6), or of a bare SHA-256 as drafts of the data model had. */
function readMultibase(text: string): Digest | undefined {
  const bytes = decodeMultibase(text)
  if (!bytes) return undefined
  const algorithm = MULTIHASHES.get(Buffer.from(bytes.subarray(0, 2)).toString('hex'))
  if (algorithm !== undefined && bytes.length === (BYTES.get(algorithm) ?? 0) + 2)
    return { algorithm, bytes: bytes.subarray(2) }
  return bytes.length === 32 ? { algorithm: 'sha256', bytes } : undefined
}

const READERS = { digestSRI: readSri, digestMultibase: readMultibase }
/** Digests of one resource at most, in each of the two members. */
const MAX_DIGESTS = 10

export interface DigestFault {
  member: string
  message: string
}

/**
 * Returns the errors in the digests of one `relatedResource` (VC Data Model 2.0, section 5.3): both members may have
 * one or more. Without `digestOf` only their form is checked.
 */
export function digestFaults(resource: Json, digestOf?: DigestOf): DigestFault[] {
  const readers = Object.entries(READERS).filter(([member]) => resource[member] !== undefined)
  if (readers.length === 0) return [{ member: 'digestSRI', message: 'or digestMultibase is required' }]
  return readers.flatMap(([member, read]) => {
    const texts = listOf(resource[member])
    if (texts.length === 0 || texts.length > MAX_DIGESTS)
      return [{ member, message: `must be one digest, or at most ${MAX_DIGESTS}` }]
    return texts.flatMap((text): DigestFault[] => {
      const digest = typeof text === 'string' && text.length <= 200 ? read(text) : undefined
      if (digest === undefined) return [{ member, message: 'must be a digest in SHA-256, SHA-384 or SHA-512' }]
      const differs =
        digestOf !== undefined && digestOf(digest.algorithm) !== Buffer.from(digest.bytes).toString('base64')
      return differs ? [{ member, message: 'is not the digest of this resource' }] : []
    })
  })
}

export interface RelatedResource {
  /** JSON pointer of its place. */
  path: string
  id: string
  resource: Json
}

/** The related resources of a credential whose published bytes are not known; `credentialErrors` checks the others. */
export function unknownResources({ relatedResource }: Json): RelatedResource[] {
  return listOf(relatedResource).flatMap((resource, index) => {
    const id = isObject(resource) ? resource.id : undefined
    if (!isObject(resource) || typeof id !== 'string' || known.has(id)) return []
    return [{ path: Array.isArray(relatedResource) ? `/relatedResource/${index}` : '/relatedResource', id, resource }]
  })
}
