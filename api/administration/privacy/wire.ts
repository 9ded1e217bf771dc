import type { ErasureInput, ErasureRecord } from '../../../activities/administration/privacy/erasures.ts'
import { STAYS } from '../../../protocol/administration/privacy/erasures.ts'
import { isDid } from '../../../protocol/dids/index.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { uuidOfId } from '../../../protocol/uuid.ts'
import { type Count, type DateTime, type Did, inLowerCase, type Uuid } from '../../frame/wire.ts'

/**
 * The id of a credential of any format, as signing returned it: a UUID or its URN, or the jti of a compact credential, which
 * stands for the same UUID.
 * @pattern ^([A-Za-z0-9_-]{22}|(urn:uuid:)?[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})$ expected the id of a credential
 */
export type ErasedCredentialId = string

/** Exactly one of userId, subjectDid and credentialId. */
export interface ErasureIn {
  /** Of retrieveListOfUsers. */
  userId?: Uuid
  /** Subject of credentials. */
  subjectDid?: Did
  credentialId?: ErasedCredentialId
  /** What becomes of the status of the erased credentials. Default: keep. */
  credentialStatus?: 'keep' | 'revoke' | 'suspend'
}

export interface ErasedOut {
  /** Claims, tag and proof; the row stays, for its status. */
  credentials: Count
  /** Credentials of the person that are revoked now. */
  revoked: Count
  /** Credentials of the person that are suspended now. */
  suspended: Count
  /** Rows of batches under way that name the person: they are refused, and are not signed any more. */
  rows: Count
  /** Status messages to the holder. */
  notifications: Count
  /** Registrations of the holder's DID with inboxes. */
  registrations: Count
  /** Users of OpenID, with their claims. */
  users: Count
  /** Sessions of wallets that were under way. */
  sessions: Count
  /** Logins of wallets that were under way. */
  logins: Count
}

export interface StaysOut {
  what: string
  why: string
}

export interface ErasureLineOut {
  id: Uuid
  by: 'user' | 'subject' | 'credential'
  credentialStatus: 'keep' | 'revoke' | 'suspend'
  state: 'ERASING' | 'ERASED'
  /** What is being erased; null once all is. */
  step: 'person' | 'batches' | 'credentials' | 'rest' | null
  /** How often it was begun: a subject is erased again when there may be something new. */
  round: Count
  erased: ErasedOut
  /** Credentials that name the subject elsewhere than as their subject, such as in a claim. They stay: erase them by their ids. */
  mentioned: Count
  /** Their ids, 100 at most. */
  mentionedIds: Uuid[]
  createdAt: DateTime
  endedAt: DateTime | null
}

export interface ErasureOut extends ErasureLineOut {
  stays: StaysOut[]
}

export interface ErasurePageOut {
  data: ErasureLineOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

const BY = [
  ['userId', 'user'],
  ['subjectDid', 'subject'],
  ['credentialId', 'credential'],
] as const

const MAX_DID = 2_048

/** Throws `request.invalid` unless the body names exactly one of the three, and `credential.not_found`. */
export function toErasure(body: ErasureIn): ErasureInput {
  const given = BY.filter(([name]) => body[name] !== undefined)
  const [one] = given
  if (!one || given.length > 1)
    throw new Refusal('request.invalid', 'The body does not name exactly one person or credential.', [
      { path: given[1]?.[0] ?? 'userId', code: 'one_of', message: 'expected one of userId, subjectDid, credentialId' },
    ])
  const [name, kind] = one
  const subject = body[name] ?? ''
  if (kind === 'subject' && !(subject.length <= MAX_DID && isDid(subject)))
    throw new Refusal('request.invalid', 'subjectDid is not a DID.', [
      { path: name, code: 'did', message: 'expected a DID, such as did:key:z6Mk…' },
    ])
  const { credentialStatus = 'keep' } = body
  if (kind !== 'credential')
    return { kind, subject: kind === 'user' ? inLowerCase(subject) : subject, credentialStatus }
  const uuid = uuidOfId(subject)
  if (!uuid) throw new Refusal('credential.not_found', 'There is no such credential.')
  return { kind, subject: uuid, credentialStatus }
}

export const erasureLineToWire = ({ counts, ...record }: ErasureRecord): ErasureLineOut => {
  const { mentioned, ...erased } = counts
  const { kind, ...rest } = record
  return { ...rest, by: kind, erased, mentioned }
}

export const erasureToWire = (record: ErasureRecord): ErasureOut => ({
  ...erasureLineToWire(record),
  stays: [...STAYS],
})

export const ERASURE: ErasureOut = {
  id: '7fb36092-c1d4-4287-93ea-60718293a4b5',
  by: 'subject',
  credentialStatus: 'revoke',
  state: 'ERASED',
  step: null,
  round: 1,
  erased: {
    credentials: 2,
    revoked: 2,
    suspended: 0,
    rows: 0,
    notifications: 1,
    registrations: 0,
    users: 0,
    sessions: 0,
    logins: 0,
  },
  mentioned: 0,
  mentionedIds: [],
  stays: [{ what: 'log entries', why: 'They have ids, counts and codes, and no claims and no DIDs of holders.' }],
  createdAt: '2026-10-01T08:00:00.000Z',
  endedAt: '2026-10-01T08:00:02.000Z',
}
