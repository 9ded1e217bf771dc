import { HOUR_MS } from '../time.ts'
import { recordNames } from './names.ts'

/** What DNS has at one name: the texts of its TXT records; undefined: no answer. */
export interface RecordAnswer {
  name: string
  texts: readonly string[] | undefined
}

/** Why a domain is not verified: a stable code, and a sentence for people. */
export interface Fault {
  code: string
  reason: string
}

export const PENDING: Fault = {
  code: 'domain.check_pending',
  reason: 'The platform has not looked for the TXT record yet.',
}

export const TAKEN: Fault = {
  code: 'domain.taken',
  reason: 'The TXT record is there, but the domain is verified already by another owner.',
}

export const RECORD_MISSING = 'domain.record_missing'
export const DNS_UNANSWERED = 'domain.dns_unanswered'

/** Texts shown of one name, and characters of one text: enough to recognise a mistake. */
const SHOWN_TEXTS = 5
const SHOWN_CHARACTERS = 80

/** Some pages for DNS records take quotes literally. */
const bare = (text: string) =>
  text
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim()

const shown = (text: string) =>
  JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text)

/** Says what DNS has at a name. */
export function describeAnswer({ name, texts }: RecordAnswer): string {
  if (texts === undefined) return `${name}: DNS did not answer`
  if (texts.length === 0) return `${name}: no TXT record`
  const list = texts.slice(0, SHOWN_TEXTS).map(shown).join(', ')
  const more = texts.length > SHOWN_TEXTS ? ` and ${texts.length - SHOWN_TEXTS} more` : ''
  return `${name}: none of its TXT records is the token: ${list}${more}`
}

/** Returns why the answers do not prove a domain; undefined: one of the records is the token. */
export function recordFault(domain: string, answers: readonly RecordAnswer[], token: string): Fault | undefined {
  if (answers.some(({ texts = [] }) => texts.some((text) => bare(text) === token))) return undefined
  const found = answers.map(describeAnswer).join('; ')
  // the name that did not answer may have the token
  if (answers.some(({ texts }) => texts === undefined))
    return { code: DNS_UNANSWERED, reason: `The TXT record could not be looked up. ${found}.` }
  const [here, below] = recordNames(domain)
  return {
    code: RECORD_MISSING,
    reason: `No TXT record at ${here} or ${below} is the verification token. ${found}.`,
  }
}

export interface DomainPatience {
  /** Seconds before the second look; the pauses double from there on. */
  checkSeconds: number
  /** Seconds for which a domain waits for its record, and for which a verified one may be without it. */
  patienceSeconds: number
  /** Seconds between two looks at a domain that is verified and has its record. */
  recheckSeconds: number
}

export interface Progress {
  isVerified: boolean
  /** When the domain began to wait for its record. */
  waitingSince: Date
  /** When the record of a verified domain was first missed. */
  missingSince: Date | null
}

export type NextStep =
  | { status: 'WAITING' | 'VERIFIED'; nextInMs: number; missingSince: Date | null }
  | { status: 'GIVEN_UP' }

/**
 * Returns what follows from a look (D-347). The pause is as long as the wait so far, so that pauses double and need no
 * counter: from `checkSeconds` up to an hour, and no longer than the patience lasts. A verified domain ends only after
 * DNS has denied its record for the whole patience; a look that DNS did not answer changes nothing.
 */
export function stepAfter(
  { isVerified, waitingSince, missingSince }: Progress,
  fault: Fault | undefined,
  now: Date,
  { checkSeconds, patienceSeconds, recheckSeconds }: DomainPatience,
): NextStep {
  const pause = (since: Date): number | undefined => {
    const elapsed = Math.max(0, now.getTime() - since.getTime())
    const left = patienceSeconds * 1000 - elapsed
    return left > 0 ? Math.min(Math.max(checkSeconds * 1000, elapsed), HOUR_MS, left) : undefined
  }
  if (!fault) return { status: 'VERIFIED', nextInMs: recheckSeconds * 1000, missingSince: null }
  if (!isVerified) {
    const nextInMs = pause(waitingSince)
    return nextInMs === undefined ? { status: 'GIVEN_UP' } : { status: 'WAITING', nextInMs, missingSince: null }
  }
  if (fault.code !== RECORD_MISSING)
    return { status: 'VERIFIED', nextInMs: Math.min(recheckSeconds * 1000, HOUR_MS), missingSince }
  const since = missingSince ?? now
  const nextInMs = pause(since)
  return nextInMs === undefined ? { status: 'GIVEN_UP' } : { status: 'VERIFIED', nextInMs, missingSince: since }
}
