import { createHash, timingSafeEqual } from 'node:crypto'
import { withoutPadding } from '../base64url.ts'

/** Hashes of integrity metadata, the strongest last (Subresource Integrity, section 3.2). */
const HASHES = ['sha256', 'sha384', 'sha512'] as const
type Hash = (typeof HASHES)[number]

const MAX_TEXT = 1_024
const EXPRESSION = /^(sha256|sha384|sha512)-([A-Za-z0-9+/_-]{43,88}={0,2})(?:\?[\x21-\x7e]*)?$/

interface Expression {
  hash: Hash
  digest: Buffer
}

const sizeOf = (hash: Hash): number => Number(hash.slice(3)) / 8

/** The expressions of hashes that are supported; those of others are not read. */
function expressionsOf(metadata: string): Expression[] {
  return metadata
    .trim()
    .split(/\s+/)
    .flatMap((text) => {
      const [, name, encoded = ''] = EXPRESSION.exec(text) ?? []
      const hash = HASHES.find((each) => each === name)
      const digest = Buffer.from(encoded, 'base64')
      const written = withoutPadding(encoded).replaceAll('-', '+').replaceAll('_', '/')
      const isExact = withoutPadding(digest.toString('base64')) === written
      return hash && isExact && digest.length === sizeOf(hash) ? [{ hash, digest }] : []
    })
}

/** Whether a value is integrity metadata with a hash that is supported. */
export const isIntegrity = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_TEXT && expressionsOf(value).length > 0

/** The integrity metadata of a document's bytes. */
export const integrityOf = (document: Uint8Array): string =>
  `sha256-${createHash('sha256').update(document).digest('base64')}`

/**
 * Whether a document has one of the digests of the strongest hash (draft-ietf-oauth-sd-jwt-vc-19, section 5). False for
 * metadata without a hash that is supported.
 */
export function matchesIntegrity(document: Uint8Array, metadata: string): boolean {
  const expressions = metadata.length > MAX_TEXT ? [] : expressionsOf(metadata)
  const strongest = HASHES.findLast((hash) => expressions.some((each) => each.hash === hash))
  if (!strongest) return false
  const digest = createHash(strongest).update(document).digest()
  return expressions.some((each) => each.hash === strongest && timingSafeEqual(each.digest, digest))
}
