import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { asSystem } from '../../../entities/orm.ts'
import { EMAIL_EXPECTED, readEmail } from '../../../protocol/administration/accounts/emails.ts'
import { isRole, ROLES, type Role } from '../../../protocol/administration/accounts/roles.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import { digestOf, newSecret } from '../../frame/secrets.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import { accountOf } from '../accounts/calls.ts'
import { accountPlace, type People } from '../accounts/people.ts'
import type { MailQueue } from '../mails/queue.ts'
import { findAdministered, findOrganization, type OrganizationCall } from './lifecycle.ts'

export const INVITATION_DAYS = 7
/** Of one organization at a time. */
const MOST_INVITATIONS = 50
const MOST_MEMBERS = 500

export interface MemberRecord {
  accountId: string
  email: string
  firstName: string
  middleName: string | null
  lastName: string
  role: Role
  createdAt: Date
}

export interface InvitationRecord {
  id: string
  email: string
  role: Role
  expiresAt: Date
}

const LIST = `select m.account_id as "accountId", a.content, m.role, m.created_at as "createdAt"
from organization_members m join accounts a on a.id = m.account_id where m.organization_id = ?
order by m.created_at, m.account_id limit ? offset ?`

const INVITE = `insert into organization_invitations as i (id, organization_id, email_index, content, role, token_digest, expires_at)
values (?, ?, ?, ?, ?, ?, now() + make_interval(days => ${INVITATION_DAYS}))
on conflict (organization_id, email_index) do update set id = excluded.id, content = excluded.content, role = excluded.role,
  token_digest = excluded.token_digest, expires_at = excluded.expires_at, created_at = now()
returning expires_at as "expiresAt"`

const TAKE = `delete from organization_invitations where token_digest = ? and expires_at > now()
returning organization_id as "organizationId", email_index as "emailIndex", role`

/** `createdAt` as PostgreSQL writes it. */
interface MemberRow {
  accountId: string
  content: Buffer
  role: Role
  createdAt: string
}

interface Taken {
  organizationId: string
  emailIndex: Buffer
  role: Role
}

const badInvitation = () =>
  new Refusal('invitation.invalid', 'The invitation is not good: it was used, has expired, or is for another address.')

function readRole(role: string): Role {
  if (isRole(role)) return role
  throw new Refusal('request.invalid', 'The role is not known.', [
    { path: 'role', code: 'enum', message: `expected one of ${ROLES.join(', ')}` },
  ])
}

const memberNotFound = () => new Refusal('member.not_found', 'The organization has no such member.')

interface Parts extends Pick<Dependencies, 'database' | 'uuid'> {
  operations: Operations
  tenants: Tenants
  people: People
  mails: MailQueue
}

/** Members of an organization: invited by a mail, with a role each. One of them is an administrator at all times. */
export function createMembers({ database, uuid, operations, tenants, people, mails }: Parts) {
  const count = async (em: SqlEntityManager, statement: string, organizationId: string): Promise<number> =>
    (await em.execute<{ total: number }[]>(statement, [organizationId]))[0]?.total ?? 0

  /** The organization is locked, so that two administrators cannot go at once. Throws `member.last_admin`. */
  async function assertAdminLeft(em: SqlEntityManager, organizationId: string): Promise<void> {
    const admins = `select count(*)::int as total from organization_members where organization_id = ? and role = 'admin'`
    if ((await count(em, admins, organizationId)) > 0) return
    throw new Refusal(
      'member.last_admin',
      'The organization would have no administrator: make another member one first.',
    )
  }

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
        const all = 'select count(*)::int as total from organization_members where organization_id = ?'
        return { members, total: await count(em, all, id) }
      }),

    /**
     * Sends an invitation, in place of an earlier one to the same address. Throws `organization.*`,
     * `invitation.too_many`, `Unavailable('mail')`.
     */
    async invite(
      call: OrganizationCall,
      id: string,
      given: { email: string; role: string },
    ): Promise<InvitationRecord> {
      mails.assertCanSend()
      const role = readRole(given.role)
      const email = readEmail(given.email)
      if (email === undefined)
        throw new Refusal('request.invalid', 'The e-mail address is not valid.', [
          { path: 'email', code: 'email', message: EMAIL_EXPECTED },
        ])
      const [invitationId, token, recipientIndex] = [uuid(), newSecret(), people.indexOf(email)]
      const { id: tenantId } = await tenants.first()
      const metadata = { id, invitationId, role }
      return operations.changePlatform(call, 'inviteOrganizationMember', metadata, async (em) => {
        const { name: organization } = await findAdministered(em, call, id)
        const waiting = 'select count(*)::int as total from organization_invitations where organization_id = ?'
        const sent = await mails.enqueue(em, {
          kind: 'INVITATION',
          recipientIndex,
          content: { to: email, token, organization },
          tenantId,
          requestId: call.requestId,
        })
        if (!sent || (await count(em, waiting, id)) >= MOST_INVITATIONS)
          throw new Refusal('invitation.too_many', 'The address, or the organization, has got too many invitations.')
        const content = people.seal(
          { email, firstName: '', middleName: null, lastName: '' },
          `invitation/${invitationId}`,
        )
        const values = [invitationId, id, recipientIndex, content, role, digestOf(token)]
        const [row] = await em.execute<{ expiresAt: string }[]>(INVITE, values)
        if (!row) throw new Error('an upsert returns its row')
        return { id: invitationId, email, role, expiresAt: new Date(row.expiresAt) }
      })
    },

    /** The account of the invited address becomes a member. Throws `invitation.invalid`, `account.not_found`. */
    async accept(call: Call, token: string): Promise<{ organizationId: string; role: Role }> {
      const accountId = accountOf(call)
      const metadata: Record<string, string> = {}
      return operations.changePlatform(call, 'acceptInvitation', metadata, async (em) => {
        const [account] = await em.execute<{ emailIndex: Buffer }[]>(
          'select email_index as "emailIndex" from accounts where id = ?',
          [accountId],
        )
        if (!account) throw new Refusal('account.not_found', 'The account was deleted.')
        const [taken] = await em.execute<Taken[]>(TAKE, [digestOf(token)])
        if (!taken?.emailIndex.equals(account.emailIndex)) throw badInvitation()
        const { organizationId, role } = taken
        await em.execute('select id from organizations where id = ? for update', [organizationId])
        const all = 'select count(*)::int as total from organization_members where organization_id = ?'
        if ((await count(em, all, organizationId)) >= MOST_MEMBERS)
          throw new Refusal('invitation.too_many', `An organization has at most ${MOST_MEMBERS} members.`)
        const statement = `insert into organization_members (organization_id, account_id, role) values (?, ?, ?)
          on conflict (organization_id, account_id) do update set role = excluded.role`
        await em.execute(statement, [organizationId, accountId, role])
        await assertAdminLeft(em, organizationId)
        metadata.id = organizationId
        return { organizationId, role }
      })
    },

    /** Throws `organization.*`, `member.not_found`, `member.last_admin`. */
    async changeRole(call: OrganizationCall, id: string, accountId: string, given: string): Promise<Role> {
      const role = readRole(given)
      await operations.changePlatform(call, 'updateOrganizationMember', { id, accountId, role }, async (em) => {
        await findAdministered(em, call, id)
        const statement =
          'update organization_members set role = ? where organization_id = ? and account_id = ? returning account_id'
        if ((await em.execute(statement, [role, id, accountId])).length === 0) throw memberNotFound()
        await assertAdminLeft(em, id)
      })
      return role
    },

    /** An administrator removes members, and everybody themselves. Throws as `changeRole`. */
    async remove(call: OrganizationCall, id: string, accountId: string): Promise<void> {
      await operations.changePlatform(call, 'removeOrganizationMember', { id, accountId }, async (em) => {
        const isSelf = call.sessionId !== undefined && call.clientId === accountId
        await (isSelf ? findOrganization(em, call, id, 'for update of o') : findAdministered(em, call, id))
        const statement =
          'delete from organization_members where organization_id = ? and account_id = ? returning account_id'
        if ((await em.execute(statement, [id, accountId])).length === 0) throw memberNotFound()
        await assertAdminLeft(em, id)
      })
    },
  }
}

export type Members = ReturnType<typeof createMembers>
