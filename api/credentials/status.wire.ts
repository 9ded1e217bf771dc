import type { Notifications } from '../../activities/credentials/notifications.ts'
import type { CredentialStatus } from '../../activities/credentials/status-lists/changes.ts'
import { momentOf } from '../../protocol/dates.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { PageQuery } from '../frame/pagination.ts'
import type { Count, DateTime, Did, StatusPurpose, Uuid } from '../frame/wire.ts'

// named types: for an inline type the time of validation grows with the square of the body's members
export interface RevocationIn {
  /** true: revokes. false: undoes the revocation. */
  is_revoked: boolean
}

export interface SuspensionIn {
  /** true: suspends. false: ends the suspension. */
  is_suspended: boolean
}

/** Without members: from the credential's issuer to all of its subjects. */
export interface NotificationIn {
  /**
   * DID of the tenant that sends the message; it has a key that signs. Default: the credential's issuer.
   * @maxLength 2048
   */
  from?: Did
  /**
   * DIDs of subjects of the credential. Default: all of them.
   * @maxItems 100
   */
  to?: Did[]
}

export interface StatusQuery {
  /** A past time, e.g. 2027-01-31T09:30:00Z; the response has the status at that time. */
  at?: DateTime
}

export interface RevocationStatusOut {
  isRevoked: boolean
  /** Present for credentials that can be suspended, and for every past time. */
  isSuspended?: boolean
  /** The past time; this and the members below are present only with the query's at. */
  at?: DateTime
  /** true: at that time the credential was issued, within its dates, not revoked and not suspended. */
  isValid?: boolean
  /** Why the credential was not valid. */
  reasons?: ('NotYetValid' | 'Expired' | 'Revoked' | 'Suspended')[]
}

export interface StatusHistoryQuery extends PageQuery {}

interface StatusChangeOut {
  purpose: StatusPurpose
  /** true: the credential is revoked or suspended from this time on. false: the revocation or suspension ends. */
  value: boolean
  changed_at: DateTime
  /** Id of the request that is the cause, as in the log. */
  request_id?: Uuid
}

export interface StatusHistoryOut {
  /** Newest first. */
  data: StatusChangeOut[]
  limit: Count
  total_count: Count
  total_pages: Count
}

export interface NotificationQuery extends PageQuery {}

interface NotificationOut {
  id: Uuid
  /** DID of the recipient. */
  to: Did
  /** DID that sends the message. */
  from: Did
  /** NO_SERVICE: the recipient's DID document has no service for messages. */
  status: 'PENDING' | 'SENT' | 'NO_SERVICE' | 'FAILED'
  /** Why the message was not sent: an HTTP status, or the code of a problem. */
  reason?: string
  created_at: DateTime
  ended_at?: DateTime
  /** Id of the request that is the cause, as in the log. */
  request_id: Uuid
}

export interface NotificationsOut {
  /** Newest first. */
  data: NotificationOut[]
  limit: Count
  total_count: Count
  total_pages: Count
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
