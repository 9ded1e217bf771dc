/** Whose data an erasure erases: of a user of OpenID, of a subject of credentials, or one credential. */
export type ErasureKind = 'user' | 'subject' | 'credential'

/** What becomes of the status of erased credentials. */
export type ErasedStatus = 'keep' | 'revoke' | 'suspend'

/**
 * What an erasure does next: `person` ends what would issue more to a user and deletes them, `batches` refuses rows that
 * are not signed yet, `credentials` erases what was issued, `rest` what names the person besides.
 */
export type ErasureStep = 'person' | 'batches' | 'credentials' | 'rest'

/** What would issue more comes first, so that nothing comes in behind the credentials. */
const FIRST: Readonly<Record<ErasureKind, ErasureStep>> = {
  user: 'person',
  subject: 'batches',
  credential: 'credentials',
}

export const firstStep = (kind: ErasureKind): ErasureStep => FIRST[kind]

/** The step after one; undefined after the last. */
export const stepAfter = (step: ErasureStep): ErasureStep | undefined =>
  step === 'rest' ? undefined : step === 'credentials' ? 'rest' : 'credentials'

/** Rows that were erased, by what they were. */
export interface ErasureCounts {
  credentials: number
  /** Credentials that were met and are revoked, or suspended. */
  revoked: number
  suspended: number
  /** Credentials that name the subject in another place than as their subject; they stay. */
  mentioned: number
  /** Rows of batches that were refused before they were signed. */
  rows: number
  notifications: number
  registrations: number
  users: number
  sessions: number
  logins: number
}

/** Ids that an erasure keeps of the credentials that stay. */
export const MOST_MENTIONED = 100

export const NO_COUNTS: ErasureCounts = {
  credentials: 0,
  revoked: 0,
  suspended: 0,
  mentioned: 0,
  rows: 0,
  notifications: 0,
  registrations: 0,
  users: 0,
  sessions: 0,
  logins: 0,
}

export interface ErasureSubject {
  tenantId: string
  erasureId: string
}

export interface ErasureRun extends ErasureSubject {
  /** A subject may be erased again, when there is something new. */
  round: number
  /** Slices until the workflow continues as a new run, to keep its history short. */
  slicesPerRun?: number
}

export interface ErasureProgress {
  phase: 'more' | 'done' | 'gone'
  credentials: number
}

/** What an erasure leaves, each with its reason. The answer has it, and docs/privacy.md. */
export const STAYS: readonly { what: string; why: string }[] = [
  {
    what: 'rows of credentials',
    why: 'The published status lists are made from them: id, format, types, issuer, dates, template, batch and status stay, without claims, tag and proof.',
  },
  { what: 'history of statuses', why: 'It has ids and times, and says whether a credential was valid at a past time.' },
  { what: 'log entries', why: 'They have ids, counts and codes, and no claims and no DIDs of holders.' },
  {
    what: 'the erasure',
    why: 'It has counts and a keyed digest of the person, so that the same request finds it again.',
  },
  {
    what: 'answers kept for an Idempotency-Key',
    why: 'They are encrypted, and deleted 24 to 25 hours after the request.',
  },
  {
    what: 'sessions and sign-ins under way that name no user',
    why: 'They are encrypted, nothing leads from a DID to them, and they are erased when they end.',
  },
  {
    what: 'what verifiers of the tenant have asked for and got',
    why: 'Claims of presented credentials, and the DID of who presented them, are encrypted, and nothing leads from a DID to them: those of requests are deleted when keptForSec is over, those of sign-ins when the client may ask for them no more.',
  },
  {
    what: 'messages in inboxes and on their way',
    why: 'They are encrypted, and nothing leads from a DID to them: use deleteMessage, or the retention. Those on their way are deleted when they are delivered or given up.',
  },
  {
    what: 'what was delivered',
    why: 'Wallets, recipients and webhooks have their own copies. Events of webhooks have only ids.',
  },
  { what: 'DIDs that the tenant created', why: 'They are the keys of the tenant: use deleteDID.' },
  { what: 'uploads that are not complete', why: 'Their rows come after the request: erase the subject again.' },
  {
    what: 'files of exports, and imports under way',
    why: 'They are encrypted, and deleted after 7 days, or when the import ends. Erase again in a tenant that was made of an earlier file.',
  },
  { what: 'backups', why: 'They are files of the operator, who deletes them, and erases again after a restore.' },
]
