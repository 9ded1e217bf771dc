import { asSystem } from '../../../entities/orm.ts'
import { EMAIL_EXPECTED, readEmail } from '../../../protocol/administration/accounts/emails.ts'
import type { Role } from '../../../protocol/administration/accounts/roles.ts'
import { Refusal, TooMany } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import { digestOf, newSecret } from '../../frame/secrets.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import { accountOf } from '../accounts/calls.ts'
import type { People } from '../accounts/people.ts'
import { lockOwnAccount } from '../accounts/standing.ts'
import type { MailQueue } from '../mails/queue.ts'
import { findAdministered, lockAdministered, type OrganizationCall } from './lifecycle.ts'
import { assertAdminLeft, countOf, MEMBERS, readRole } from './members.ts'

export const INVITATION_DAYS = 7
/** Of one organization at a time. */
const MOST_INVITATIONS = 50
const MOST_MEMBERS = 500

export interface InvitationRecord {
  id: string
  email: string
  role: Role
  expiresAt: Date
}

const INVITE = `insert into organization_invitations as i (id, organization_id, email_index, content, role, token_digest, invited_by, expires_at)
values (?, ?, ?, ?, ?, ?, ?, now() + make_interval(days => ${INVITATION_DAYS}))
on conflict (organization_id, email_index) do update set id = excluded.id, content = excluded.content, role = excluded.role,
  token_digest = excluded.token_digest, invited_by = excluded.invited_by, expires_at = excluded.expires_at, created_at = now()
returning expires_at as "expiresAt"`

const TAKE = `delete from organization_invitations where token_digest = ? and expires_at > now()
returning email_index as "emailIndex", role, invited_by as "invitedBy"`

const BY_TOKEN = `select organization_id as "organizationId" from organization_invitations
where token_digest = ? and expires_at > now()`

/** An administrator of the organization, or an operator. */
const MAY_INVITE = `select 1 from accounts a where a.id = ? and (a.is_operator or exists (select from organization_members m
  where m.account_id = a.id and m.organization_id = ? and m.role = 'admin'))`

/** Expired ones are none, which nobody sees or withdraws. */
const INVITATIONS =
  'select count(*)::int as total from organization_invitations where organization_id = ? and expires_at > now()'

/** Of other addresses: an invitation takes the place of an earlier one to its address. */
const OTHER_INVITATIONS = `${INVITATIONS} and email_index <> ?`
/** A member may accept another role. */
const OTHER_MEMBERS = `${MEMBERS} and account_id <> ?`

const LIST = `select id, content, role, expires_at as "expiresAt" from organization_invitations
where organization_id = ? and expires_at > now() order by created_at desc, id limit ? offset ?`

interface InvitationRow {
  id: string
  content: Buffer
  role: Role
  /** As PostgreSQL writes it. */
  expiresAt: string
}

interface Taken {
  emailIndex: Buffer
  role: Role
  /** The account of who sent it; null: a program of an operator. */
  invitedBy: string | null
}

const badInvitation = () =>
  new Refusal('invitation.invalid', 'The invitation is not good: it was used, has expired, or is for another address.')

const invitationPlace = (id: string) => `invitation/${id}`

interface Parts extends Pick<Dependencies, 'database' | 'uuid'> {
  operations: Operations
  tenants: Tenants
  people: People
  mails: MailQueue
}

/** Invitations to an organization: sent by mail, accepted with an account of their address, listed and withdrawn. */
export function createInvitations({ database, uuid, operations, tenants, people, mails }: Parts) {
  return {
    /**
     * Sends an invitation, in place of an earlier one to the same address. Throws `organization.*`,
     * `invitation.too_many`, `invitation.too_soon`, `session.invalid`, `Unavailable('mail')`.
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
        const { name: organization } = await lockAdministered(em, call, id)
        const pauseSeconds = await mails.enqueue(em, {
          kind: 'INVITATION',
          recipientIndex,
          content: { to: email, token, organization },
          tenantId,
          requestId: call.requestId,
        })
        if (pauseSeconds !== undefined)
          throw new TooMany(
            'invitation.too_soon',
            'The address got an invitation within the last minute, or 5 within the last hour.',
            pauseSeconds,
          )
        if ((await countOf(em, OTHER_INVITATIONS, id, recipientIndex)) >= MOST_INVITATIONS)
          throw new Refusal(
            'invitation.too_many',
            `${MOST_INVITATIONS} invitations of the organization wait: withdraw one first.`,
          )
        const content = people.seal(
          { email, firstName: '', middleName: null, lastName: '' },
          invitationPlace(invitationId),
        )
        const inviter = call.sessionId === undefined ? null : call.clientId
        const values = [invitationId, id, recipientIndex, content, role, digestOf(token), inviter]
        const [row] = await em.execute<{ expiresAt: string }[]>(INVITE, values)
        if (!row) throw new Error('an upsert returns its row')
        return { id: invitationId, email, role, expiresAt: new Date(row.expiresAt) }
      })
    },

    /**
     * The account of the invited address becomes a member, unless who sent the invitation may do so no more. Throws
     * `invitation.invalid`, `account.not_found`, `session.invalid`.
     */
    async accept(call: Call, token: string): Promise<{ organizationId: string; role: Role }> {
      const accountId = accountOf(call)
      const metadata: Record<string, string> = {}
      return operations.changePlatform(call, 'acceptInvitation', metadata, async (em) => {
        const [found] = await em.execute<{ organizationId: string }[]>(BY_TOKEN, [digestOf(token)])
        if (!found) throw badInvitation()
        const { organizationId } = found
        // in the order of every change of members: the organization, then the rest
        await em.execute('select id from organizations where id = ? for update', [organizationId])
        await lockOwnAccount(em, call)
        const [account] = await em.execute<{ emailIndex: Buffer }[]>(
          'select email_index as "emailIndex" from accounts where id = ?',
          [accountId],
        )
        const [taken] = await em.execute<Taken[]>(TAKE, [digestOf(token)])
        if (!account || !taken?.emailIndex.equals(account.emailIndex)) throw badInvitation()
        const { role, invitedBy } = taken
        if (invitedBy !== null && (await em.execute(MAY_INVITE, [invitedBy, organizationId])).length === 0)
          throw badInvitation()
        if ((await countOf(em, OTHER_MEMBERS, organizationId, accountId)) >= MOST_MEMBERS)
          throw new Refusal('invitation.too_many', `An organization has at most ${MOST_MEMBERS} members.`)
        const statement = `insert into organization_members (organization_id, account_id, role) values (?, ?, ?)
          on conflict (organization_id, account_id) do update set role = excluded.role`
        await em.execute(statement, [organizationId, accountId, role])
        await assertAdminLeft(em, organizationId)
        metadata.id = organizationId
        return { organizationId, role }
      })
    },

    /** Those that can be accepted, newest first; without their tokens. Throws `organization.*`. */
    listInvitations: (call: OrganizationCall, id: string, { limit, offset }: { limit: number; offset: number }) =>
      asSystem(database.system, async (em) => {
        await findAdministered(em, call, id)
        const rows = await em.execute<InvitationRow[]>(LIST, [id, limit, offset])
        const invitations = rows.map(
          ({ content, expiresAt, ...row }): InvitationRecord => ({
            ...row,
            email: people.open(content, invitationPlace(row.id)).email,
            expiresAt: new Date(expiresAt),
          }),
        )
        return { invitations, total: await countOf(em, INVITATIONS, id) }
      }),

    /** Its mail opens nothing any more. Throws `organization.*`, `invitation.not_found`, `session.invalid`. */
    async withdraw(call: OrganizationCall, id: string, invitationId: string): Promise<void> {
      await operations.changePlatform(call, 'withdrawOrganizationInvitation', { id, invitationId }, async (em) => {
        await lockAdministered(em, call, id)
        const statement = `delete from organization_invitations where organization_id = ? and id = ? and expires_at > now()
          returning id`
        if ((await em.execute(statement, [id, invitationId])).length > 0) return
        throw new Refusal('invitation.not_found', 'The organization has no such invitation.')
      })
    },
  }
}

export type Invitations = ReturnType<typeof createInvitations>
