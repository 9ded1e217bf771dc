import { createHash } from 'node:crypto'

/** A strong tag of a JSON text (RFC 9110 section 8.8.3). */
export const etagOf = (text: string): string => `"${createHash('sha256').update(text).digest('base64url')}"`

/** Whether the client has the current version; weak comparison, as for conditional reads (RFC 9110 section 13.1.2). */
export function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const strong = (tag: string) => tag.trim().replace(/^W\//, '')
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => strong(tag) === strong(etag))
}

/** When a document changed last, for readers that ask by time alone. */
export interface Modified {
  at: Date
  /** The change before that one: two changes of one second have one date, which then names neither. */
  before?: Date | undefined
}

const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1_000)

/** As HTTP has a date (RFC 9110 section 5.6.7), in each of its three forms; undefined for any other text. */
function secondsOfHttpDate(text: string): number | undefined {
  if (text.length > 64 || !/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined
  const date = new Date(text.endsWith(' GMT') ? text : `${text} GMT`)
  return Number.isNaN(date.getTime()) ? undefined : secondsOf(date)
}

/** Whether a document did not change since a date of the client's (RFC 9110 section 13.1.3). */
export function isUnmodified(ifModifiedSince: string | undefined, { at, before }: Modified): boolean {
  const since = ifModifiedSince === undefined ? undefined : secondsOfHttpDate(ifModifiedSince)
  if (since === undefined || since < secondsOf(at)) return false
  return since > secondsOf(at) || before === undefined || secondsOf(before) < secondsOf(at)
}
