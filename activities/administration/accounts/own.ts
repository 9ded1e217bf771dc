import { asSystem } from '../../../entities/orm.ts'
import type { Role } from '../../../protocol/administration/accounts/roles.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import { accountOf } from './calls.ts'
import type { OwnPassword } from './own-password.ts'
import { accountPlace, type People, type Person } from './people.ts'
import { type NewUser, namesOf } from './registration.ts'
import { lockOwnAccount } from './standing.ts'

export interface OwnAccount extends Person {
  id: string
  isOperator: boolean
  /** A login needs a code of an authenticator. */
  hasAuthenticator: boolean
  createdAt: Date
  organizations: {
    id: string
    name: string
    role: Role
    tenants: { id: string; name: string; subdomain: string }[]
  }[]
}

const FIND = `select id, content, is_operator as "isOperator", created_at as "createdAt", exists (select from account_authenticators t
  where t.account_id = accounts.id and t.confirmed_at is not null) as "hasAuthenticator" from accounts where id = ?`

const LOCK_ORGANIZATIONS = `select o.id from organizations o join organization_members m on m.organization_id = o.id
  where m.account_id = ? order by o.id for update of o`

/** Organizations that would be left to nobody: with other members or tenants, and no other administrator. */
const LEFT_ALONE = `select count(*)::int as total from organization_members m where m.account_id = ? and m.role = 'admin'
  and not exists (select from organization_members o where o.organization_id = m.organization_id and o.role = 'admin'
    and o.account_id <> m.account_id)
  and (exists (select from organization_members o where o.organization_id = m.organization_id and o.account_id <> m.account_id)
    or exists (select from tenants t where t.organization_id = m.organization_id))`

/** Those of nobody else, without a tenant, go with the account. */
const OWN_ALONE = `delete from organizations o where exists (select from organization_members m
    where m.organization_id = o.id and m.account_id = ?)
  and not exists (select from organization_members m where m.organization_id = o.id and m.account_id <> ?)
  and not exists (select from tenants t where t.organization_id = o.id)`

const ORGANIZATIONS = `select o.id, o.name, m.role, coalesce((select json_agg(json_build_object('id', t.id, 'name', t.name,
    'subdomain', t.subdomain) order by t.created_at, t.id) from tenants t where t.organization_id = o.id and t.deleted_at is null), '[]') as tenants
from organization_members m join organizations o on o.id = m.organization_id where m.account_id = ? order by o.created_at, o.id`

type Row = Pick<OwnAccount, 'id' | 'isOperator' | 'hasAuthenticator'> & { content: Buffer; createdAt: string }

/** Tokens live some minutes longer than their account. */
const gone = () => new Refusal('account.not_found', 'The account was deleted.')

interface Parts extends Pick<Dependencies, 'database'> {
  operations: Operations
  people: People
  ownPassword: OwnPassword
}

/** What people read and change of their own account. */
export function createOwnAccounts({ database, operations, people, ownPassword }: Parts) {
  return {
    /** Throws `account.not_found`, `account.session_required`. */
    readOwn: (call: Call): Promise<OwnAccount> => {
      const id = accountOf(call)
      return asSystem(database.system, async (em) => {
        const [row] = await em.execute<Row[]>(FIND, [id])
        if (!row) throw gone()
        const { content, ...account } = row
        const organizations = await em.execute<OwnAccount['organizations']>(ORGANIZATIONS, [id])
        return {
          ...account,
          createdAt: new Date(account.createdAt),
          ...people.open(content, accountPlace(id)),
          organizations,
        }
      })
    },

    /** Throws `account.invalid`, `account.not_found`, `account.session_required`. */
    async updateOwn(call: Call, input: Omit<NewUser, 'email' | 'password'>): Promise<void> {
      const id = accountOf(call)
      const { names, errors } = namesOf(input)
      if (errors.length > 0)
        throw new Refusal('account.invalid', 'Members of the account are not valid; see errors.', errors)
      await operations.changePlatform(call, 'updateOwnAccount', { id }, async (em) => {
        await lockOwnAccount(em, call)
        const [row] = await em.execute<Row[]>(FIND, [id])
        if (!row) throw gone()
        const content = people.seal({ ...people.open(row.content, accountPlace(id)), ...names }, accountPlace(id))
        await em.execute('update accounts set content = ?, updated_at = now() where id = ?', [content, id])
      })
    },

    /**
     * Erases the account with all that is known of the person; entries of the log keep its id, which leads to nobody any
     * more. Throws `account.password_wrong`, `account.organization_left`, `login.too_many`.
     */
    async erase(call: Call, password: string): Promise<void> {
      const id = accountOf(call)
      const account = await ownPassword.assertOwn(id, password)
      await operations.changePlatform(call, 'eraseOwnAccount', { id }, async (em) => {
        await em.execute(LOCK_ORGANIZATIONS, [id])
        await lockOwnAccount(em, call, account)
        // the account may have joined one meanwhile, and joins no other one from now on
        await em.execute(LOCK_ORGANIZATIONS, [id])
        const [left] = await em.execute<{ total: number }[]>(LEFT_ALONE, [id])
        if ((left?.total ?? 0) > 0)
          throw new Refusal(
            'account.organization_left',
            'The account is the only administrator of an organization with members or tenants.',
          )
        await em.execute(OWN_ALONE, [id, id])
        const erased = await em.execute('delete from accounts where id = ? returning id', [id])
        if (erased.length === 0) throw gone()
        for (const [table, column] of [
          ['account_registrations', 'email_index'],
          ['account_mails', 'recipient_index'],
          ['organization_invitations', 'email_index'],
        ] as const)
          await em.execute(`delete from ${table} where ${column} = ?`, [account.emailIndex])
      })
    },
  }
}

export type OwnAccounts = ReturnType<typeof createOwnAccounts>
