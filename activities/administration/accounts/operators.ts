import { randomUUID } from 'node:crypto'
import type { Config } from '../../../config.ts'
import type { Sql } from '../../../entities/orm.ts'
import { EMAIL_EXPECTED, readEmail } from '../../../protocol/administration/accounts/emails.ts'
import { digestOf, newSecret } from '../../frame/secrets.ts'
import { accountPlace, createPeople } from './people.ts'

const HOURS = 24

/**
 * Of an account that is there already nothing goes on that somebody else may have: its password, authenticator, sessions
 * and links end, and the new link alone leads to the scopes.
 */
const MAKE = `with account as (
  insert into accounts (id, email_index, content, is_operator) values ($1, $2, $3, true)
  on conflict (email_index) do update set is_operator = true, password_hash = null, password_set_at = now(), updated_at = now()
  returning id),
sessions as (update account_sessions s set ended_at = now() from account where s.account_id = account.id and s.ended_at is null),
links as (delete from account_tokens t using account where t.account_id = account.id),
authenticators as (delete from account_authenticators t using account where t.account_id = account.id)
insert into account_tokens (digest, account_id, expires_at) select $4, id, now() + make_interval(hours => $5) from account
returning account_id as id, expires_at as "expiresAt"`

const REMOVE = `with removed as (update accounts set is_operator = false, updated_at = now() where email_index = $1 and is_operator
  returning id),
links as (delete from account_tokens t using removed where t.account_id = removed.id)
update account_sessions s set ended_at = now() from removed where s.account_id = removed.id and s.ended_at is null`

function indexed(config: Config, given: string) {
  const [email, people] = [readEmail(given), createPeople(config.masterKey)]
  if (email === undefined) throw new Error(`The e-mail address is not valid: ${EMAIL_EXPECTED}.`)
  return { email, people, emailIndex: people.indexOf(email) }
}

/**
 * Makes an account an operator's, and the account where there is none. Returns a link by which its owner sets a password,
 * once: no password is typed into a shell.
 */
export async function makeOperatorAccount(sql: Sql, config: Config, given: string) {
  const { email, people, emailIndex } = indexed(config, given)
  const [newId, token] = [randomUUID(), newSecret()]
  const person = { email, firstName: 'Operator', middleName: null, lastName: 'of the platform' }
  const values = [newId, emailIndex, people.seal(person, accountPlace(newId)), digestOf(token), HOURS]
  const [account] = (await sql.query<{ id: string; expiresAt: string }>({ text: MAKE, values })).rows
  if (!account) throw new Error('an upsert returns its row')
  const link = `${config.publicUrl.origin}/account#reset=${token}`
  return { accountId: account.id, link, expiresAt: new Date(account.expiresAt).toISOString() }
}

/** Takes the scopes of the platform from an account, and ends its sessions. Returns false where it had none. */
export async function endOperatorAccount(sql: Sql, config: Config, given: string): Promise<boolean> {
  const { emailIndex } = indexed(config, given)
  const text = 'select 1 from accounts where email_index = $1 and is_operator'
  const { rows } = await sql.query({ text, values: [emailIndex] })
  await sql.query({ text: REMOVE, values: [emailIndex] })
  return rows.length > 0
}
