import test from 'ava'
import { createDid, type Signed, sign } from '../support/credentials/credentials.ts'
import { openWorld, type World } from '../support/world.ts'

const SIGNED = 2_000
const AT_ONCE = 64

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

interface Entry {
  statusListCredential: string
  statusListIndex: string
}

test('2,000 revocable signs, 64 at once: 2,000 different entries', async (t) => {
  const did = await createDid(world)
  const signed: Signed[] = []
  let begun = 0
  const from = performance.now()
  const work = async () => {
    while (begun++ < SIGNED) signed.push(await sign(world, did, { revocable: true }))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  t.log(`${Math.round((SIGNED / (performance.now() - from)) * 1000)} signs a second`)
  const entries = signed.map(({ credential }) => credential.credentialStatus as Entry)
  t.is(signed.length, SIGNED)
  t.is(new Set(signed.map(({ id }) => id)).size, SIGNED)
  t.is(new Set(entries.map((entry) => `${entry.statusListCredential} ${entry.statusListIndex}`)).size, SIGNED)
  const indexes = entries.map(({ statusListIndex }) => Number(statusListIndex))
  t.true(indexes.every((index) => Number.isInteger(index) && index >= 0 && index < 131_072))
  // the order of issuance does not show: neighbours in time are as far apart as chance has it, a third of the list
  const apart = indexes.slice(1).map((index, at) => Math.abs(index - (indexes[at] ?? 0)))
  const mean = apart.reduce((sum, distance) => sum + distance, 0) / apart.length
  t.true(mean > 131_072 / 4 && mean < 131_072 / 2.4, `mean distance ${mean}`)
  const { rows } = await world.dependencies.systemSql.query<{ pairs: number; used: number }>({
    text: `select (select count(distinct (status_list_id, status_index))::int from credentials) as pairs,
      (select sum(used)::int from status_lists) as used`,
    values: [],
  })
  t.is(rows[0]?.pairs, SIGNED)
  t.true((rows[0]?.used ?? 0) >= SIGNED)
})
