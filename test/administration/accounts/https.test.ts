import test from 'ava'
import { addAccount, browserAt, newEmail, PASSWORD } from '../../support/accounts.ts'
import { openWorld, type World } from '../../support/world.ts'

const ORIGIN = 'https://id.university.example'

let world: World
test.before(async () => {
  world = await openWorld({
    env: { PUBLIC_URL: ORIGIN, LOGIN_FAILURES_PER_MINUTE: '30', ACCOUNT_REQUESTS_PER_HOUR: '3' },
  })
})
test.after.always(() => world?.close())

test.serial('over https the cookies are of the very host alone (RFC 6265bis, section 4.1.3.2)', async (t) => {
  const account = await addAccount(world)
  const browser = browserAt({ ...world, url: ORIGIN })
  t.is((await browser.login(account)).status, 200)
  t.deepEqual([...browser.jar.cookies.keys()].sort(), ['__Host-countersign_device', '__Host-countersign_refresh'])
  for (const line of browser.jar.lines) {
    t.regex(line, /; Secure/)
    t.regex(line, /; Path=\/(;|$)/)
    t.notRegex(line, /Domain/)
  }
  t.is((await browser.refresh()).status, 200)
})

test.serial('wrong passwords against many accounts are limited by the address, right ones are not', async (t) => {
  const account = await addAccount(world)
  for (let nth = 0; nth < 40; nth++) t.is((await browserAt(world).login(account)).status, 200, `login ${nth}`)
  const statuses: number[] = []
  for (let nth = 0; nth < 50; nth++) {
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => browserAt(world).login({ email: newEmail(), password: PASSWORD })),
    )
    statuses.push(...replies.map(({ status }) => status))
  }
  t.is(statuses.filter((status) => status === 429).length > 900, true)
  t.true(statuses.filter((status) => status === 401).length <= 60, 'thirty in each of the minutes that this took')
  const body = { email: newEmail(), first_name: 'A', last_name: 'B', password: PASSWORD }
  const registered: number[] = []
  for (let nth = 0; nth < 4; nth++)
    registered.push((await world.ask('/v1/auth/register', { body: { ...body, email: newEmail() } })).status)
  t.deepEqual(registered, [201, 201, 201, 429])
})
