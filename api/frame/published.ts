import type { Request } from 'express'
import { isFresh, isUnmodified, type Modified } from '../../protocol/etag.ts'

interface Published {
  etag: string
  modified?: Modified
  /** Default: verifiers ask again after 3 seconds. */
  cacheControl?: string
}

/**
 * Sets the headers of a public document. Returns whether the caller has its current version, so that the answer is 304:
 * by its tag, or where the caller sends none by the time of its last change (RFC 9110, section 13.2.2).
 */
export function isKnown(
  { headers, res }: Pick<Request, 'headers' | 'res'>,
  { etag, modified, cacheControl = 'public, max-age=3' }: Published,
): boolean {
  res?.set({
    ETag: etag,
    ...(modified && { 'Last-Modified': modified.at.toUTCString() }),
    'Cache-Control': cacheControl,
    // readers in a browser too (Fetch standard, CORS protocol)
    'Access-Control-Allow-Origin': '*',
  })
  const tags = headers['if-none-match']
  if (tags !== undefined || modified === undefined) return isFresh(tags, etag)
  return isUnmodified(headers['if-modified-since'], modified)
}
