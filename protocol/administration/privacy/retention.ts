/** What a tenant keeps for a number of days, and then has erased. */
export const RETENTION_KINDS = [
  'inactiveUsersDays',
  'expiredCredentialsDays',
  'messagesDays',
  'endedSessionsDays',
  'finishedBatchesDays',
] as const
export type RetentionKind = (typeof RETENTION_KINDS)[number]

/** Days by kind; null: kept without end, or for the platform's own time. */
export type RetentionDays = Record<RetentionKind, number | null>

/** The purge of the platform deletes ended sessions after this time, whatever a tenant says (D-469). */
export const SESSIONS_KEPT_DAYS = 90

/** Rows that were erased, by what they were. */
export interface RetentionCounts {
  users: number
  credentials: number
  /** Of inboxes, and status messages to holders. */
  messages: number
  sessions: number
  /** Batches whose last content was erased; their credentials are among `credentials`. */
  batches: number
}

export const NOTHING_EXPIRED: RetentionCounts = { users: 0, credentials: 0, messages: 0, sessions: 0, batches: 0 }

/** Where a pass over the tenants continues. */
export interface RetentionCursor {
  /** The last tenant that was done. */
  after: string
  /** Tenants of this pass whose erasing failed; absent: none. */
  failed?: string[]
}
