import test from 'ava'
import { createDid } from '../../support/credentials/credentials.ts'
import { until } from '../../support/credentials/dids.ts'
import { requestsOf } from '../../support/openid/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld({ workflows: true })
})
test.after.always(() => world?.close())

test('a request that nobody answers ends by itself, and its client hears of it', async (t) => {
  const requests = requestsOf(world, await createDid(world, 'p256'))
  const { id } = await requests.create({ expiresInSec: 30 })
  const { systemSql } = world.dependencies
  await until('the end of the request', async () => (await requests.read(id)).endedAt !== null, 90_000)
  t.like(await requests.read(id), { state: 'EXPIRED', failureCode: 'openid_presentation.expired', credentials: [] })
  const { rows } = await systemSql.query<{ type: string }>({
    text: `select type from logs where metadata->>'id' = $1 and type like 'OPENID4VP_REQUEST_END%'`,
    values: [id],
  })
  t.deepEqual(
    rows.map(({ type }) => type),
    ['OPENID4VP_REQUEST_END_FAIL'],
  )
})
