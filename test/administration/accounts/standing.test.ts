import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import test from 'ava'
import { generateSync } from 'otplib'
import { endOperatorAccount, makeOperatorAccount } from '../../../activities/administration/accounts/operators.ts'
import {
  type Account,
  addAccount,
  browserAt,
  organization,
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

const NEW = 'nine blue tricycles at dawn'
const THIEFS = 'eleven red unicycles at dusk'
const problem = (reply: Reply) => [reply.status, reply.json<{ type: string }>().type.replace('/problems#', '')]
const change = (text: string, ...values: unknown[]) =>
  world.dependencies.systemSql.query<Record<string, unknown>>({ text, values })
const own = (token: string) => (path: string, body: object, method?: string) =>
  world.ask(`/v1/account${path}`, { token, body, ...(method && { method }) })
const login = (account: Account, password = account.password) => browserAt(world).login({ ...account, password })

async function resetToken({ email }: Account): Promise<string> {
  await world.ask('/v1/auth/password-reset', { body: { email } })
  return tokenIn(await smtp.mailTo(email))
}
const reset = (token: string, password = NEW) =>
  world.ask('/v1/auth/password-reset/confirm', { body: { token, password } })

test.serial('after a reset nobody confirms an authenticator, or changes anything, with an earlier token', async (t) => {
  const account = await addAccount(world)
  const thief = own(await tokenOfPerson(world, account))
  const { secret } = (await thief('/totp', { password: PASSWORD })).json<{ secret: string }>()
  const token = await resetToken(account)
  t.is((await reset(token)).status, 204)
  const totp = generateSync({ secret })
  t.deepEqual(problem(await thief('/totp/confirm', { totp })), [401, 'session.invalid'])
  t.deepEqual(problem(await thief('', { first_name: 'Eve', last_name: 'Evil' }, 'PUT')), [401, 'session.invalid'])
  const founded = await world.ask('/v1/organizations', {
    token: await tokenOfPerson(world, { ...account, password: NEW }),
    body: organization(),
  })
  t.is(founded.status, 201, founded.text)
  const again = own((await login(account, NEW)).json<SessionToken>().access_token)
  t.deepEqual(
    problem(await again('/totp/confirm', { totp })),
    [409, 'account.totp_not_enrolled'],
    'it went with the password',
  )
})

for (const lateMs of [0, 5, 10, 20, 40])
  test.serial(`the old password changes nothing ${lateMs} ms after a reset, and begins no session`, async (t) => {
    const account = await addAccount(world)
    const thief = own(await tokenOfPerson(world, account))
    const token = await resetToken(account)
    const browser = browserAt(world)
    const later = <Result>(work: () => Promise<Result>) =>
      new Promise<void>((resolve) => setTimeout(resolve, lateMs)).then(work)
    const [done, changed] = await Promise.all([
      reset(token),
      later(() => thief('/password', { password: PASSWORD, new_password: THIEFS })),
      later(() => browser.login(account)),
    ])
    t.is((await login(account, THIEFS)).status === 200, changed.status === 204 && done.status !== 204)
    if (done.status === 204) {
      t.is((await login(account, NEW)).status, 200)
      t.not((await browser.refresh()).status, 200, 'a session of the old password does not go on')
    }
  })

test.serial('logins during an erasure are refused or end with it', async (t) => {
  const account = await addAccount(world)
  const erase = own(await tokenOfPerson(world, account))
  const [erased, ...logins] = await Promise.all([
    erase('/erasure', { password: PASSWORD }),
    ...Array.from({ length: 4 }, () => login(account)),
  ])
  t.is(erased.status, 204, erased.text)
  for (const { status } of logins) t.true([200, 401, 429].includes(status), String(status))
  t.is((await login(account)).status, 401)
})

test.serial('two links for one account at once: one sets the password, and the other is refused', async (t) => {
  for (let nth = 0; nth < 5; nth++) {
    const account = await addAccount(world)
    const first = await resetToken(account)
    await change(`update account_mails set created_at = created_at - interval '2 minutes'`)
    await world.ask('/v1/auth/password-reset', { body: { email: account.email } })
    const second = tokenIn(await smtp.mailTo(account.email, 2))
    await change(`update accounts set password_set_at = now() - interval '1 hour'`)
    const replies = await Promise.all([reset(first), reset(second, THIEFS)])
    t.deepEqual(replies.map(({ status }) => status).sort(), [204, 400])
  }
})

test.serial('a change of the name does not stop a reset; another password does', async (t) => {
  const account = await addAccount(world)
  const rename = own(await tokenOfPerson(world, account))
  await world.ask('/v1/auth/password-reset', { body: { email: account.email } })
  for (let nth = 0; nth < 3; nth++) await rename('', { first_name: `Ada ${nth}`, last_name: 'L' }, 'PUT')
  t.is((await reset(tokenIn(await smtp.mailTo(account.email)))).status, 204)
})

test.serial('mails of one kind that strangers cause use up none of another kind', async (t) => {
  const account = await addAccount(world)
  const { email } = account
  for (let nth = 0; nth < 6; nth++) {
    await world.ask('/v1/auth/register', { body: { email, first_name: 'Eve', last_name: 'E', password: PASSWORD } })
    await change(`update account_mails set created_at = created_at - interval '2 minutes'`)
  }
  await smtp.mailTo(email, 5)
  await world.ask('/v1/auth/password-reset', { body: { email } })
  t.is((await reset(tokenIn(await smtp.mailTo(email, 6)))).status, 204)
})

test.serial('an account becomes an operator’s by its new link alone, and the link ends with the scopes', async (t) => {
  const { dependencies, first } = world
  const call = { tenantId: first.tenantId, clientId: 'test', requestId: randomUUID() }
  const account = await addAccount(world)
  const browser = browserAt(world)
  await browser.login(account)
  const before = await resetToken(account)
  const linkToken = async () => (await makeOperatorAccount(dependencies, call, account.email)).link.split('=')[1] ?? ''
  const token = await linkToken()
  t.is((await browser.refresh()).status, 401, 'a session of before')
  t.is((await login(account)).status, 401, 'the password of before')
  t.is((await reset(before)).status, 400, 'a link of before')
  t.is((await reset(token)).status, 204)
  t.regex((await login(account, NEW)).json<SessionToken>().scope, /platform:write/)
  const second = await linkToken()
  t.true(await endOperatorAccount(dependencies, call, account.email))
  t.false(await endOperatorAccount(dependencies, call, account.email))
  const { rows } = await change(
    'select type, metadata from logs where request_id = $1 order by timestamp',
    call.requestId,
  )
  const entry = (type: string) => ({ type, metadata: { id: account.id, clientId: 'test' } })
  t.deepEqual(rows, [
    entry('OPERATOR_ACCOUNT_MAKE_SUCCESS'),
    entry('OPERATOR_ACCOUNT_MAKE_SUCCESS'),
    entry('OPERATOR_ACCOUNT_END_SUCCESS'),
  ])
  t.is((await reset(second, THIEFS)).status, 400)
})

test.serial('twenty requests at once found no more organizations than an account may have', async (t) => {
  const account = await addAccount(world)
  const token = await tokenOfPerson(world, account)
  await change(
    `with made as (insert into organizations (id, name, content) select gen_random_uuid(), 'x', ''::bytea
      from generate_series(1, 95) returning id)
    insert into organization_members (organization_id, account_id, role) select id, $1, 'admin' from made`,
    account.id,
  )
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => world.ask('/v1/organizations', { token, body: organization() })),
  )
  t.is(replies.filter(({ status }) => status === 201).length, 5)
  t.deepEqual([...new Set(replies.map(({ status }) => status))].sort(), [201, 409])
})

test.serial('an erased account accepts no policy with the rest of its token', async (t) => {
  const account = await addAccount(world)
  const token = await tokenOfPerson(world, account)
  t.is((await world.ask('/v1/account', { token })).status, 200, 'the session is known for some seconds from now on')
  await change('delete from accounts where id = $1', account.id)
  const reply = await world.ask('/v1/legal/policies/terms/acceptances', { token, body: { version: 1 } })
  // the second one on a machine that took longer than these seconds (D-1187)
  const refusals = [
    [404, 'account.not_found'],
    [401, 'session.invalid'],
  ]
  t.true(
    refusals.some((refusal) => isDeepStrictEqual(problem(reply), refusal)),
    reply.text,
  )
})
