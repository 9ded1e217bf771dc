import type { Domain } from '../../entities/domains.ts'
import type { DomainSubject } from '../../protocol/domains/look.ts'
import { PENDING } from '../../protocol/domains/verification.ts'

export type DomainStatus = 'WAITING' | 'VERIFIED' | 'GIVEN_UP'

export interface DomainWaiting {
  code: string
  /** For people. */
  reason: string
  /** ISO times; null before the first look. */
  lookedAt: string | null
  nextLookAt: string | null
  /** When the patience ends; null for a verified domain whose record DNS has not denied. */
  until: string | null
}

export interface DomainRecord {
  id: string
  name: string
  domain: string
  verificationToken: string
  isVerified: boolean
  verifiedAt: string | null
  status: DomainStatus
  /** Why the platform looks no more. */
  failureReason: string | null
  /** The domain waits for its record, or is verified and the last look did not find it. */
  waiting: DomainWaiting | null
  /** A verified domain with its record. */
  lookedAt: string | null
  nextLookAt: string | null
}

export const statusOf = ({ isVerified, givenUpAt }: Pick<Domain, 'isVerified' | 'givenUpAt'>): DomainStatus => {
  if (isVerified) return 'VERIFIED'
  return givenUpAt ? 'GIVEN_UP' : 'WAITING'
}

export const subjectOf = ({ tenantId, id, attempt }: Pick<Domain, 'tenantId' | 'id' | 'attempt'>): DomainSubject => ({
  tenantId,
  domainId: id,
  attempt,
})

const iso = (time: Date | null | undefined): string | null => time?.toISOString() ?? null

function waitingOf(row: Domain, patienceSeconds: number): DomainWaiting | null {
  const isMissed = row.isVerified && row.lookCode
  if (statusOf(row) !== 'WAITING' && !isMissed) return null
  const since = row.isVerified ? row.missingSince : row.waitingSince
  return {
    code: row.lookCode ?? PENDING.code,
    reason: row.lookReason ?? PENDING.reason,
    lookedAt: iso(row.lookedAt),
    nextLookAt: iso(row.nextLookAt),
    until: since ? iso(new Date(since.getTime() + patienceSeconds * 1000)) : null,
  }
}

export function toRecord(row: Domain, patienceSeconds: number): DomainRecord {
  const status = statusOf(row)
  return {
    id: row.id,
    name: row.name,
    domain: row.domain,
    verificationToken: row.verificationToken,
    isVerified: row.isVerified,
    verifiedAt: iso(row.verifiedAt),
    status,
    failureReason: status === 'GIVEN_UP' ? (row.lookReason ?? null) : null,
    waiting: waitingOf(row, patienceSeconds),
    lookedAt: iso(row.lookedAt),
    nextLookAt: iso(row.nextLookAt),
  }
}
