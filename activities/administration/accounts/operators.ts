import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Config } from '../../../config.ts'
import { asSystem } from '../../../entities/orm.ts'
import { EMAIL_EXPECTED, readEmail } from '../../../protocol/administration/accounts/emails.ts'
import { OPERATOR_END_ENTRY, OPERATOR_MAKE_ENTRY } from '../../../protocol/administration/entries.ts'
import type { Dependencies } from '../../dependencies.ts'
import { addLogEntry } from '../../frame/log-entries.ts'
import type { Call } from '../../frame/operations.ts'
import { digestOf, newSecret } from '../../frame/secrets.ts'
import { accountPlace, createPeople } from './people.ts'

const HOURS = 24

/**
 * Of an account that is there already nothing goes on that somebody else may have: its password, authenticator, sessions
 * and links end, and the new link alone leads to the scopes.
 */
const MAKE = `with account as (
  insert into accounts (id, email_index, content, is_operator) values (?, ?, ?, true)
  on conflict (email_index) do update set is_operator = true, password_hash = null, password_set_at = now(), updated_at = now()
  returning id),
sessions as (update account_sessions s set ended_at = now() from account where s.account_id = account.id and s.ended_at is null),
links as (delete from account_tokens t using account where t.account_id = account.id),
authenticators as (delete from account_authenticators t using account where t.account_id = account.id)
insert into account_tokens (digest, account_id, expires_at) select ?, id, now() + make_interval(hours => ?) from account
returning account_id as id, expires_at as "expiresAt"`

const REMOVE = `with removed as (update accounts set is_operator = false, updated_at = now() where email_index = ? and is_operator
  returning id),
links as (delete from account_tokens t using removed where t.account_id = removed.id),
sessions as (update account_sessions s set ended_at = now() from removed where s.account_id = removed.id and s.ended_at is null)
select id from removed`

function indexed(config: Config, given: string) {
  const [email, people] = [readEmail(given), createPeople(config.masterKey)]
  if (email === undefined) throw new Error(`The e-mail address is not valid: ${EMAIL_EXPECTED}.`)
  return { email, people, emailIndex: people.indexOf(email) }
}

type Parts = Pick<Dependencies, 'config' | 'database' | 'now' | 'uuid'>

/** The log has who of the command line made whom an operator: the account's id alone. */
function logged(
  em: SqlEntityManager,
  parts: Parts,
  { tenantId, requestId, clientId }: Call,
  entry: typeof OPERATOR_MAKE_ENTRY | typeof OPERATOR_END_ENTRY,
  id: string,
): void {
  addLogEntry(em, parts, { tenantId, requestId, clientId, ...entry, outcome: 'SUCCESS', metadata: { id } })
}

/**
 * Makes an account an operator's, and the account where there is none. Returns a link by which its owner sets a password,
 * once: no password is typed into a shell. `call` is of the first tenant.
 */
export async function makeOperatorAccount(parts: Parts, call: Call, given: string) {
  const { email, people, emailIndex } = indexed(parts.config, given)
  const [newId, token] = [parts.uuid(), newSecret()]
  const person = { email, firstName: 'Operator', middleName: null, lastName: 'of the platform' }
  const values = [newId, emailIndex, people.seal(person, accountPlace(newId)), digestOf(token), HOURS]
  const account = await asSystem(parts.database.system, async (em) => {
    const [row] = await em.execute<{ id: string; expiresAt: string }[]>(MAKE, values)
    if (!row) throw new Error('an upsert returns its row')
    logged(em, parts, call, OPERATOR_MAKE_ENTRY, row.id)
    return row
  })
  const link = `${parts.config.publicUrl.origin}/account#reset=${token}`
  return { accountId: account.id, link, expiresAt: new Date(account.expiresAt).toISOString() }
}

/** Takes the scopes of the platform from an account, and ends its sessions and links. Returns false where it had none. */
export async function endOperatorAccount(parts: Parts, call: Call, given: string): Promise<boolean> {
  const { emailIndex } = indexed(parts.config, given)
  return asSystem(parts.database.system, async (em) => {
    const [row] = await em.execute<{ id: string }[]>(REMOVE, [emailIndex])
    if (row) logged(em, parts, call, OPERATOR_END_ENTRY, row.id)
    return row !== undefined
  })
}
