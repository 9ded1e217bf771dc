import test from 'ava'
import {
  addAccount,
  addMember,
  browserAt,
  createOrganization,
  newEmail,
  PASSWORD,
  tokenOfPerson,
} from '../../support/accounts.ts'
import { type Smtp, startSmtp, tokenIn } from '../../support/smtp.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

let smtp: Smtp
let world: World
test.before(async () => {
  smtp = await startSmtp()
  world = await openWorld({ workflows: true, env: { SMTP_URL: smtp.url, MAIL_RETRY_SECONDS: '0.2' } })
})
test.after.always(async () => {
  await world?.close()
  await smtp?.close()
})

const OTHER = 'nine blue tricycles at dawn'
const problem = (reply: Reply) => [reply.status, reply.json<{ type: string }>().type.replace('/problems#', '')]
const change = (text: string, ...values: unknown[]) =>
  world.dependencies.systemSql.query<Record<string, unknown>>({ text, values })
const request = (email: string) => world.ask('/v1/auth/password-reset', { body: { email } })
const confirm = (token: string, password = OTHER) =>
  browserAt(world).ask('/v1/auth/password-reset/confirm', { body: { token, password } })
const told = ({ status, text, headers }: Reply) => ({
  status,
  text: text.replace(/"instance":"[^"]+"/, ''),
  headers: [...headers.keys()].filter((name) => !['x-request-id', 'date', 'ratelimit'].includes(name)).sort(),
})

test.serial('a lost password is replaced by a mail; all sessions end, and the owner learns of it', async (t) => {
  const account = await addAccount(world)
  const browser = browserAt(world)
  await browser.login(account)
  const [known, unknown] = [await request(account.email), await request(newEmail())]
  t.is(known.status, 202, known.text)
  t.deepEqual(told(known), told(unknown))
  const mail = await smtp.mailTo(account.email)
  const token = tokenIn(mail)
  t.true(mail.text.includes(`${world.url}/account#reset=${token}`))
  t.deepEqual(problem(await confirm(token, 'password1')), [400, 'account.invalid'], 'a refusal uses up no token')
  t.is((await confirm(token)).status, 204)
  t.deepEqual(problem(await confirm(token, PASSWORD)), [400, 'account.token_invalid'])
  t.deepEqual(problem(await browser.refresh()), [401, 'session.invalid'])
  t.is((await browserAt(world).login(account)).status, 401)
  t.is((await browserAt(world).login({ ...account, password: OTHER })).status, 200)
  t.is((await smtp.mailTo(account.email, 2)).headers.get('subject'), 'Your password was changed')
})

test.serial('a link that is an hour old, altered or of another kind sets no password', async (t) => {
  const account = await addAccount(world)
  await request(account.email)
  const token = tokenIn(await smtp.mailTo(account.email))
  t.deepEqual(problem(await confirm(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`)), [
    400,
    'account.token_invalid',
  ])
  const verified = await world.ask('/v1/auth/verify-email', { body: { token, password: account.password } })
  t.deepEqual(problem(verified), [400, 'account.token_invalid'])
  await change(`update account_tokens set expires_at = now() - interval '1 second' where account_id = $1`, account.id)
  t.deepEqual(problem(await confirm(token)), [400, 'account.token_invalid'])
})

test.serial('who has no account gets no mail, and a request names a wrong address', async (t) => {
  const [stranger, account] = [newEmail(), await addAccount(world)]
  t.is((await request(stranger)).status, 202)
  t.is((await request(account.email)).status, 202)
  await smtp.mailTo(account.email)
  for (let nth = 0; ; nth++) {
    const { rows } = await change(`select count(*)::int as pending from account_mails where state = 'PENDING'`)
    if (rows[0]?.pending === 0) break
    if (nth > 200) return t.fail('a mail still waits')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  t.deepEqual(smtp.mailsTo(stranger), [])
  t.like((await request('nobody')).json(), { status: 400, errors: [{ path: 'email' }] })
})

test.serial('20 confirmations of one link at once set one password', async (t) => {
  const account = await addAccount(world)
  await request(account.email)
  const token = tokenIn(await smtp.mailTo(account.email))
  const replies = await Promise.all(Array.from({ length: 20 }, (_, nth) => confirm(token, `${OTHER} ${nth}`)))
  t.is(replies.filter(({ status }) => status === 204).length, 1)
  t.is(replies.filter(({ status }) => status === 400).length, 19)
})

test.serial(
  'whoever opens the link of a mail has a known browser: guesses of strangers do not keep them out',
  async (t) => {
    const account = await addAccount(world)
    await request(account.email)
    const browser = browserAt(world)
    const body = { token: tokenIn(await smtp.mailTo(account.email)), password: OTHER }
    t.is((await browser.ask('/v1/auth/password-reset/confirm', { body })).status, 204)
    for (let nth = 0; nth < 6; nth++) await browserAt(world).login({ ...account, password: 'a wrong password' })
    t.is((await browserAt(world).login({ ...account, password: OTHER })).status, 429)
    t.is((await browser.login({ ...account, password: OTHER })).status, 200)
  },
)

test.serial('a changed password ends the other sessions, needs the present one, and is a good one', async (t) => {
  const account = await addAccount(world)
  const [one, other] = [browserAt(world), browserAt(world)]
  await one.login(account)
  const token = (await other.login(account)).json<{ access_token: string }>().access_token
  const ask = (password: string, new_password: string) =>
    world.ask('/v1/account/password', { token, body: { password, new_password } })
  t.deepEqual(problem(await ask('not the password', OTHER)), [400, 'account.password_wrong'])
  const weak = await ask(PASSWORD, account.email)
  t.deepEqual(problem(weak), [400, 'account.invalid'])
  t.like(weak.json(), { errors: [{ path: 'new_password', code: 'personal' }] })
  t.is((await ask(PASSWORD, OTHER)).status, 204)
  t.deepEqual(problem(await one.refresh()), [401, 'session.invalid'])
  t.is((await other.refresh()).status, 200, 'the session that changed it goes on')
  t.is((await browserAt(world).login({ ...account, password: OTHER })).status, 200)
  const statuses: number[] = []
  for (let nth = 0; nth < 7; nth++) statuses.push((await ask('not the password', OTHER)).status)
  t.deepEqual(statuses, [400, 400, 400, 400, 400, 429, 429], 'a stolen access token does not try out passwords')
})

test.serial('an erased account leaves nothing of the person, and frees the address', async (t) => {
  const account = await addAccount(world)
  const browser = browserAt(world)
  const token = (await browser.login(account)).json<{ access_token: string }>().access_token
  const organizationId = await createOrganization(world, token)
  await request(account.email)
  await smtp.mailTo(account.email)
  const erase = (password: string) => world.ask('/v1/account/erasure', { token, body: { password } })
  t.deepEqual(problem(await erase('not the password')), [400, 'account.password_wrong'])
  const memberId = await addMember(world, organizationId)
  t.deepEqual(problem(await erase(PASSWORD)), [409, 'account.organization_left'])
  await change(`update organization_members set role = 'admin' where account_id = $1`, memberId)
  t.is((await erase(PASSWORD)).status, 204)
  for (const [table, column] of [
    ['accounts', 'id'],
    ['account_sessions', 'account_id'],
    ['account_tokens', 'account_id'],
    ['organization_members', 'account_id'],
  ])
    t.deepEqual((await change(`select 1 from ${table} where ${column} = $1`, account.id)).rows, [], table)
  t.deepEqual(problem(await browser.refresh()), [401, 'session.invalid'])
  t.deepEqual(
    problem(await world.ask('/v1/account', { token })),
    [404, 'account.not_found'],
    'its last token opens nothing',
  )
  t.deepEqual(problem(await world.ask('/v1/organizations', { token, body: {} })), [400, 'request.invalid'])
  t.is((await browserAt(world).login(account)).status, 401)
  const body = { email: account.email, first_name: 'A', last_name: 'B', password: PASSWORD }
  t.is((await world.ask('/v1/auth/register', { body })).status, 201)
  t.regex((await smtp.mailTo(account.email, 2)).text, /#verify=/)
})

test.serial('an organization of nobody else goes with its account; one with a tenant does not', async (t) => {
  const account = await addAccount(world)
  const token = await tokenOfPerson(world, account)
  const [alone, withTenant] = [await createOrganization(world, token), await createOrganization(world, token)]
  const { tenantId } = await world.addTenant()
  await change('update tenants set organization_id = $2 where id = $1', tenantId, withTenant)
  const erase = () => world.ask('/v1/account/erasure', { token, body: { password: PASSWORD } })
  t.is((await erase()).status, 409)
  await change('update tenants set organization_id = null where id = $1', tenantId)
  t.is((await erase()).status, 204)
  t.deepEqual((await change('select 1 from organizations where id = any($1)', [alone, withTenant])).rows, [])
})

test.serial('the links of mails lead to their page of the console, which nobody keeps', async (t) => {
  const reply = await fetch(`${world.url}/account`, { redirect: 'manual' })
  t.is(reply.status, 302)
  t.is(reply.headers.get('location'), '/console/link', 'a browser takes the fragment along')
  t.is(reply.headers.get('cache-control'), 'no-store')
  t.is(reply.headers.get('referrer-policy'), 'no-referrer')
})
