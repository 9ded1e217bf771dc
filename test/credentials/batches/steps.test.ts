import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { createPlatform } from '../../../activities/index.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import { COURSE, create, errors, lines, read, steer } from '../../support/credentials/batches.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { until } from '../../support/credentials/dids.ts'
import { codeOf } from '../../support/parts/keys.ts'
import { platformOf } from '../../support/parts/platform.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld() // without a worker: the tests take the steps of the workflow themselves
})
test.after.always(() => world?.close())

async function newBatch(rows: string): Promise<string> {
  const options = { issuer: await createDid(world), proofType: 'eddsa-rdfc-2022', context: COURSE }
  return (await create(world, rows, options)).id
}

test('the patience with a part begins when that part is missed, whatever was missed before (D-085)', async (t) => {
  const id = await newBatch(lines(2))
  const { keys, documents, config } = world.dependencies
  const start = Date.now()
  let [time, away] = [start, 'keys']
  const platform = createPlatform({
    ...world.dependencies,
    now: () => new Date(time),
    config: { ...config, batchPatienceSeconds: 60 },
    keys: { ...keys, ready: () => (away === 'keys' ? Promise.reject(new Unavailable('keys', 'away')) : keys.ready()) },
    documents: { ...documents, signLike: () => Promise.reject(new Unavailable('documents', 'away')) },
  })
  const missed = async (part: string, seconds: number) => {
    away = part
    time = start + seconds * 1_000
    const chunk = { tenantId: world.first.tenantId, batchId: id, from: 1, to: 2 }
    return { outcome: await codeOf(platform.batchSigning.signBatchChunk(chunk)), ...(await read(world, id)).waiting }
  }
  const since = (seconds: number) => new Date(start + seconds * 1_000).toISOString()
  t.like(await missed('keys', 0), { outcome: 'unavailable', part: 'keys', since: since(0) })
  t.like(await missed('documents', 50), { outcome: 'unavailable', part: 'documents', since: since(50) })
  t.like(await missed('documents', 109), { outcome: 'unavailable', part: 'documents', since: since(50) })
  t.is((await read(world, id)).status, 'PROCESSING')
})

test('what a batch leaves to download is whole and in order, however many pages it is read in', async (t) => {
  const rows = 1_001 // two pages and a row
  const id = await newBatch('{"tag":"no payload"}\n'.repeat(rows))
  t.deepEqual(
    (await errors(world, id)).map(({ row }) => row),
    Array.from({ length: rows }, (_, index) => index + 1),
  )
})

test.serial('of a cancelled batch every row is erased, however many there are', async (t) => {
  const id = await newBatch(lines(2_001)) // one more than goes at a time
  t.is((await steer(world, id, 'cancel')).status, 200)
  await platformOf(world).batchEnds.discardBatchRows({ tenantId: world.first.tenantId, batchId: id })
  const { rows } = await world.dependencies.systemSql.query<{ left: number; erased: boolean }>({
    text: `select count(r.input)::int as left, bool_and(b.discarded_at is not null) as erased
      from credential_batches b join credential_batch_rows r on r.batch_id = b.id where b.id = $1`,
    values: [id],
  })
  t.deepEqual(rows, [{ left: 0, erased: true }])
})

test.serial('the rows of a cancelled batch are looked at once each, wherever the unsigned ones stand', async (t) => {
  const { systemSql } = world.dependencies
  const id = await newBatch(lines(1))
  const rows = 20_000
  await systemSql.query({
    text: `insert into credential_batch_rows (batch_id, row_number, tenant_id, state, input)
      select $1, n, $2, case when n > 10000 then 'pending' else 'failed' end, case when n > 10000 then '{}'::json end
      from generate_series(2, $3::int) n`,
    values: [id, world.first.tenantId, rows],
  })
  await systemSql.query({ text: 'update credential_batches set total = $2 where id = $1', values: [id, rows] })
  t.is((await steer(world, id, 'cancel')).status, 200)
  const looks = async () => {
    const text = `select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as count
      from pg_stat_user_tables where relname = 'credential_batch_rows'`
    return (await systemSql.query<{ count: number }>({ text, values: [] })).rows[0]?.count ?? 0
  }
  await wait(2_000) // what a connection has read is counted a second later, or at its next use
  const before = await looks()
  await platformOf(world).batchEnds.discardBatchRows({ tenantId: world.first.tenantId, batchId: id })
  for (let tries = 0; (await looks()) - before < rows && tries < 30; tries++) await wait(500)
  await wait(2_000)
  const seen = (await looks()) - before
  t.true(seen >= rows && seen < 2 * rows, `${seen} rows were read`)
})

test('a workflow is told of a change after each of the pauses that a Temporal which is away is given', async (t) => {
  const id = await newBatch(lines(1))
  let tries = 0
  const within = () => {
    tries += 1
    return Promise.reject(new Unavailable('temporal', 'away'))
  }
  const { batches } = createPlatform({ ...world.dependencies, temporal: { ...world.dependencies.temporal, within } })
  const { tenantId, clientId } = world.first
  await batches.pauseBatch({ tenantId, clientId, requestId: randomUUID() }, id, ['semantic'])
  await until('at once, and after each of four pauses', async () => tries === 5, 60_000)
  t.is((await read(world, id)).status, 'PAUSED')
})
