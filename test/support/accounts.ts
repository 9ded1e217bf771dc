import { randomBytes, randomUUID } from 'node:crypto'
import { createPasswords } from '../../activities/administration/accounts/passwords.ts'
import { accountPlace, createPeople } from '../../activities/administration/accounts/people.ts'
import type { Ask, Reply, World } from './world.ts'

export const PASSWORD = 'seven green bicycles at noon'

export interface Account {
  id: string
  email: string
  password: string
}

export const newEmail = () => `p-${randomBytes(6).toString('hex')}@university.example`

const passwords = createPasswords()
let hashed: Promise<string> | undefined

/** An account whose address is confirmed already. */
export async function addAccount(
  { config, dependencies: { systemSql } }: World,
  { email = newEmail(), operator = false }: { email?: string; operator?: boolean } = {},
): Promise<Account> {
  hashed ??= passwords.hashPassword(PASSWORD)
  const [id, people] = [randomUUID(), createPeople(config.masterKey)]
  const content = people.seal({ email, firstName: 'Ada', middleName: null, lastName: 'Lovelace' }, accountPlace(id))
  await systemSql.query({
    text: 'insert into accounts (id, email_index, content, password_hash, is_operator) values ($1, $2, $3, $4, $5)',
    values: [id, people.indexOf(email), content, await hashed, operator],
  })
  return { id, email, password: PASSWORD }
}

/** What a browser keeps and sends back. */
export class Jar {
  readonly cookies = new Map<string, string>()
  /** The cookies as they were set last, with their attributes. */
  lines: string[] = []

  take({ headers }: Pick<Reply, 'headers'>): void {
    this.lines = headers.getSetCookie()
    for (const line of this.lines) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }

  get header(): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return cookie === '' ? {} : { cookie }
  }
}

export interface SessionToken {
  access_token: string
  expires_in: number
  token_type: string
  scope: string
  account_id: string
  tenant_id: string | null
}

/** A browser at the platform's own page. */
export function browserAt(world: Pick<World, 'url' | 'ask'>, jar = new Jar()) {
  const ask = async (path: string, { headers = {}, ...question }: Ask = {}) => {
    const own = { ...jar.header, 'x-requested-with': 'test', origin: world.url }
    const reply = await world.ask(path, { method: 'POST', ...question, headers: { ...own, ...headers } })
    jar.take(reply)
    return reply
  }
  return {
    jar,
    ask,
    login: (account: Pick<Account, 'email' | 'password'>, more: object = {}) =>
      ask('/v1/auth/login', { body: { email: account.email, password: account.password, ...more } }),
    refresh: (body: object = {}, headers: Record<string, string> = {}) => ask('/v1/auth/refresh', { body, headers }),
    logout: () => ask('/v1/auth/logout'),
  }
}

/** The token of a person who has logged in. */
export async function tokenOfPerson(world: World, account: Account, more: object = {}): Promise<string> {
  const reply = await browserAt(world).login(account, more)
  if (reply.status !== 200) throw new Error(`no login: ${reply.text}`)
  return reply.json<SessionToken>().access_token
}

export const organization = (more: object = {}) => ({
  name: 'Example University',
  registration_number: 'HRB 123456',
  address: 'Unter den Linden 6',
  city: 'Berlin',
  state: 'Berlin',
  zip_code: '10117',
  country: 'DE',
  email: 'office@university.example',
  phone: '+49 30 901820',
  duns_number: '123456789',
  website: 'https://university.example/',
  ...more,
})

export async function createOrganization(world: World, token: string, more: object = {}): Promise<string> {
  const reply = await world.ask('/v1/organizations', { token, body: organization(more) })
  if (reply.status !== 201) throw new Error(`no organization: ${reply.text}`)
  return reply.json<{ id: string }>().id
}

/** Another account as a member; its id. */
/** An invitation that waits; its mail was sent to nobody. */
export async function addInvitation(
  { config, dependencies: { systemSql } }: World,
  organizationId: string,
): Promise<string> {
  const [id, email, people] = [randomUUID(), newEmail(), createPeople(config.masterKey)]
  const content = people.seal({ email, firstName: '', middleName: null, lastName: '' }, `invitation/${id}`)
  await systemSql.query({
    text: `insert into organization_invitations (id, organization_id, email_index, content, role, token_digest, expires_at)
      values ($1, $2, $3, $4, 'issuer', $5, now() + interval '7 days')`,
    values: [id, organizationId, people.indexOf(email), content, randomBytes(32)],
  })
  return id
}

export async function addMember(world: World, organizationId: string, role = 'auditor'): Promise<string> {
  const { id } = await addAccount(world)
  await world.dependencies.systemSql.query({
    text: 'insert into organization_members (organization_id, account_id, role) values ($1, $2, $3)',
    values: [organizationId, id, role],
  })
  return id
}

/** What the examples of accounts speak of. */
export interface AccountSample {
  person: Account
  /** Of somebody with an account. */
  personToken: string
  organizationId: string
  /** An auditor of the organization. */
  memberId: string
  /** For the operation that removes it. */
  spareMemberId: string
  /** Of the organization, to be withdrawn. */
  invitationId: string
  /** For the operation that ends it. */
  spareAccountSessionId: string
}

export async function makeAccountSample(world: World): Promise<AccountSample> {
  const person = await addAccount(world)
  await browserAt(world).login(person)
  const personToken = await tokenOfPerson(world, person)
  const sessions = (await world.ask('/v1/account/sessions', { token: personToken })).json<{
    data: { id: string; current: boolean }[]
  }>().data
  const organizationId = await createOrganization(world, personToken)
  return {
    memberId: await addMember(world, organizationId),
    spareMemberId: await addMember(world, organizationId),
    invitationId: await addInvitation(world, organizationId),
    person,
    personToken,
    organizationId,
    spareAccountSessionId: sessions.find(({ current }) => !current)?.id ?? '',
  }
}

export const ORGANIZATIONS = '/v1/organizations'

/** The operations on members and invitations, as an administrator unless `asker` is the token of somebody else. */
export const membershipsOf = (admin: () => Pick<World, 'ask' | 'token'>) => ({
  invite: (id: string, email: string, role = 'issuer', asker = admin().token) =>
    admin().ask(`${ORGANIZATIONS}/${id}/invitations`, { token: asker, body: { email, role } }),
  accept: (asker: string, secret: string) =>
    admin().ask('/v1/account/invitations', { token: asker, body: { token: secret } }),
  member: (id: string, accountId: string, method: string, body?: object, asker = admin().token) =>
    admin().ask(`${ORGANIZATIONS}/${id}/members/${accountId}`, { method, token: asker, body }),
})
