import test from 'ava'
import { ERASURES, type Erasure, erase } from '../../support/privacy/erasures.ts'
import { newHolder } from '../../support/privacy/issuing.ts'
import { openWorld, type World } from '../../support/world.ts'

// no worker: what is begun stays under way
let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

async function listed(token: string, query = '') {
  const reply = await world.ask(`${ERASURES}${query}`, { token })
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.json<{ data: Erasure[]; limit: number; totalCount: number; totalPages: number }>()
}

test('the erasures of a tenant are listed, newest first, in pages, and name nobody', async (t) => {
  const token = await world.tokenOf(await world.addTenant())
  const first = newHolder()
  const holders = [first, newHolder(), newHolder()]
  const ids: string[] = []
  for (const holder of holders) ids.unshift((await erase(world, { subjectDid: holder }, token)).json<Erasure>().id)
  const whole = await listed(token)
  t.deepEqual(
    whole.data.map(({ id }) => id),
    ids,
  )
  t.deepEqual([whole.limit, whole.totalCount, whole.totalPages], [20, 3, 1])
  const { stays, ...read } = (await world.ask(`${ERASURES}/${ids[0]}`, { token })).json<Erasure>()
  t.true(stays.length > 0)
  t.deepEqual(whole.data[0], read as Erasure, 'as one is read, but for what stays')
  t.deepEqual((await listed(token, '?limit=2&page=2')).data, whole.data.slice(2))
  t.like(await listed(token, '?limit=0'), { data: [], totalCount: 3, totalPages: 0 })
  for (const holder of holders) t.false(JSON.stringify(whole).includes(holder))
  const again = (await erase(world, { subjectDid: first }, token)).json<Erasure>().id
  t.is(ids[2], again)
  t.is((await listed(token)).totalCount, 3, 'the same again is no other one')
})

test('another tenant’s erasures are not listed; a token without the scope lists none', async (t) => {
  const [one, other] = [await world.addTenant(), await world.addTenant()]
  await erase(world, { subjectDid: newHolder() }, await world.tokenOf(one))
  t.deepEqual((await listed(await world.tokenOf(other))).data, [])
  const narrow = await world.tokenOf(one, 'administration:write')
  t.is((await world.ask(ERASURES, { token: narrow })).status, 403)
  t.is((await world.ask(`${ERASURES}?limit=1001`, { token: await world.tokenOf(one) })).status, 400)
})
