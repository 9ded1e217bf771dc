import test from 'ava'
import { generateSync } from 'otplib'
import { type Account, addAccount, browserAt, tokenOfPerson } from '../../support/accounts.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const problem = (reply: Reply) => [reply.status, reply.json<{ type: string }>().type.replace('/problems#', '')]
const change = (text: string, ...values: unknown[]) =>
  world.dependencies.systemSql.query<Record<string, unknown>>({ text, values })

/** The code of a time step: 0 is now, -1 the one before. */
const codeOf = (secret: string, step = 0) => generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + step * 30 })

/** Waits for the second half of a step out: the test goes on within one step. */
async function earlyInStep(): Promise<void> {
  const late = Date.now() % 30_000
  if (late > 20_000) await new Promise((resolve) => setTimeout(resolve, 30_100 - late))
}

async function enrolled() {
  const account = await addAccount(world)
  const token = await tokenOfPerson(world, account)
  const ask = (path: string, body: object) => world.ask(`/v1/account/totp${path}`, { token, body })
  const reply = await ask('', { password: account.password })
  if (reply.status !== 200) throw new Error(reply.text)
  const { secret, uri } = reply.json<{ secret: string; uri: string }>()
  return { account, token, ask, secret, uri }
}

async function confirmed() {
  const { secret, ask, ...more } = await enrolled()
  const reply = await ask('/confirm', { totp: codeOf(secret, -1) })
  if (reply.status !== 200) throw new Error(reply.text)
  return { ...more, secret, ask, recovery: reply.json<{ recovery_codes: string[] }>().recovery_codes }
}

const login = (account: Account, totp?: string) => browserAt(world).login(account, totp === undefined ? {} : { totp })

test.serial('an authenticator counts once it is confirmed, and a login then needs its code (RFC 6238)', async (t) => {
  await earlyInStep()
  const { account, ask, secret, uri, token } = await enrolled()
  t.is(new URL(uri).searchParams.get('secret'), secret)
  t.is((await login(account)).status, 200, 'not confirmed yet')
  t.deepEqual(problem(await ask('/confirm', { totp: '000000' })), [400, 'account.code_wrong'])
  const reply = await ask('/confirm', { totp: codeOf(secret, -1) })
  t.is(reply.status, 200, reply.text)
  t.is(reply.json<{ recovery_codes: string[] }>().recovery_codes.length, 10)
  t.like((await world.ask('/v1/account', { token })).json(), { totp: true })
  t.deepEqual(problem(await login(account)), [401, 'login.code_required'])
  t.deepEqual(
    problem(await login({ ...account, password: 'a wrong password' })),
    [401, 'login.refused'],
    'without the password nobody learns of it',
  )
  t.is((await login(account, codeOf(secret))).status, 200)
  t.deepEqual(problem(await ask('', { password: account.password })), [409, 'account.totp_enrolled'])
})

test.serial('a code works once, also for 20 logins at the same time', async (t) => {
  await earlyInStep()
  const { account, secret } = await confirmed()
  t.deepEqual(
    problem(await login(account, codeOf(secret, -1))),
    [401, 'login.code_wrong'],
    'the one that confirmed was used',
  )
  await change('delete from account_attempts')
  const code = codeOf(secret)
  const browser = browserAt(world)
  const replies = await Promise.all(Array.from({ length: 4 }, () => browser.login(account, { totp: code })))
  t.is(replies.filter(({ status }) => status === 200).length, 1, replies.map(({ status }) => status).join())
  await change('delete from account_attempts')
  t.deepEqual(problem(await login(account, code)), [401, 'login.code_wrong'])
  t.deepEqual(
    problem(await login(account, codeOf(secret, -1))),
    [401, 'login.code_wrong'],
    'nor an earlier one after it',
  )
})

test.serial('codes of other times and of other accounts are refused', async (t) => {
  await earlyInStep()
  const [own, other] = [await confirmed(), await enrolled()]
  for (const totp of [
    codeOf(own.secret, 2),
    codeOf(own.secret, -2),
    codeOf(own.secret, 3),
    codeOf(own.secret, -3),
    codeOf(other.secret),
    '',
    '12345',
    '1234567',
    'abcdef',
    '１２３４５６',
  ]) {
    await change('delete from account_attempts')
    const reply = await login(own.account, totp)
    t.is(reply.status, 401, totp)
  }
  t.is((await login(own.account, 'x'.repeat(33))).status, 400)
})

test.serial('each recovery code stands for one code, as people type it', async (t) => {
  await earlyInStep()
  const { account, recovery } = await confirmed()
  const [one = '', two = ''] = recovery
  t.is(new Set(recovery).size, 10)
  t.is((await login(account, one)).status, 200)
  t.deepEqual(problem(await login(account, one)), [401, 'login.code_wrong'])
  t.is((await login(account, two.toLowerCase().replaceAll('-', ' '))).status, 200)
  const { rows } = await change('select digest from account_recovery_codes where account_id = $1', account.id)
  t.is(rows.length, 8)
  t.false(JSON.stringify(rows).includes(recovery[2] ?? ''))
})

test.serial('guessed codes are slowed down like guessed passwords', async (t) => {
  const { account } = await confirmed()
  const statuses: number[] = []
  for (let nth = 0; nth < 8; nth++) statuses.push((await login(account, String(100_000 + nth))).status)
  t.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429, 429])
})

test.serial('a stolen access token neither enrols nor removes an authenticator', async (t) => {
  const { account, token, ask } = await confirmed()
  t.deepEqual(problem(await ask('/remove', { password: 'not the password' })), [400, 'account.password_wrong'])
  const plain = await addAccount(world)
  const stolen = await tokenOfPerson(world, plain)
  const reply = await world.ask('/v1/account/totp', { token: stolen, body: { password: 'not the password' } })
  t.deepEqual(problem(reply), [400, 'account.password_wrong'])
  t.is((await ask('/remove', { password: account.password })).status, 204)
  t.deepEqual(problem(await ask('/remove', { password: account.password })), [409, 'account.totp_not_enrolled'])
  t.deepEqual(problem(await ask('/confirm', { totp: '123456' })), [409, 'account.totp_not_enrolled'])
  t.is((await login(account)).status, 200)
  t.like((await world.ask('/v1/account', { token })).json(), { totp: false })
})

test.serial('the secret is encrypted, bound to its account', async (t) => {
  const { account, secret } = await confirmed()
  const { rows } = await change('select secret from account_authenticators where account_id = $1', account.id)
  t.false(
    Buffer.from(rows[0]?.secret as Buffer)
      .toString('latin1')
      .includes(secret),
  )
})
