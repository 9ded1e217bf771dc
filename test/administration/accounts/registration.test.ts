import { randomUUID } from 'node:crypto'
import test from 'ava'
import { browserAt, newEmail, PASSWORD, type SessionToken } from '../../support/accounts.ts'
import { type Smtp, startSmtp, tokenIn } from '../../support/smtp.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

let smtp: Smtp
let world: World
test.before(async () => {
  smtp = await startSmtp()
  world = await openWorld({
    workflows: true,
    env: { SMTP_URL: smtp.url, MAIL_FROM: 'Countersign <no-reply@id.example>', MAIL_RETRY_SECONDS: '0.2,0.2' },
  })
})
test.after.always(async () => {
  await world?.close()
  await smtp?.close()
})

const person = (more: object = {}) => ({
  email: newEmail(),
  first_name: 'Ada',
  middle_name: null,
  last_name: 'Lovelace',
  password: PASSWORD,
  ...more,
})

const register = (body: object) => world.ask('/v1/auth/register', { body })
const verify = (token: string, password = PASSWORD) =>
  browserAt(world).ask('/v1/auth/verify-email', { body: { token, password } })
const login = (email: string, password = PASSWORD) => browserAt(world).login({ email, password })

/** What an answer tells, but for what is of each request. */
const told = ({ status, headers, text }: Reply) => ({
  status,
  text: text.replace(/"instance":"[^"]+"/, ''),
  headers: [...headers.keys()].filter((name) => !['x-request-id', 'date', 'ratelimit'].includes(name)).sort(),
})

const rowsOf = async (table: string) =>
  (await world.dependencies.systemSql.query<Record<string, unknown>>({ text: `select * from ${table}`, values: [] }))
    .rows

test.serial(
  'a person registers, confirms the address with the mail, and logs in (specification, Other records)',
  async (t) => {
    const body = person({ middle_name: 'Augusta' })
    const reply = await register(body)
    t.is(reply.status, 201, reply.text)
    t.deepEqual(reply.json(), { status: 'VERIFICATION_SENT', expires_in: 86_400 })
    t.is((await login(body.email)).status, 401, 'the address is not confirmed')
    const mail = await smtp.mailTo(body.email)
    t.is(mail.from, 'no-reply@id.example')
    t.deepEqual(mail.to, [body.email])
    t.is(mail.headers.get('from'), 'Countersign <no-reply@id.example>')
    t.false(mail.source.includes('Ada'), 'a mail has no text of a stranger')
    const token = tokenIn(mail)
    t.true(mail.text.includes(`${world.url}/account#verify=${token}`))
    const verified = await verify(token)
    t.is(verified.status, 200, verified.text)
    t.is((await verify(token)).status, 400, 'a token is good once')
    const logged = await login(body.email.toUpperCase())
    t.is(logged.status, 200, logged.text)
    const session = logged.json<SessionToken>()
    t.is(session.account_id, verified.json<{ account_id: string }>().account_id)
    const own = await world.ask('/v1/account', { token: session.access_token })
    t.like(own.json(), {
      id: session.account_id,
      email: body.email,
      first_name: 'Ada',
      middle_name: 'Augusta',
      last_name: 'Lovelace',
      operator: false,
      organizations: [],
    })
  },
)

test.serial('a registered address and an unknown one have the same answer; the owner gets a mail', async (t) => {
  const body = person()
  t.is((await register(body)).status, 201)
  await verify(tokenIn(await smtp.mailTo(body.email)))
  await world.dependencies.systemSql.query({
    text: `update account_mails set created_at = now() - interval '2 minutes'`,
    values: [],
  })
  const [known, unknown] = [await register({ ...body, password: 'another long password' }), await register(person())]
  t.deepEqual(told(known), told(unknown))
  const mail = await smtp.mailTo(body.email, 2)
  t.is(mail.headers.get('subject'), 'You have an account already')
  t.is(tokenIn(mail), '', 'it opens nothing')
  t.is((await login(body.email)).status, 200, 'the password is as before')
  t.is((await login(body.email, 'another long password')).status, 401)
})

test.serial('of two registrations of one address the one counts whose password comes with a mail of it', async (t) => {
  const body = person()
  t.is((await register({ ...body, password: 'the password of a stranger' })).status, 201)
  const first = tokenIn(await smtp.mailTo(body.email))
  await world.dependencies.systemSql.query({
    text: `update account_mails set created_at = now() - interval '2 minutes'`,
    values: [],
  })
  t.is((await register(body)).status, 201)
  const second = tokenIn(await smtp.mailTo(body.email, 2))
  t.like((await verify(second, 'of nobody, and long')).json(), { type: '/problems#account.password_wrong' })
  t.is((await verify(second)).status, 200)
  t.is((await verify(first, 'the password of a stranger')).status, 400, 'the other one is over')
  t.is((await login(body.email, 'the password of a stranger')).status, 401)
  t.is((await login(body.email)).status, 200)
})

test.serial('a stranger who registers an address first gets no account with it, whoever opens the mail', async (t) => {
  const body = person()
  t.is((await register({ ...body, first_name: 'Eve', password: 'the password of a stranger' })).status, 201)
  t.is((await register(body)).status, 201, 'within a minute: no second mail')
  for (let nth = 0; nth < 4; nth++) await register({ ...body, password: `another password ${nth} of a stranger` })
  const token = tokenIn(await smtp.mailTo(body.email))
  t.is((await verify(token)).status, 200)
  const session = (await login(body.email)).json<SessionToken>()
  t.like((await world.ask('/v1/account', { token: session.access_token })).json(), { first_name: 'Ada' })
  t.is((await login(body.email, 'the password of a stranger')).status, 401)
})

test.serial('ten registrations without a mail keep what has one, and five beside it', async (t) => {
  const body = person()
  await register(body)
  const token = tokenIn(await smtp.mailTo(body.email))
  const before = (await rowsOf('account_registrations')).length
  for (let nth = 0; nth < 10; nth++) await register({ ...body, password: `another password ${nth} of a stranger` })
  t.is((await rowsOf('account_registrations')).length, before + 5)
  t.is((await verify(token)).status, 200)
})

test.serial(
  '20 registrations of one address at once send one mail, and six later ones five (pitfalls, One message per cause)',
  async (t) => {
    const body = person()
    const replies = await Promise.all(Array.from({ length: 20 }, () => register(body)))
    t.deepEqual([...new Set(replies.map(({ status }) => status))], [201])
    await smtp.mailTo(body.email)
    const counted = `select count(*)::int as count from account_mails where kind = 'VERIFY_EMAIL' and created_at > now() - interval '1 minute'`
    const count = async () =>
      (await world.dependencies.systemSql.query<{ count: number }>({ text: counted, values: [] })).rows[0]?.count
    const before = await count()
    for (let nth = 0; nth < 6; nth++) {
      await world.dependencies.systemSql.query({
        text: `update account_mails set created_at = created_at - interval '2 minutes'`,
        values: [],
      })
      t.is((await register(body)).status, 201)
    }
    await smtp.mailTo(body.email, 5)
    t.is(smtp.mailsTo(body.email).length, 5)
    t.truthy(before)
  },
)

test.serial(
  'a mail that is refused for now comes later, with the same Message-ID; one that is refused for good ends',
  async (t) => {
    const body = person()
    smtp.refuseNext(451, 451)
    t.is((await register(body)).status, 201)
    const mail = await smtp.mailTo(body.email)
    t.regex(mail.headers.get('message-id') ?? '', /^<[0-9a-f]{32}@id\.example>$/)
    const refused = person()
    smtp.refuseNext(550)
    t.is((await register(refused)).status, 201)
    for (let nth = 0; nth < 200 && !(await rowsOf('account_mails')).some(({ state }) => state === 'FAILED'); nth++)
      await new Promise((resolve) => setTimeout(resolve, 100))
    const ended = (await rowsOf('account_mails')).filter(({ state }) => state === 'FAILED')
    t.deepEqual(
      ended.map(({ content, attempts }) => [content, attempts]),
      [[null, 1]],
    )
    t.is(smtp.mailsTo(refused.email).length, 0)
  },
)

test.serial('each wrong member of a registration is named, and nothing is sent', async (t) => {
  const before = (await rowsOf('account_mails')).length
  const cases: [more: object, path: string, code: string][] = [
    [{ email: 'ada' }, 'email', 'email'],
    [{ email: 'ada@localhost' }, 'email', 'email'],
    [{ email: 'ada@127.0.0.1' }, 'email', 'email'],
    [{ email: `${'a'.repeat(65)}@university.example` }, 'email', 'email'],
    [{ email: 'a@b.example\r\nBcc: c@d.example' }, 'email', 'email'],
    [{ email: 'a@b.example, c@d.example' }, 'email', 'email'],
    [{ email: '"a b"@university.example' }, 'email', 'email'],
    [{ email: 'ａda@university.example' }, 'email', 'email'],
    [{ first_name: 'Ada\r\nBcc: c@d.example' }, 'first_name', 'label'],
    [{ first_name: ' ' }, 'first_name', 'label'],
    [{ last_name: 'x'.repeat(256) }, 'last_name', 'label'],
    [{ middle_name: 'a\u0007b' }, 'middle_name', 'label'],
    [{ middle_name: '' }, 'middle_name', 'label'],
    [{ password: 'short' }, 'password', 'length'],
    [{ password: '🚲'.repeat(129) }, 'password', 'length'],
    [{ password: 'Password123' }, 'password', 'common'],
    [{ password: 'aaaaaaaaaaaa' }, 'password', 'common'],
    [{ password: '12345678' }, 'password', 'common'],
    [{ password: 'ada.lovelace' }, 'password', 'personal'],
    [{ password: 'Countersign' }, 'password', 'personal'],
    [{ password: 'line\nbreak in it' }, 'password', 'control'],
  ]
  for (const [more, path, code] of cases) {
    const reply = await register(person(more))
    t.is(reply.status, 400, JSON.stringify(more))
    t.like(reply.json(), { type: '/problems#account.invalid', errors: [{ path, code }] }, JSON.stringify(more))
  }
  for (const missing of ['email', 'first_name', 'last_name', 'password']) {
    const reply = await register({ ...person(), [missing]: undefined })
    t.is(reply.status, 400, missing)
    t.like(reply.json(), { errors: [{ path: missing }] })
  }
  t.is((await register(person({ is_operator: true }))).status, 400, 'nobody makes themselves an operator')
  t.is((await register(person({ password: 'x'.repeat(1_000_000) }))).status, 400)
  t.is((await rowsOf('account_mails')).length, before)
})

test.serial('addresses that read the same are one: case, and an internationalised domain in any form', async (t) => {
  const local = `p-${randomUUID().slice(0, 8)}`
  const body = person({ email: `${local}@bücher.example` })
  t.is((await register(body)).status, 201)
  const stored = `${local}@xn--bcher-kva.example`
  t.is((await verify(tokenIn(await smtp.mailTo(stored)))).status, 200)
  for (const email of [
    `${local.toUpperCase()}@BÜCHER.example`,
    `${local}@bu\u0308cher.example`,
    `${local}@xn--bcher-kva.example`,
    `${local}@ｂücher.example`,
    `${local}@bücher。example`,
  ])
    t.is((await login(email)).status, 200, email)
})

test.serial('a password is the same in every Unicode form (NIST SP 800-63B, section 5.1.1.2)', async (t) => {
  const body = person({ password: 'grüne Fahrräder ﬁnden' })
  t.is((await register(body)).status, 201)
  await verify(tokenIn(await smtp.mailTo(body.email)), body.password)
  t.is((await login(body.email, 'gru\u0308ne Fahrra\u0308der finden')).status, 200)
  t.is((await login(body.email, 'grune Fahrrader finden')).status, 401)
})

test.serial('names, addresses and tokens are in no row, no workflow and no log in clear', async (t) => {
  const body = person({ first_name: 'Grace-Canary', last_name: 'Hopper-Canary' })
  t.is((await register(body)).status, 201)
  const token = tokenIn(await smtp.mailTo(body.email))
  await verify(token)
  const { rows: tables } = await world.dependencies.systemSql.query<{ name: string }>({
    text: `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and has_table_privilege(oid, 'select')`,
    values: [],
  })
  t.true(tables.some(({ name }) => name === 'outbox'))
  for (const { name } of tables) {
    const text = JSON.stringify(await rowsOf(name), (_key, value: unknown) =>
      value !== null && typeof value === 'object' && 'type' in value && value.type === 'Buffer'
        ? Buffer.from((value as { data?: unknown }).data as number[]).toString('latin1')
        : value,
    )
    for (const secret of ['Grace-Canary', 'Hopper-Canary', body.email, token, PASSWORD])
      t.false(text.includes(secret), name)
  }
  const { client } = world.dependencies.temporal
  let seen = 0
  for await (const { workflowId, runId } of client.workflow.list({ query: `WorkflowType = 'deliverMail'` })) {
    const history = JSON.stringify(await client.workflow.getHandle(workflowId, runId).fetchHistory())
    for (const secret of ['Canary', body.email, token]) t.false(history.includes(secret))
    seen += 1
  }
  t.true(seen > 0)
})
