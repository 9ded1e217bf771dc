import type { Notifications } from '../../activities/credentials/notifications.ts'
import type { CredentialStatus } from '../../activities/credentials/status-lists/changes.ts'
import { momentOf } from '../../protocol/dates.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { PageQuery } from '../frame/pagination.ts'

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

export interface NotificationQuery extends PageQuery {}

interface NotificationOut {
  id: string
  /** DID that was told, or is to be. */
  to: string
  /** DID that signs the message. */
  from: string
  /** NO_SERVICE: the recipient's DID document names no place for messages. */
  status: 'PENDING' | 'SENT' | 'NO_SERVICE' | 'FAILED'
  /** Why it was not sent: an HTTP status, or the code of a problem. */
  reason?: string
  created_at: string
  ended_at?: string
  /** The request that asked for it, as in the log. */
  request_id: string
}

export interface NotificationsOut {
  /** Newest first. */
  data: NotificationOut[]
  limit: number
  total_count: number
  total_pages: number
}

type Sent = Awaited<ReturnType<Notifications['listNotifications']>>['notifications'][number]

export const notificationToWire = (row: Sent): NotificationOut => ({
  id: row.id,
  to: row.recipient,
  from: row.sender,
  status: row.state,
  ...(row.reason ? { reason: row.reason } : {}),
  created_at: row.createdAt.toISOString(),
  ...(row.endedAt ? { ended_at: row.endedAt.toISOString() } : {}),
  request_id: row.requestId,
})

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
