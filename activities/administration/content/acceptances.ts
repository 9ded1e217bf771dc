import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { asSystem } from '../../../entities/orm.ts'
import type { Dependencies } from '../../dependencies.ts'
import { accountPlace, createPeople } from '../accounts/people.ts'
import { findAdministered, type OrganizationCall } from '../organizations/lifecycle.ts'
import type { Page } from './entries.ts'
import { findPolicy } from './legal.ts'

/** Who accepted a version, and when. */
export interface AcceptorRecord {
  accountId: string
  /** Null: the account was erased, and its id leads to nobody. */
  email: string | null
  slug: string
  version: number
  acceptedAt: string
}

interface Row {
  accountId: string
  slug: string
  version: number
  acceptedAt: Date | string
  content: Buffer | null
}

/** All acceptances, those of one policy, or those of the members of an organization; each condition has one value. */
interface Wanted {
  slug: string | undefined
  organizationId?: string
}

const MEMBERS = 'x.account_id in (select account_id from organization_members where organization_id = ?)'

/** Which people accepted which version of the legal policies: for operators, and for administrators about their members. */
export function createLegalAcceptances({ config, database }: Pick<Dependencies, 'config' | 'database'>) {
  const people = createPeople(config.masterKey)

  async function list(em: SqlEntityManager, { slug, organizationId }: Wanted, { limit, offset }: Page) {
    const policy = slug === undefined ? undefined : await findPolicy(em, slug)
    const conditions: [text: string, value: string][] = []
    if (policy) conditions.push(['x.policy_id = ?', policy.id])
    if (organizationId !== undefined) conditions.push([MEMBERS, organizationId])
    const values = conditions.map(([, value]) => value)
    const where = ['true', ...conditions.map(([text]) => text)].join(' and ')
    const rows = await em.execute<Row[]>(
      `select x.account_id as "accountId", p.slug, x.version, x.accepted_at as "acceptedAt", a.content
       from legal_acceptances x join legal_policies p on p.id = x.policy_id left join accounts a on a.id = x.account_id
       where ${where} order by x.accepted_at desc, x.id limit ? offset ?`,
      [...values, limit, offset],
    )
    const counted = `select count(*)::int as total from legal_acceptances x where ${where}`
    const [count] = await em.execute<{ total: number }[]>(counted, values)
    const acceptances = rows.map(
      ({ content, acceptedAt, ...row }): AcceptorRecord => ({
        ...row,
        email: content && people.open(content, accountPlace(row.accountId)).email,
        acceptedAt: new Date(acceptedAt).toISOString(),
      }),
    )
    return { acceptances, total: count?.total ?? 0 }
  }

  return {
    /** Newest first. Throws `legal_policy.not_found`. */
    listAll: (slug: string | undefined, page: Page) => asSystem(database.system, (em) => list(em, { slug }, page)),

    /** Of those who are members now, newest first. Throws `organization.*`, `legal_policy.not_found`. */
    listOfMembers: (call: OrganizationCall, organizationId: string, slug: string | undefined, page: Page) =>
      asSystem(database.system, async (em) => {
        await findAdministered(em, call, organizationId)
        return list(em, { slug, organizationId }, page)
      }),
  }
}
