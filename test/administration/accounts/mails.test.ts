import test from 'ava'
import { createMailDelivery } from '../../../activities/administration/mails/deliver.ts'
import type { Mail } from '../../../activities/administration/mails/transport.ts'
import { newEmail, PASSWORD } from '../../support/accounts.ts'
import { openWorld, type World } from '../../support/world.ts'

// no worker: the attempts are made here
let world: World
test.before(async () => {
  world = await openWorld({ env: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_RETRY_SECONDS: '30,60' } })
})
test.after.always(() => world?.close())

/** A mail that waits, and attempts at it over a mail server that answers with these codes, then takes it. */
async function waiting(...answers: number[]) {
  const email = newEmail()
  const body = { email, first_name: 'Ada', last_name: 'Lovelace', password: PASSWORD }
  const reply = await world.ask('/v1/auth/register', { body })
  if (reply.status !== 201) throw new Error(reply.text)
  const { systemSql, ...dependencies } = world.dependencies
  const { rows } = await systemSql.query<{ id: string }>({
    text: 'select id from account_mails order by created_at desc limit 1',
    values: [],
  })
  const mailId = rows[0]?.id ?? ''
  const sent: Mail[] = []
  const transport = {
    async send(mail: Mail) {
      sent.push(mail)
      const responseCode = answers.shift()
      if (responseCode !== undefined) throw Object.assign(new Error('refused'), { responseCode })
    },
  }
  const { attemptMail } = createMailDelivery({ ...dependencies, systemSql, transport })
  return { email, sent, attempt: (nth: number) => attemptMail({ tenantId: world.first.tenantId, mailId, nth }) }
}

test.serial('an attempt that is repeated sends nothing again, and says when the next one is', async (t) => {
  const { email, sent, attempt } = await waiting(451)
  t.like(await attempt(1), { state: 'PENDING', code: 'smtp.451', nextInMs: 30_000 })
  const repeated = await attempt(1)
  t.is(repeated.state, 'PENDING')
  t.true((repeated.nextInMs ?? 0) > 25_000 && (repeated.nextInMs ?? 0) <= 30_000, JSON.stringify(repeated))
  t.is(sent.length, 1)
  t.deepEqual(await attempt(2), { state: 'SENT' })
  t.deepEqual(await attempt(3), { state: 'OVER' })
  t.deepEqual(
    sent.map(({ to }) => to),
    [email, email],
  )
})

test.serial('a refusal of the platform’s own password is none of the mail, which comes later', async (t) => {
  const { attempt } = await waiting(535)
  t.like(await attempt(1), { state: 'PENDING', code: 'smtp.535' })
  t.deepEqual(await attempt(2), { state: 'SENT' })
})

test.serial('a mail ends with the last wait, and at once where it is refused for good', async (t) => {
  const { attempt } = await waiting(451, 451, 451)
  t.like(await attempt(1), { state: 'PENDING' })
  t.like(await attempt(2), { state: 'PENDING', nextInMs: 60_000 })
  t.deepEqual(await attempt(3), { state: 'FAILED', code: 'smtp.451' })
  t.deepEqual(await attempt(4), { state: 'OVER' })
  t.deepEqual(await (await waiting(550)).attempt(1), { state: 'FAILED', code: 'smtp.550' })
})
