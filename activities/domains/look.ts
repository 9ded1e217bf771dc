import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Domain } from '../../entities/domains.ts'
import { inTenant } from '../../entities/orm.ts'
import { DOMAIN_STATUS_ENTRY } from '../../protocol/domains/entries.ts'
import type { DomainLook, DomainSubject } from '../../protocol/domains/look.ts'
import { recordNames } from '../../protocol/domains/names.ts'
import { type Fault, recordFault, stepAfter, TAKEN } from '../../protocol/domains/verification.ts'
import type { Dependencies } from '../dependencies.ts'
import { addLogEntry } from '../frame/log-entries.ts'
import { createResolveTexts } from '../frame/outbound/dns.ts'
import { statusOf } from './records.ts'

const OVER: DomainLook = { status: 'OVER' }

type Parts = Pick<Dependencies, 'config' | 'database' | 'log' | 'now' | 'uuid'>

/** Looks for the TXT records of domains, for their workflows; each step is safe to repeat. */
export function createDomainLooks({ config, database, log, now, uuid }: Parts) {
  const resolveTexts = createResolveTexts(config.outbound.dnsServer)

  /** The row of this verification; undefined where the domain was deleted, given up, or is being verified anew. */
  const current = async (em: SqlEntityManager, { domainId, attempt }: DomainSubject, lockMode = LockMode.NONE) => {
    const row = await em.findOne(Domain, { id: domainId, attempt, givenUpAt: null }, { lockMode })
    return row ?? undefined
  }

  /** Writes what was found, and what follows, in one transaction. */
  const record = (subject: DomainSubject, fault: Fault | undefined): Promise<DomainLook> =>
    inTenant(database.tenants, subject.tenantId, async (em) => {
      const row = await current(em, subject, LockMode.PESSIMISTIC_WRITE)
      if (!row) return OVER
      const before = statusOf(row)
      const time = now()
      const progress = { ...row, missingSince: row.missingSince ?? null }
      const step = stepAfter(progress, fault, time, config.domains)
      const nextInMs = step.status === 'GIVEN_UP' ? undefined : step.nextInMs
      const isVerified = step.status === 'VERIFIED'
      Object.assign(row, {
        isVerified,
        verifiedAt: isVerified ? (row.verifiedAt ?? time) : null,
        missingSince: step.status === 'GIVEN_UP' ? null : step.missingSince,
        givenUpAt: step.status === 'GIVEN_UP' ? time : null,
        lookCode: fault?.code ?? null,
        lookReason: fault?.reason ?? null,
        lookedAt: time,
        nextLookAt: nextInMs === undefined ? null : new Date(time.getTime() + nextInMs),
      })
      await em.flush()
      if (step.status !== before) {
        const { tenantId, domainId: id } = subject
        const outcome = isVerified ? 'SUCCESS' : 'FAIL'
        const metadata = { id, status: step.status, ...(fault && { code: fault.code }) }
        addLogEntry(em, { now, uuid }, { ...DOMAIN_STATUS_ENTRY, tenantId, requestId: uuid(), outcome, metadata })
        log.info({ tenantId, ...metadata }, 'the status of a custom domain has changed')
      }
      return { status: step.status, ...(fault && { fault }), ...(nextInMs !== undefined && { nextInMs }) }
    })

  return {
    /**
     * Looks once for the TXT record of a domain, and writes down what it found and when it looks again. Of several
     * tenants with the same domain the first that is verified has it (domains_verified).
     */
    async lookUpDomain(subject: DomainSubject): Promise<DomainLook> {
      const row = await inTenant(database.tenants, subject.tenantId, (em) => current(em, subject))
      if (!row) return OVER
      const { domain, verificationToken } = row
      const answers = await Promise.all(
        recordNames(domain).map(async (name) => ({ name, texts: await resolveTexts(name) })),
      )
      const fault = recordFault(domain, answers, verificationToken)
      return record(subject, fault).catch((error: unknown) => {
        if (!(error instanceof UniqueConstraintViolationException)) throw error
        return record(subject, TAKEN)
      })
    },
  }
}

export type DomainLooks = ReturnType<typeof createDomainLooks>
