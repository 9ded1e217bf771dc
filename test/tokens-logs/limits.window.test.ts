import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { openWorld, type World } from '../support/world.ts'

const PER_MINUTE = 5

let world: World
test.before(async () => {
  world = await openWorld({ env: { RATE_LIMIT_PER_MINUTE: String(PER_MINUTE) } })
})
test.after.always(() => world?.close())

test('who was over the limit is served again when its window ends, at the time that Retry-After says', async (t) => {
  const ask = () => world.ask('/v1/dids', { token: world.token })
  t.is((await ask()).status, 200)
  // the window that began with the first request ends in 8 s rather than in a minute
  await world.dependencies.sql.query({
    text: 'update rate_limits set expire = $1',
    values: [Date.now() + 8_000],
  })
  for (let request = 1; request < PER_MINUTE; request += 1) t.is((await ask()).status, 200)
  const refused = await ask()
  t.is(refused.status, 429)
  const seconds = Number(refused.headers.get('retry-after'))
  t.true(seconds >= 1 && seconds <= 8, `${seconds}`)
  await wait(seconds * 1_000 + 100)
  t.is((await ask()).status, 200)
})
