import { randomUUID } from 'node:crypto'
import test from 'ava'
import { generateSync } from 'otplib'
import { createDevices } from '../../../activities/administration/accounts/devices.ts'
import { makeOperatorAccount } from '../../../activities/administration/accounts/operators.ts'
import { createPeople } from '../../../activities/administration/accounts/people.ts'
import { createResets } from '../../../activities/administration/mails/resets.ts'
import {
  addAccount,
  browserAt,
  createOrganization,
  membershipsOf,
  newEmail,
  PASSWORD,
  type SessionToken,
  tokenOfPerson,
} from '../../support/accounts.ts'
import { type Smtp, startSmtp, tokenIn } from '../../support/smtp.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

let smtp: Smtp
let world: World
test.before(async () => {
  smtp = await startSmtp()
  const limits = { LOGIN_FAILURES_PER_MINUTE: '1000', ACCOUNT_REQUESTS_PER_HOUR: '1000' }
  world = await openWorld({ workflows: true, env: { SMTP_URL: smtp.url, MAIL_RETRY_SECONDS: '0.2', ...limits } })
})
test.after.always(async () => {
  await world?.close()
  await smtp?.close()
})

const OTHER = 'nine blue tricycles at dawn'
const problem = (reply: Reply) => [reply.status, reply.json<{ type: string }>().type.replace('/problems#', '')]
const change = (text: string, ...values: unknown[]) =>
  world.dependencies.systemSql.query<Record<string, unknown>>({ text, values })
const indexOf = (email: string) => createPeople(world.config.masterKey).indexOf(email)
const registration = (email: string) => ({ email, first_name: 'Ada', last_name: 'Lovelace', password: PASSWORD })

test.serial('a registration whose time is over begins no account', async (t) => {
  const email = newEmail()
  t.is((await world.ask('/v1/auth/register', { body: registration(email) })).status, 201)
  const token = tokenIn(await smtp.mailTo(email))
  const verify = () => browserAt(world).ask('/v1/auth/verify-email', { body: { token, password: PASSWORD } })
  const ages = (at: string) =>
    change(
      `update account_registrations set expires_at = now() + interval '${at}' where email_index = $1`,
      indexOf(email),
    )
  await ages('-1 second')
  t.deepEqual(problem(await verify()), [400, 'account.token_invalid'])
  await ages('1 hour')
  t.is((await verify()).status, 200, 'it was for the time alone')
})

test.serial('a registration that is over does not count for another link of its address', async (t) => {
  const email = newEmail()
  await world.ask('/v1/auth/register', { body: registration(email) })
  await smtp.mailTo(email)
  await change('update account_registrations set expires_at = now() where email_index = $1', indexOf(email))
  await change(`update account_mails set created_at = created_at - interval '2 minutes'`)
  await world.ask('/v1/auth/register', { body: { ...registration(email), password: OTHER } })
  const token = tokenIn(await smtp.mailTo(email, 2))
  const verify = (password: string) => browserAt(world).ask('/v1/auth/verify-email', { body: { token, password } })
  t.deepEqual(problem(await verify(PASSWORD)), [400, 'account.password_wrong'])
  t.is((await verify(OTHER)).status, 200)
})

test.serial('what waits under the address of an erased account goes with it', async (t) => {
  const admin = await tokenOfPerson(world, await addAccount(world))
  const account = await addAccount(world)
  const token = await tokenOfPerson(world, account)
  const { invite } = membershipsOf(() => ({ ask: world.ask, token: admin }))
  t.is((await invite(await createOrganization(world, admin), account.email)).status, 201)
  t.is((await world.ask('/v1/auth/register', { body: registration(account.email) })).status, 201)
  await smtp.mailTo(account.email, 2)
  const left = async (table: string, column: string) =>
    (await change(`select 1 from ${table} where ${column} = $1`, indexOf(account.email))).rows.length
  const counts = async () => [
    await left('organization_invitations', 'email_index'),
    await left('account_registrations', 'email_index'),
    await left('account_mails', 'recipient_index'),
  ]
  t.deepEqual(await counts(), [1, 1, 2])
  t.is((await world.ask('/v1/account/erasure', { token, body: { password: PASSWORD } })).status, 204)
  t.deepEqual(await counts(), [0, 0, 0])
})

test('the mark of a browser is good for 180 days (OWASP, Device cookies)', (t) => {
  let at = new Date('2026-01-01T00:00:00Z')
  const devices = createDevices({ config: world.config, now: () => at })
  const index = indexOf(newEmail())
  const { value } = devices.mark(index)
  const later = (days: number) => {
    at = new Date(Date.parse('2026-01-01T00:00:00Z') + days * 86_400_000)
    return devices.deviceOf(index, value)
  }
  t.is(later(179.9), value.split('.')[0])
  t.is(later(180), undefined)
})

test.serial('each change of a password is told to the owner, also two within a minute', async (t) => {
  const account = await addAccount(world)
  const token = await tokenOfPerson(world, account)
  const ask = (password: string, new_password: string) =>
    world.ask('/v1/account/password', { token, body: { password, new_password } })
  t.is((await ask(PASSWORD, OTHER)).status, 204)
  t.is((await ask(OTHER, PASSWORD)).status, 204)
  t.is((await smtp.mailTo(account.email, 2)).headers.get('subject'), 'Your password was changed')
})

test.serial('a changed password ends the links that were mailed before', async (t) => {
  const account = await addAccount(world)
  const token = await tokenOfPerson(world, account)
  await world.ask('/v1/auth/password-reset', { body: { email: account.email } })
  const link = tokenIn(await smtp.mailTo(account.email))
  const body = { password: PASSWORD, new_password: OTHER }
  t.is((await world.ask('/v1/account/password', { token, body })).status, 204)
  const reset = await world.ask('/v1/auth/password-reset/confirm', { body: { token: link, password: PASSWORD } })
  t.deepEqual(problem(reset), [400, 'account.token_invalid'])
})

test.serial('a mail that is sent again after its link was used has no link', async (t) => {
  const account = await addAccount(world)
  await world.ask('/v1/auth/password-reset', { body: { email: account.email } })
  const token = tokenIn(await smtp.mailTo(account.email))
  const [mail] = (await change('select id from account_mails where recipient_index = $1', indexOf(account.email))).rows
  const again = () => createResets(world.dependencies).grant(String(mail?.id), indexOf(account.email))
  t.is(await again(), token, 'a repeated attempt has the same link')
  const body = { token, password: OTHER }
  t.is((await world.ask('/v1/auth/password-reset/confirm', { body })).status, 204)
  t.is(await again(), undefined)
})

test.serial('codes that are guessed for a new authenticator are slowed down', async (t) => {
  const account = await addAccount(world)
  const token = await tokenOfPerson(world, account)
  const ask = (path: string, body: object) => world.ask(`/v1/account/totp${path}`, { token, body })
  t.is((await ask('', { password: PASSWORD })).status, 200)
  const statuses: number[] = []
  for (let nth = 0; nth < 7; nth++) statuses.push((await ask('/confirm', { totp: String(100_000 + nth) })).status)
  t.deepEqual(statuses, [400, 400, 400, 400, 400, 429, 429])
})

test.serial('an account that becomes an operator’s loses its authenticator with the rest', async (t) => {
  const account = await addAccount(world)
  const token = await tokenOfPerson(world, account)
  const ask = (path: string, body: object) => world.ask(`/v1/account/totp${path}`, { token, body })
  const { secret } = (await ask('', { password: PASSWORD })).json<{ secret: string }>()
  t.is((await ask('/confirm', { totp: generateSync({ secret }) })).status, 200)
  t.deepEqual(problem(await browserAt(world).login(account)), [401, 'login.code_required'])
  const call = { tenantId: world.first.tenantId, clientId: 'test', requestId: randomUUID() }
  const { link } = await makeOperatorAccount(world.dependencies, call, account.email)
  const body = { token: link.split('=')[1], password: OTHER }
  t.is((await world.ask('/v1/auth/password-reset/confirm', { body })).status, 204)
  const reply = await browserAt(world).login({ ...account, password: OTHER })
  t.is(reply.status, 200, reply.text)
  t.regex(reply.json<SessionToken>().scope, /platform:write/)
})

test.serial('links and sessions last as long as their mails and the documentation say', async (t) => {
  const email = newEmail()
  const admin = await addAccount(world)
  const token = await tokenOfPerson(world, admin)
  await world.ask('/v1/auth/register', { body: registration(email) })
  const { invite } = membershipsOf(() => ({ ask: world.ask, token }))
  t.is((await invite(await createOrganization(world, token), email)).status, 201)
  await world.ask('/v1/auth/password-reset', { body: { email: admin.email } })
  await smtp.mailTo(admin.email)
  const account = await addAccount(world)
  const call = { tenantId: world.first.tenantId, clientId: 'test', requestId: randomUUID() }
  await makeOperatorAccount(world.dependencies, call, account.email)
  const lasts = async (table: string, column: string, value: unknown) => {
    const text = `select extract(epoch from expires_at - created_at)::float8 / 3600 as hours from ${table} where ${column} = $1`
    const { rows } = await change(text, value)
    return rows.map(({ hours }) => Math.round(Number(hours) * 1000) / 1000)
  }
  t.deepEqual(await lasts('account_registrations', 'email_index', indexOf(email)), [24])
  t.deepEqual(await lasts('organization_invitations', 'email_index', indexOf(email)), [7 * 24])
  t.deepEqual(await lasts('account_tokens', 'account_id', admin.id), [1])
  t.deepEqual(await lasts('account_tokens', 'account_id', account.id), [24])
  t.deepEqual(await lasts('account_sessions', 'account_id', admin.id), [30 * 24])
})

test.serial('who logs out has no cookie of the session any more', async (t) => {
  const browser = browserAt(world)
  await browser.login(await addAccount(world))
  const names = () => [...browser.jar.cookies.keys()].sort()
  t.deepEqual(names(), ['countersign_device', 'countersign_refresh'])
  t.is((await browser.logout()).status, 204)
  t.deepEqual(names(), ['countersign_device'])
})
