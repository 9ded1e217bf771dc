import { randomUUID } from 'node:crypto'
import test from 'ava'
import { COURSE, create, errors, lines, read, results, steer, until } from '../../support/credentials/batches.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { type Database, ended, erase, erased, openDatabase } from '../../support/privacy/erasures.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let database: Database
let issuer: string
test.before(async () => {
  world = await openWorld({ workflows: true })
  database = await openDatabase(world)
  issuer = await createDid(world, 'ed25519', world.token, true)
})
test.after.always(async () => {
  await database?.close()
  await world?.close()
})

const newHolder = () => `did:example:holder-${randomUUID()}`

/** Every tenth row is about the holder. */
const batchOf = (count: number, holder: string) =>
  create(
    world,
    lines(count, (row) =>
      row % 10 === 0 ? { payload: { credentialSubject: { id: holder, course: `C-${row}` } } } : {},
    ),
    { proofType: 'eddsa-rdfc-2022', revocable: 'true', issuer, context: COURSE },
  )

test.serial('rows of a batch that was not begun are refused, and the rest is signed', async (t) => {
  const holder = newHolder()
  await world.stopWorker()
  const { id } = await batchOf(100, holder)
  const reply = await erase(world, { subjectDid: holder })
  t.is(reply.status, 202)
  await world.startWorker()
  const done = await ended(world, reply.json<{ id: string }>().id)
  const batch = await until(world, id, ({ status }) => status === 'COMPLETED', 60_000)
  // the erasure and the batch began at the same time: a row was refused, or erased after it was signed
  t.is((done.erased.rows ?? 0) + (done.erased.credentials ?? 0), 10)
  t.like(batch, { total: 100, signed: 100 - (done.erased.rows ?? 0), failed: done.erased.rows })
  t.is((await results(world, id)).length, 90)
  t.deepEqual(await database.placesOf(holder), [])
})

test.serial(
  'rows of a paused batch are refused with a reason; what was signed is erased; resumed, it ends',
  async (t) => {
    const holder = newHolder()
    const { id } = await batchOf(3_000, holder)
    await until(world, id, ({ signed }) => signed >= 100, 60_000)
    t.is((await steer(world, id, 'pause')).status, 200)
    await until(world, id, ({ status }) => status === 'PAUSED', 60_000)
    const done = await erased(world, { subjectDid: holder })
    const { rows = 0, credentials = 0 } = done.erased
    t.true(rows > 0 && credentials > 0, JSON.stringify(done.erased))
    t.is(rows + credentials, 300)
    t.deepEqual(await database.placesOf(holder), [])
    const refused = await errors(world, id)
    t.is(refused.length, rows)
    t.like(refused[0], { code: 'row.erased', rule: 'row.erased' })
    t.is((await steer(world, id, 'resume')).status, 200)
    t.like(await until(world, id, ({ status }) => status === 'COMPLETED', 120_000), {
      signed: 3_000 - rows,
      failed: rows,
    })
    t.is((await results(world, id)).length, 2_700)
  },
)

test.serial('an erasure in the midst of the signing leaves no row about the person, signed or not', async (t) => {
  const holder = newHolder()
  const { id } = await batchOf(2_000, holder)
  await until(world, id, ({ signed }) => signed > 0, 60_000)
  const done = await erased(world, { subjectDid: holder })
  const batch = await until(world, id, ({ status }) => status === 'COMPLETED', 120_000)
  const { rows = 0, credentials = 0 } = done.erased
  t.is(rows + credentials, 200)
  t.is(batch.signed + batch.failed, 2_000)
  t.is(batch.failed, rows)
  t.deepEqual(await database.placesOf(holder), [])
})

test.serial('the issuer’s DID is no person of its rows', async (t) => {
  await world.stopWorker()
  const { id } = await create(
    world,
    lines(20, () => ({ payload: { issuer: { id: issuer }, credentialSubject: { course: 'C' } } })),
    {
      ...{ proofType: 'eddsa-rdfc-2022', revocable: 'true', issuer, context: COURSE },
    },
  )
  const reply = await erase(world, { subjectDid: issuer })
  await world.startWorker()
  t.like((await ended(world, reply.json<{ id: string }>().id)).erased, { rows: 0, credentials: 0 })
  t.like(await until(world, id, ({ status }) => status === 'COMPLETED', 60_000), { signed: 20, failed: 0 })
  t.is((await read(world, id)).failed, 0)
})
