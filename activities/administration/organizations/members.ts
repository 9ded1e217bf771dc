import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { asSystem } from '../../../entities/orm.ts'
import { isRole, ROLES, type Role } from '../../../protocol/administration/accounts/roles.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Operations } from '../../frame/operations.ts'
import { accountPlace, type People } from '../accounts/people.ts'
import { findOrganization, lockAdministered, lockOrganization, type OrganizationCall } from './lifecycle.ts'

export interface MemberRecord {
  accountId: string
  email: string
  firstName: string
  middleName: string | null
  lastName: string
  role: Role
  createdAt: Date
}

const LIST = `select m.account_id as "accountId", a.content, m.role, m.created_at as "createdAt"
from organization_members m join accounts a on a.id = m.account_id where m.organization_id = ?
order by m.created_at, m.account_id limit ? offset ?`

/** `createdAt` as PostgreSQL writes it. */
interface MemberRow {
  accountId: string
  content: Buffer
  role: Role
  createdAt: string
}

export function readRole(role: string): Role {
  if (isRole(role)) return role
  throw new Refusal('request.invalid', 'The role is not known.', [
    { path: 'role', code: 'enum', message: `expected one of ${ROLES.join(', ')}` },
  ])
}

const memberNotFound = () => new Refusal('member.not_found', 'The organization has no such member.')

export const countOf = async (em: SqlEntityManager, statement: string, ...values: unknown[]): Promise<number> =>
  (await em.execute<{ total: number }[]>(statement, values))[0]?.total ?? 0

export const MEMBERS = 'select count(*)::int as total from organization_members where organization_id = ?'

/** The organization is locked, so that two administrators cannot go at once. Throws `member.last_admin`. */
export async function assertAdminLeft(em: SqlEntityManager, organizationId: string): Promise<void> {
  if ((await countOf(em, `${MEMBERS} and role = 'admin'`, organizationId)) > 0) return
  throw new Refusal('member.last_admin', 'The organization would have no administrator: make another member one first.')
}

/** What a person sent as an administrator, and what was sent to them, is void when they lose that role or go. */
const WITHDRAW = `delete from organization_invitations where organization_id = ? and (invited_by = ?
  or email_index = (select email_index from accounts where id = ?))`

interface Parts extends Pick<Dependencies, 'database'> {
  operations: Operations
  people: People
}

/** Members of an organization, with a role each. One of them is an administrator at all times. */
export function createMembers({ database, operations, people }: Parts) {
  return {
    /** In the order in which they joined. Throws `organization.not_found`. */
    listMembers: (call: OrganizationCall, id: string, { limit, offset }: { limit: number; offset: number }) =>
      asSystem(database.system, async (em) => {
        await findOrganization(em, call, id)
        const rows = await em.execute<MemberRow[]>(LIST, [id, limit, offset])
        const members = rows.map(
          ({ content, ...row }): MemberRecord => ({
            ...row,
            createdAt: new Date(row.createdAt),
            ...people.open(content, accountPlace(row.accountId)),
          }),
        )
        return { members, total: await countOf(em, MEMBERS, id) }
      }),

    /** Throws `organization.*`, `member.not_found`, `member.last_admin`, `session.invalid`. */
    async changeRole(call: OrganizationCall, id: string, accountId: string, given: string): Promise<Role> {
      const role = readRole(given)
      await operations.changePlatform(call, 'updateOrganizationMember', { id, accountId, role }, async (em) => {
        await lockAdministered(em, call, id)
        const statement =
          'update organization_members set role = ? where organization_id = ? and account_id = ? returning account_id'
        if ((await em.execute(statement, [role, id, accountId])).length === 0) throw memberNotFound()
        if (role !== 'admin') await em.execute(WITHDRAW, [id, accountId, accountId])
        await assertAdminLeft(em, id)
      })
      return role
    },

    /** An administrator removes members, and everybody themselves. Throws as `changeRole`. */
    async remove(call: OrganizationCall, id: string, accountId: string): Promise<void> {
      await operations.changePlatform(call, 'removeOrganizationMember', { id, accountId }, async (em) => {
        const isSelf = call.sessionId !== undefined && call.clientId === accountId
        await (isSelf ? lockOrganization(em, call, id) : lockAdministered(em, call, id))
        const statement =
          'delete from organization_members where organization_id = ? and account_id = ? returning account_id'
        if ((await em.execute(statement, [id, accountId])).length === 0) throw memberNotFound()
        await em.execute(WITHDRAW, [id, accountId, accountId])
        await assertAdminLeft(em, id)
      })
    },
  }
}

export type Members = ReturnType<typeof createMembers>
