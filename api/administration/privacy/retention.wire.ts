import type { RetentionRecord } from '../../../activities/administration/privacy/retention.ts'
import type { RetentionDays } from '../../../protocol/administration/privacy/retention.ts'
import type { Count, DateTime } from '../../frame/wire.ts'

/**
 * @isInt expected a whole number
 * @minimum 1
 * @maximum 36500
 */
export type KeptDays = number

/**
 * @isInt expected a whole number
 * @minimum 1
 * @maximum 90
 */
export type SessionDays = number

/** A member that is absent does not change. */
export interface RetentionIn {
  /**
   * Days after the last login after which a user is erased with their claims; their credentials stay. null: users are kept.
   */
  inactiveUsersDays?: KeptDays | null
  /** Days after its expiry after which claims, proof and tag of a credential are erased; its status stays. null: kept. */
  expiredCredentialsDays?: KeptDays | null
  /** Days after which messages of inboxes, and status messages that were sent or given up, are deleted. null: kept. */
  messagesDays?: KeptDays | null
  /** Days after which ended sessions of wallets are deleted. null: 90, which the platform itself keeps them. */
  endedSessionsDays?: SessionDays | null
  /**
   * Days after the end of a batch after which claims, proofs and tags of its credentials are erased, and the errors of its
   * rows; their status stays. null: kept.
   */
  finishedBatchesDays?: KeptDays | null
}

export interface ExpiredOut {
  users: Count
  credentials: Count
  /** Of inboxes, and status messages to holders. */
  messages: Count
  sessions: Count
  /** Batches whose last content was erased; their credentials count as credentials. */
  batches: Count
}

export interface RetentionPassOut {
  endedAt: DateTime
  erased: ExpiredOut
}

export interface RetentionOut {
  inactiveUsersDays: KeptDays | null
  expiredCredentialsDays: KeptDays | null
  messagesDays: KeptDays | null
  endedSessionsDays: SessionDays | null
  finishedBatchesDays: KeptDays | null
  /** The last complete pass; null: there was none yet. */
  lastPass: RetentionPassOut | null
}

/** Of the body, only the members that it has. */
export function toRetention(body: RetentionIn): Partial<RetentionDays> {
  const { inactiveUsersDays, expiredCredentialsDays, messagesDays, endedSessionsDays, finishedBatchesDays } = body
  return {
    ...(inactiveUsersDays !== undefined && { inactiveUsersDays }),
    ...(expiredCredentialsDays !== undefined && { expiredCredentialsDays }),
    ...(messagesDays !== undefined && { messagesDays }),
    ...(endedSessionsDays !== undefined && { endedSessionsDays }),
    ...(finishedBatchesDays !== undefined && { finishedBatchesDays }),
  }
}

export const retentionToWire = (record: RetentionRecord): RetentionOut => record

export const RETENTION: RetentionOut = {
  inactiveUsersDays: 730,
  expiredCredentialsDays: 365,
  messagesDays: 90,
  endedSessionsDays: 30,
  finishedBatchesDays: null,
  lastPass: {
    endedAt: '2026-10-01T08:00:02.000Z',
    erased: { users: 2, credentials: 40, messages: 3, sessions: 12, batches: 0 },
  },
}
