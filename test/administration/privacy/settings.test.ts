import { randomUUID } from 'node:crypto'
import test from 'ava'
import { RETENTION, typeOf } from '../../support/privacy/erasures.ts'
import { addNewTenant, keepFor, readKept } from '../../support/privacy/retention.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const keep = (token: string, body: object) => keepFor(world, token, body)
const keptOf = (token: string) => readKept(world, token)
const newTenant = () => addNewTenant(world)

const ALL_KEPT = {
  inactiveUsersDays: null,
  expiredCredentialsDays: null,
  messagesDays: null,
  endedSessionsDays: null,
  finishedBatchesDays: null,
  lastPass: null,
}

test('a tenant that has said nothing keeps everything; what is absent stays as it is', async (t) => {
  const { token } = await newTenant()
  t.deepEqual(await keptOf(token), ALL_KEPT)
  t.deepEqual((await keep(token, {})).json(), ALL_KEPT)
  const set = await keep(token, { inactiveUsersDays: 730, messagesDays: 1, endedSessionsDays: 90 })
  t.is(set.status, 200, set.text)
  t.like(await keptOf(token), { inactiveUsersDays: 730, messagesDays: 1, endedSessionsDays: 90 })
  t.like((await keep(token, { messagesDays: null })).json(), { inactiveUsersDays: 730, messagesDays: null })
  const all = await Promise.all([1, 2, 3, 4, 5].map((days) => keep(token, { expiredCredentialsDays: days * 100 })))
  t.deepEqual(
    all.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  )
  t.like(await keptOf(token), { inactiveUsersDays: 730 })
})

test('least and greatest values hold, and the refusal names field and rule', async (t) => {
  const { token } = await newTenant()
  for (const [body, path] of [
    [{ inactiveUsersDays: 0 }, 'inactiveUsersDays'],
    [{ inactiveUsersDays: -1 }, 'inactiveUsersDays'],
    [{ inactiveUsersDays: 36_501 }, 'inactiveUsersDays'],
    [{ expiredCredentialsDays: 1.5 }, 'expiredCredentialsDays'],
    [{ messagesDays: '7' }, 'messagesDays'],
    [{ messagesDays: [7] }, 'messagesDays'],
    [{ endedSessionsDays: 91 }, 'endedSessionsDays'],
    [{ finishedBatchesDays: 1e300 }, 'finishedBatchesDays'],
    [{ finishedBatchesDays: true }, 'finishedBatchesDays'],
    [{ userDays: 1 }, 'userDays'],
    [{ tenantId: randomUUID() }, 'tenantId'],
    [{ lastPass: null }, 'lastPass'],
  ] as const) {
    const reply = await keep(token, body)
    t.is(reply.status, 400, `${JSON.stringify(body)} ${reply.text}`)
    t.is(typeOf(reply), 'request.invalid')
    t.true(
      reply.json<{ errors: { path: string }[] }>().errors.some((error) => error.path.startsWith(path)),
      reply.text,
    )
  }
  const raw = await world.ask(RETENTION, {
    ...{ method: 'PUT', token, raw: '{"__proto__":{"messagesDays":1}}' },
    headers: { 'content-type': 'application/json' },
  })
  t.is(raw.status, 400)
  t.deepEqual(await keptOf(token), ALL_KEPT)
  const narrow = await world.tokenOf(world.first, 'administration:read')
  t.is((await keep(narrow, { messagesDays: 1 })).status, 403)
})
