import type { Notifications } from '../../activities/credentials/notifications.ts'
import type { CredentialStatus } from '../../activities/credentials/status-lists/changes.ts'
import { momentOf } from '../../protocol/dates.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { PageQuery } from '../frame/pagination.ts'

/** {} */
// biome-ignore lint/complexity/noBannedTypes: tsoa turns an empty interface into the empty object schema
export type EmptyOut = {}

/** A named type: for an inline type the time of validation grows with the square of the body's members. */
export interface RevocationIn {
  is_revoked: boolean
}

export interface SuspensionIn {
  is_suspended: boolean
}

/** May be empty. */
export interface NotificationIn {
  /**
   * DID of the tenant that signs the message. Default: the credential's issuer.
   * @maxLength 2048
   */
  from?: string
  /**
   * DIDs of subjects of the credential. Default: all of them.
   * @maxItems 100
   */
  to?: string[]
}

export interface StatusQuery {
  /** A past time, e.g. 2027-01-31T09:30:00Z; the response has the status at that time. */
  at?: string
}

export interface RevocationStatusOut {
  isRevoked: boolean
  /** Present for credentials that can be suspended, and for every past time. */
  isSuspended?: boolean
  /** The past time; this and the members below are present only with the query's at. */
  at?: string
  /** Issued by then, within its dates, neither revoked nor suspended. */
  isValid?: boolean
  /** Why it was not valid: NotYetValid, Expired, Revoked, Suspended. */
  reasons?: string[]
}

export interface StatusHistoryQuery extends PageQuery {}

interface StatusChangeOut {
  purpose: 'revocation' | 'suspension'
  /** true: revoked or suspended from then on. false: no longer so. */
  value: boolean
  changed_at: string
  /** Id of the request that caused it, as in the log. */
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
  /** DID of the recipient. */
  to: string
  /** DID that signs the message. */
  from: string
  /** NO_SERVICE: the recipient's DID document names no place for messages. */
  status: 'PENDING' | 'SENT' | 'NO_SERVICE' | 'FAILED'
  /** Why it was not sent: an HTTP status, or the code of a problem. */
  reason?: string
  created_at: string
  ended_at?: string
  /** Id of the request that caused it, as in the log. */
  request_id: string
}

export interface NotificationsOut {
  /** Newest first. */
  data: NotificationOut[]
  limit: number
  total_count: number
  total_pages: number
}

type Notification = Awaited<ReturnType<Notifications['listNotifications']>>['notifications'][number]

export const notificationToWire = (row: Notification): NotificationOut => ({
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
  throw new Refusal('request.invalid', 'at is not a date and time.', [
    {
      path: 'at',
      code: 'date_time',
      message: 'expected a date and time such as 2027-01-31T09:30:00Z; write a + as %2B',
    },
  ])
}
