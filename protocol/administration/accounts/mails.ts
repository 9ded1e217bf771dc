/** Ids alone: a workflow has no address and no secret. */
export interface MailSubject {
  /** The first tenant: accounts belong to none. */
  tenantId: string
  mailId: string
}

/** What an attempt to send a mail led to; `OVER`: it was ended before. */
export interface MailStep {
  state: 'PENDING' | 'SENT' | 'FAILED' | 'OVER'
  /** Why the attempt failed: a stable code. */
  code?: string
  /** Until the next attempt; absent at the end. */
  nextInMs?: number
}

/** What mails are about. Each has its text in activities/administration/mails/texts.ts. */
export type MailKind = 'VERIFY_EMAIL' | 'ALREADY_REGISTERED' | 'RESET_PASSWORD' | 'PASSWORD_CHANGED' | 'INVITATION'
