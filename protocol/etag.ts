import { createHash } from 'node:crypto'

/** A strong tag of a JSON text (RFC 9110 section 8.8.3). */
export const etagOf = (text: string): string => `"${createHash('sha256').update(text).digest('base64url')}"`

/** Whether the client has the current version; weak comparison, as for conditional reads (RFC 9110 section 13.1.2). */
export function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const strong = (tag: string) => tag.trim().replace(/^W\//, '')
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => strong(tag) === strong(etag))
}
