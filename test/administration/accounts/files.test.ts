import { readdirSync, readFileSync, statSync } from 'node:fs'
import test from 'ava'
import { newEmail, PASSWORD } from '../../support/accounts.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld({ workflows: true })
})
test.after.always(() => world?.close())

const person = () => ({ email: newEmail(), first_name: 'Ada', last_name: 'Lovelace', password: PASSWORD })

test.serial('for trying out, mails are files that their owner alone can read', async (t) => {
  const body = person()
  t.is((await world.ask('/v1/auth/register', { body })).status, 201)
  const directory = world.config.mail?.directory ?? ''
  const files = () => {
    try {
      return readdirSync(directory).filter((name) => name.endsWith('.txt'))
    } catch {
      return []
    }
  }
  for (let nth = 0; nth < 600 && files().length === 0; nth++) await new Promise((resolve) => setTimeout(resolve, 100))
  const [file = ''] = files()
  const path = `${directory}/${file}`
  t.is(statSync(path).mode & 0o777, 0o600)
  t.is(statSync(directory).mode & 0o777, 0o700)
  const text = readFileSync(path, 'utf8')
  t.true(text.includes(`To: ${body.email}`))
  const [, token] = /account#verify=([\w-]+)$/m.exec(text) ?? []
  const message = path.replace(/txt$/, 'eml')
  t.is(statSync(message).mode & 0o777, 0o600)
  t.regex(
    readFileSync(message, 'utf8').replaceAll('=\r\n', ''),
    new RegExp(`account#verify=(3D)?${token}`),
    'as it is sent',
  )
  const reply = await world.ask('/v1/auth/verify-email', { body: { token, password: PASSWORD } })
  t.is(reply.status, 200, reply.text)
})
