import test from 'ava'
import { newEmail, PASSWORD } from '../../support/accounts.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld({ env: { MAIL_DIRECTORY: ' ' } })
})
test.after.always(() => world?.close())

const person = () => ({ email: newEmail(), first_name: 'Ada', last_name: 'Lovelace', password: PASSWORD })

test.serial('without a mail server nobody registers, and the answer says which variable is missing', async (t) => {
  const reply = await world.ask('/v1/auth/register', { body: person() })
  t.is(reply.status, 503)
  t.like(reply.json(), { type: '/problems#mail.unavailable' })
  t.regex(reply.json<{ detail: string }>().detail, /SMTP_URL/)
  t.is(reply.headers.get('retry-after'), '3600')
})
