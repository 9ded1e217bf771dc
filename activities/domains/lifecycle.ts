import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Domain } from '../../entities/domains.ts'
import { inTenant, takeTurn } from '../../entities/orm.ts'
import type { DomainSubject } from '../../protocol/domains/look.ts'
import { ONLY_DOMAIN, readDomain, refuseName } from '../../protocol/domains/names.ts'
import { Refusal } from '../../protocol/errors.ts'
import { isLabel, LABEL_EXPECTED } from '../../protocol/names.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call, Metadata, Operations } from '../frame/operations.ts'
import { assertCallable } from '../frame/outbound/url.ts'
import { signalWorkflow } from '../frame/temporal/contract.ts'
import type { Tenants } from '../frame/tenants/index.ts'
import { type DomainRecord, statusOf, subjectOf, toRecord } from './records.ts'

/** Each has a workflow that looks up names of the tenant's choice for a week. */
const MAX_DOMAINS = 200

export const domainNotFound = () => new Refusal('domain.not_found', 'There is no such domain.')

/** Names no tenant: who has a domain is nobody else's business. */
export const domainTaken = () =>
  new Refusal(
    'domain.taken',
    'The domain is verified already by another owner, so that it cannot be verified here. Remove the TXT record of the former owner from DNS; the platform then takes that verification back after some days.',
  )

const VERIFIED_ELSEWHERE = 'select 1 from domains where domain = $1 and is_verified and tenant_id <> $2'

function checkName(name: string): string {
  if (isLabel(name)) return name
  throw new Refusal('request.invalid', 'The name of the domain is not valid; see errors.', [
    { path: 'name', code: 'text', message: LABEL_EXPECTED },
  ])
}

/** What a new verification begins with. */
const beginning = (time: Date, verificationToken: string) => ({
  verificationToken,
  isVerified: false,
  verifiedAt: null,
  waitingSince: time,
  missingSince: null,
  givenUpAt: null,
  lookCode: null,
  lookReason: null,
  lookedAt: null,
  nextLookAt: null,
})

/** Returns the name of the domain that is stored. Throws a refusal that names the rule. */
export function domainNameOf(config: Pick<Dependencies['config'], 'publicUrl' | 'outbound'>, text: string): string {
  const domain = readDomain(text, config.publicUrl.hostname)
  try {
    assertCallable(`https://${domain}`, config.outbound)
  } catch (error) {
    if (error instanceof Refusal) refuseName('not_public', 'it is not below a public top-level domain')
    throw error
  }
  return domain
}

interface Parts
  extends Pick<Dependencies, 'config' | 'database' | 'systemSql' | 'temporal' | 'outbox' | 'log' | 'now' | 'uuid'> {
  operations: Operations
  tenants: Pick<Tenants, 'forgetHost'>
}

/** Area 2, custom domains: create, list, read, update, invalidate, delete (specification, What the service does). */
export function createDomains(parts: Parts) {
  const { config, database, systemSql, temporal, outbox, log, now, uuid, operations, tenants } = parts

  const record = (row: Domain): DomainRecord => toRecord(row, config.domains.patienceSeconds)

  const nameOf = (text: string): string => domainNameOf(config, text)

  async function find(em: SqlEntityManager, id: string): Promise<Domain> {
    const row = await em.findOne(Domain, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (!row) throw domainNotFound()
    return row
  }

  const startVerification = (em: SqlEntityManager, row: Domain) =>
    outbox.start(em, 'verifyDomain', subjectOf(row), { domain: row.domain })

  /**
   * Lets go of what this process remembers of the host, and ends a workflow that no row needs any more. Without Temporal
   * the workflow ends at its next look.
   */
  async function release(domain: string, subject: DomainSubject): Promise<void> {
    tenants.forgetHost(domain)
    await signalWorkflow(temporal, 'verifyDomain', subject, 'changed').catch((error: unknown) => {
      log.warn({ err: error, ...subject }, 'the workflow of a changed domain ends at its next look')
    })
  }

  return {
    async createDomain(call: Call, input: { domain: string; name: string }): Promise<DomainRecord> {
      const { tenantId } = call
      const [domain, name] = [nameOf(input.domain), checkName(input.name)]
      const isRepeated = call.idempotency && 'effect' in call.idempotency
      const elsewhere = await systemSql.query<object>({ text: VERIFIED_ELSEWHERE, values: [domain, tenantId] })
      if (!isRepeated && elsewhere.rows.length > 0) throw domainTaken()
      const id = uuid()
      const work = async (em: SqlEntityManager) => {
        await takeTurn(em, `domains of ${tenantId}`)
        if ((await em.count(Domain)) >= MAX_DOMAINS)
          throw new Refusal('domain.too_many', `A tenant can have ${MAX_DOMAINS} domains. Delete one first.`)
        const time = now()
        const row = em.create(Domain, {
          id,
          tenantId,
          name,
          domain,
          attempt: 1,
          createdAt: time,
          ...beginning(time, uuid()),
        })
        await em.flush()
        await startVerification(em, row)
        return record(row)
      }
      return operations.change(call, 'createDomain', { id }, work).catch((error: unknown) => {
        if (!(error instanceof UniqueConstraintViolationException)) throw error
        throw new Refusal('domain.duplicate', 'This tenant has this domain already.')
      })
    },

    /** Returns the id, or that of the tenant's only domain for `ONLY_DOMAIN`. */
    async chosenDomain(tenantId: string, id: string): Promise<string> {
      if (id !== ONLY_DOMAIN) return id
      const [only, another] = await inTenant(database.tenants, tenantId, (em) => em.find(Domain, {}, { limit: 2 }))
      if (!only) throw domainNotFound()
      if (another)
        throw new Refusal('domain.several', 'The tenant has several domains, and the path names none of them.')
      return only.id
    },

    async listDomains(tenantId: string, { limit, offset }: { limit: number; offset: number }) {
      return inTenant(database.tenants, tenantId, async (em) => {
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [rows, total] = await em.findAndCount(Domain, {}, { orderBy, limit, offset })
        return { domains: rows.map(record), total }
      })
    },

    async readDomain(tenantId: string, id: string): Promise<DomainRecord> {
      const row = await inTenant(database.tenants, tenantId, (em) => em.findOne(Domain, { id }))
      if (!row) throw domainNotFound()
      return record(row)
    },

    /** Changes the name; another domain is another record. */
    async updateDomain(call: Call, id: string, input: { name: string }): Promise<DomainRecord> {
      const name = checkName(input.name)
      return operations.change(call, 'updateDomain', { id }, async (em) => {
        const row = await find(em, id)
        row.name = name
        return record(row)
      })
    },

    /**
     * Takes the verification back: the token changes, and the domain waits for a record with the new one (D-348). One that
     * waits already has nothing to take back, and keeps its token, so that a repeated request changes nothing.
     */
    async invalidateDomain(call: Call, id: string): Promise<DomainRecord> {
      const metadata: Metadata = { id }
      const invalidated = await operations.change(call, 'invalidateDomain', metadata, async (em) => {
        const row = await find(em, id)
        metadata.wasVerified = row.isVerified
        if (statusOf(row) === 'WAITING') return { record: record(row), attempt: undefined }
        Object.assign(row, beginning(now(), uuid()), { attempt: row.attempt + 1 })
        await em.flush()
        await startVerification(em, row)
        return { record: record(row), attempt: row.attempt }
      })
      const { attempt } = invalidated
      if (attempt !== undefined)
        await release(invalidated.record.domain, { tenantId: call.tenantId, domainId: id, attempt: attempt - 1 })
      return invalidated.record
    },

    async deleteDomain(call: Call, id: string): Promise<void> {
      const deleted = await operations.change(call, 'deleteDomain', { id }, async (em) => {
        const row = await find(em, id)
        const { domain, attempt } = row
        em.remove(row)
        await em.flush()
        return { domain, attempt }
      })
      await release(deleted.domain, { tenantId: call.tenantId, domainId: id, attempt: deleted.attempt })
    },

    /** Returns the verification under way; begins one where the last was given up. The token stays. */
    async resumeVerification(tenantId: string, id: string): Promise<{ domain: string; subject: DomainSubject }> {
      return inTenant(database.tenants, tenantId, async (em) => {
        const row = await find(em, id)
        if (row.givenUpAt) {
          Object.assign(row, beginning(now(), row.verificationToken), { attempt: row.attempt + 1 })
          await em.flush()
          await startVerification(em, row)
        }
        return { domain: row.domain, subject: subjectOf(row) }
      })
    },
  }
}

export type Domains = ReturnType<typeof createDomains>
