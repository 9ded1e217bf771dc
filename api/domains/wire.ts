import type { DomainRecord, DomainWaiting } from '../../activities/domains/records.ts'
import type { Count, DateTime, Uuid } from '../frame/wire.ts'

/** A domain name; an internationalised one is stored in ASCII. */
export type DomainName = string

/** One line of 1 to 255 characters, for people. */
export type DomainLabel = string

export interface DomainIn {
  domain: DomainName
  name: DomainLabel
}

export interface DomainUpdateIn {
  name: DomainLabel
}

export interface DomainWaitingOut {
  /**
   * Stable. domain.check_pending: the platform has not looked yet. domain.record_missing: no TXT record is the token.
   * domain.dns_unanswered: DNS did not answer. domain.taken: the domain is verified already by another owner.
   */
  code: string
  /** Says for people what was found at which name. */
  reason: string
  lastLookAt?: DateTime
  /** Time of the next look; a time in the past means that no worker runs. */
  nextLookAt?: DateTime
  /** When the platform gives the domain up if the record is not there until then. */
  until?: DateTime
}

export interface DomainRecheckOut {
  lastLookAt: DateTime
  nextLookAt: DateTime
}

export interface DomainOut {
  id: Uuid
  name: string
  domain: string
  /** Publish it as a TXT record at the domain, or at `_countersign.` followed by the domain. */
  verificationToken: string
  isVerified: boolean
  /** null until the domain is verified. */
  verifiedAt: DateTime | null
  /** WAITING for the TXT record, VERIFIED, or GIVEN_UP because the record was not there in time. */
  status: 'WAITING' | 'VERIFIED' | 'GIVEN_UP'
  /** Why the domain was GIVEN_UP. */
  failureReason?: string
  /** Why a domain is still WAITING, or may stop to be VERIFIED, and when the platform looks again. */
  waiting?: DomainWaitingOut
  /** Of a domain that is VERIFIED and has its record. */
  recheck?: DomainRecheckOut
}

export interface DomainPageOut {
  domains: DomainOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

const waitingToWire = ({ code, reason, lookedAt, nextLookAt, until }: DomainWaiting): DomainWaitingOut => ({
  code,
  reason,
  ...(lookedAt ? { lastLookAt: lookedAt } : {}),
  ...(nextLookAt ? { nextLookAt } : {}),
  ...(until ? { until } : {}),
})

export function domainToWire(record: DomainRecord): DomainOut {
  const { id, name, domain, verificationToken, isVerified, verifiedAt, status } = record
  const { failureReason, waiting, lookedAt, nextLookAt } = record
  return {
    id,
    name,
    domain,
    verificationToken,
    isVerified,
    verifiedAt,
    status,
    ...(failureReason ? { failureReason } : {}),
    ...(waiting ? { waiting: waitingToWire(waiting) } : {}),
    ...(!waiting && lookedAt && nextLookAt ? { recheck: { lastLookAt: lookedAt, nextLookAt } } : {}),
  }
}

export const NEW_DOMAIN: DomainOut = {
  id: '4f0b6f0e-5c0e-4f6e-9d57-1a4e1a0f7c11',
  name: 'Registrar of the university',
  domain: 'id.university.example',
  verificationToken: '7d1c2f0a-30f4-4a0c-8e54-5b1f8a9f6e02',
  isVerified: false,
  verifiedAt: null,
  status: 'WAITING',
  waiting: {
    code: 'domain.check_pending',
    reason: 'The platform has not looked for the TXT record yet.',
    until: '2026-03-09T09:30:00.000Z',
  },
}

export const VERIFIED_DOMAIN: DomainOut = {
  id: '4f0b6f0e-5c0e-4f6e-9d57-1a4e1a0f7c11',
  name: 'Registrar of the university',
  domain: 'id.university.example',
  verificationToken: '7d1c2f0a-30f4-4a0c-8e54-5b1f8a9f6e02',
  isVerified: true,
  verifiedAt: '2026-03-02T09:35:00.000Z',
  status: 'VERIFIED',
  recheck: { lastLookAt: '2026-03-02T09:35:00.000Z', nextLookAt: '2026-03-09T09:35:00.000Z' },
}
