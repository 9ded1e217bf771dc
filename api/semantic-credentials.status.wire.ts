import type { CredentialStatus } from '../activities/semantic-credentials.status.ts'
import { Refusal } from '../protocol/errors.ts'
import { momentOf } from '../protocol/semantic-credentials.dates.ts'
import type { PageQuery } from './pagination.ts'

/** {} */
// biome-ignore lint/complexity/noBannedTypes: tsoa turns an empty interface into the empty object schema
export type EmptyOut = {}

/** Named: of an inline type the validation takes time by the square of what a body holds. */
export interface RevocationIn {
  is_revoked: boolean
}

export interface SuspensionIn {
  is_suspended: boolean
}

/** May be empty. */
export interface NotificationIn {
  /**
   * DID of the tenant that signs the message; the credential's issuer unless told.
   * @maxLength 2048
   */
  from?: string
  /**
   * DIDs of subjects of the credential; all of them unless told.
   * @maxItems 100
   */
  to?: string[]
}

export interface StatusQuery {
  /** A time that has passed, e.g. 2027-01-31T09:30:00Z: the answer is what held then. */
  at?: string
}

export interface RevocationStatusOut {
  isRevoked: boolean
  /** Of credentials that may be suspended, and of every past time. */
  isSuspended?: boolean
  /** Of a past time, as the rest of the members. */
  at?: string
  /** Issued by then, within its dates, neither revoked nor suspended. */
  isValid?: boolean
  /** What spoke against it: NotYetValid, Expired, Revoked, Suspended. */
  reasons?: string[]
}

export interface StatusHistoryQuery extends PageQuery {}

interface StatusChangeOut {
  purpose: 'revocation' | 'suspension'
  /** From now on revoked or suspended; or no longer so. */
  value: boolean
  changed_at: string
  /** The request that asked for it, as in the log. */
  request_id?: string
}

export interface StatusHistoryOut {
  /** Newest first. */
  data: StatusChangeOut[]
  limit: number
  total_count: number
  total_pages: number
}

type Change = Awaited<ReturnType<CredentialStatus['listChanges']>>['changes'][number]

export const changeToWire = ({ purpose, value, changedAt, requestId }: Change): StatusChangeOut => ({
  purpose,
  value,
  changed_at: changedAt.toISOString(),
  ...(requestId ? { request_id: requestId } : {}),
})

/** Throws `Refusal('request.invalid')` for anything but a date-time with its zone (RFC 3339) that is in the calendar. */
export function readTime(text: string): Date {
  const time = momentOf(text, { zoneRequired: true })
  if (time !== undefined) return time
  throw new Refusal('request.invalid', 'at is not usable.', [
    {
      path: 'at',
      code: 'date_time',
      message: 'expected a date and time such as 2027-01-31T09:30:00Z; write a + as %2B',
    },
  ])
}
