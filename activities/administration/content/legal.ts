import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { LegalAcceptance, LegalPolicy, LegalPolicyVersion } from '../../../entities/administration/content.ts'
import { asSystem } from '../../../entities/orm.ts'
import { checkContent } from '../../../protocol/administration/content/fields.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Call } from '../../frame/operations.ts'
import { accountOf } from '../accounts/calls.ts'
import { lockOwnAccount } from '../accounts/standing.ts'
import { type ContentParts, flushNew, type Page } from './entries.ts'

export interface PolicyTexts {
  title: string
  content: string
}

/** A policy with one of its versions; in a list, without the text. */
export interface PolicyLine {
  id: string
  slug: string
  name: string
  version: number
  title: string
  createdAt: string
}

export interface PolicyRecord extends PolicyLine {
  content: string
  html: string
}

export interface AcceptanceRecord {
  accountId: string
  slug: string
  version: number
  acceptedAt: string
}

type VersionLine = Pick<LegalPolicyVersion, 'version' | 'title' | 'createdAt'>

const lineOf = ({ id, slug, name }: LegalPolicy, { version, title, createdAt }: VersionLine): PolicyLine => ({
  ...{ id, slug, name, version, title },
  createdAt: createdAt.toISOString(),
})

const recordOf = (policy: LegalPolicy, row: LegalPolicyVersion): PolicyRecord => ({
  ...lineOf(policy, row),
  content: row.content,
  html: row.html,
})

const notFound = () => new Refusal('legal_policy.not_found', 'There is no such policy, or no such version of it.')

/** Throws `legal_policy.not_found`. */
export async function findPolicy(em: SqlEntityManager, slug: string, lockMode?: LockMode): Promise<LegalPolicy> {
  const row = await em.findOne(LegalPolicy, { slug }, lockMode === undefined ? {} : { lockMode })
  if (!row) throw notFound()
  return row
}

const LIST = `select p.id, p.slug, p.name, v.version, v.title, v.created_at as "createdAt"
from legal_policies p join legal_policy_versions v on v.policy_id = p.id and v.version = p.version
order by p.slug limit ? offset ?`

/** The first time counts: the same acceptance again changes nothing. */
const ACCEPT = `insert into legal_acceptances (id, policy_id, version, account_id, accepted_at) values (?, ?, ?, ?, ?)
on conflict (account_id, policy_id, version) do nothing`

/** Legal policies in versions, which never change: what somebody accepted stays as it was read. */
export const createLegalPolicies = ({ database, now, uuid, operations, rendering }: ContentParts) => ({
  /** By slug, each with its newest version. */
  listLegalPolicies: ({ limit, offset }: Page): Promise<{ policies: PolicyLine[]; total: number }> =>
    asSystem(database.system, async (em) => {
      const rows = await em.execute<(Omit<PolicyLine, 'createdAt'> & { createdAt: Date | string })[]>(LIST, [
        limit,
        offset,
      ])
      const policies = rows.map((row) => ({ ...row, createdAt: new Date(row.createdAt).toISOString() }))
      return { policies, total: await em.count(LegalPolicy) }
    }),

  /** The newest version, or the one that is asked for. Throws `legal_policy.not_found`. */
  async readLegalPolicy(slug: string, version?: number): Promise<PolicyRecord> {
    const [policy, row] = await asSystem(database.system, async (em) => {
      const found = await findPolicy(em, slug)
      const where = { policyId: found.id, version: version ?? found.version }
      return [found, await em.findOne(LegalPolicyVersion, where)] as const
    })
    if (!row) throw notFound()
    return { ...recordOf(policy, row), html: await rendering.htmlOf(row) }
  },

  /** Newest first. Throws `legal_policy.not_found`. */
  listLegalPolicyVersions: (slug: string, page: Page): Promise<{ versions: PolicyLine[]; total: number }> =>
    asSystem(database.system, async (em) => {
      const policy = await findPolicy(em, slug)
      const exclude = ['content', 'html'] as const
      const where = { policyId: policy.id }
      const found = await em.findAndCount(LegalPolicyVersion, where, { orderBy: { version: 'desc' }, exclude, ...page })
      return { versions: found[0].map((row) => lineOf(policy, row)), total: found[1] }
    }),

  /** Throws `content.invalid`, `content.too_nested`, `content.too_complex`, `content.slug_taken`. */
  async createLegalPolicy(call: Call, input: PolicyTexts & { slug: string; name: string }): Promise<PolicyRecord> {
    checkContent(input)
    const rendered = await rendering.render(input.content, call.tenantId)
    const [id, versionId] = [uuid(), uuid()]
    return operations.changePlatform(call, 'createLegalPolicy', { id, version: 1 }, async (em) => {
      const { slug, name, title } = input
      const createdAt = now()
      const policy = em.create(LegalPolicy, { id, slug, name, version: 1, createdAt })
      await flushNew(em)
      const first = { id: versionId, policyId: id, version: 1, title, ...rendered, createdAt }
      const row = em.create(LegalPolicyVersion, first)
      await em.flush()
      return recordOf(policy, row)
    })
  },

  /** The next version, which is in force at once. Throws as `createLegalPolicy`, and `legal_policy.not_found`. */
  async createLegalPolicyVersion(call: Call, slug: string, input: PolicyTexts): Promise<PolicyRecord> {
    checkContent(input)
    const rendered = await rendering.render(input.content, call.tenantId)
    const metadata: Record<string, string | number> = {}
    return operations.changePlatform(call, 'createLegalPolicyVersion', metadata, async (em) => {
      const policy = await findPolicy(em, slug, LockMode.PESSIMISTIC_WRITE)
      policy.version++
      Object.assign(metadata, { id: policy.id, version: policy.version })
      const { version } = policy
      const next = { id: uuid(), policyId: policy.id, version, title: input.title, ...rendered, createdAt: now() }
      const row = em.create(LegalPolicyVersion, next)
      await em.flush()
      return recordOf(policy, row)
    })
  },

  /**
   * Records that the caller accepts a version, which must be the newest one: an older text is not in force. Safe to
   * repeat, also when a newer version came since. Throws `legal_policy.not_found`, `legal_policy.version_replaced`, `session.invalid`.
   */
  async acceptLegalPolicy(call: Call, slug: string, version: number): Promise<AcceptanceRecord> {
    const metadata: Record<string, string | number> = { version }
    const accountId = accountOf(call)
    return operations.changePlatform(call, 'acceptLegalPolicy', metadata, async (em) => {
      await lockOwnAccount(em, call)
      const policy = await findPolicy(em, slug, LockMode.PESSIMISTIC_READ)
      metadata.id = policy.id
      if (version > policy.version) throw notFound()
      const acceptance = { policyId: policy.id, version, accountId }
      if (version < policy.version && !(await em.findOne(LegalAcceptance, acceptance)))
        throw new Refusal('legal_policy.version_replaced', `Version ${policy.version} is in force now.`)
      await em.execute(ACCEPT, [uuid(), policy.id, version, accountId, now()])
      const row = await em.findOneOrFail(LegalAcceptance, acceptance)
      return { accountId, slug, version, acceptedAt: row.acceptedAt.toISOString() }
    })
  },

  /** What the caller accepted of a policy, newest version first. Throws `legal_policy.not_found`. */
  async listLegalPolicyAcceptances(call: Call, slug: string): Promise<AcceptanceRecord[]> {
    const accountId = accountOf(call)
    return asSystem(database.system, async (em) => {
      const policy = await findPolicy(em, slug)
      const where = { policyId: policy.id, accountId }
      const rows = await em.find(LegalAcceptance, where, { orderBy: { version: 'desc' } })
      return rows.map(({ version, acceptedAt }) => ({ accountId, slug, version, acceptedAt: acceptedAt.toISOString() }))
    })
  },
})
