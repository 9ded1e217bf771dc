import test from 'ava'
import { migrate } from '../../../entities/migrate.ts'
import { connect, sqlOf } from '../../../entities/orm.ts'
import { COURSE, create, lines, results } from '../../support/credentials/batches.ts'
import { createDid, sign } from '../../support/credentials/credentials.ts'
import { platformOf } from '../../support/parts/platform.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const AREA = '/v1/credentials/web-semantic'

interface Shown {
  id: string
  batch_id?: string
  batch_row?: number
}

const details = async (id: string) => (await world.ask(`${AREA}/${id}`, { token: world.token })).json<Shown>()
const listed = async () =>
  (await world.ask(`${AREA}?limit=1000`, { token: world.token })).json<{ data: Shown[] }>().data

async function signedBatch() {
  const issuer = await createDid(world)
  const broken = '{"payload":7}'
  const body = [lines(1), broken, lines(2)].join('\n')
  const { id } = await create(world, body, { issuer, proofType: 'eddsa-rdfc-2022', context: COURSE })
  const chunk = { tenantId: world.first.tenantId, batchId: id, from: 1, to: 4 }
  await platformOf(world).batchSigning.signBatchChunk(chunk)
  return { id, issuer, signed: await results(world, id) }
}

async function asOwner(text: string) {
  const owner = await connect(world.config.database.url, 1)
  try {
    await (await sqlOf(owner)).query({ text, values: [] })
  } finally {
    await owner.close()
  }
}

test.serial('the details and the list say which batch and row a credential came from (D-244)', async (t) => {
  const { id, issuer, signed } = await signedBatch()
  t.deepEqual(
    signed.map(({ row }) => row),
    [1, 3, 4],
  )
  const list = await listed()
  for (const { row, id: credentialId } of signed) {
    t.like(await details(credentialId), { batch_id: id, batch_row: row })
    t.like(
      list.find((each) => each.id === credentialId),
      { batch_id: id, batch_row: row },
    )
  }
  const single = await sign(world, issuer)
  for (const shown of [await details(single.id), (await listed()).find((each) => each.id === single.id)])
    t.false('batch_id' in (shown ?? {}) || 'batch_row' in (shown ?? {}), 'a credential of a request came from none')
})

test.serial('credentials that were signed before get their batch and row with the migration (D-244)', async (t) => {
  const { id, issuer, signed } = await signedBatch()
  const single = await sign(world, issuer)
  await asOwner('alter table credentials drop column batch_id, drop column batch_row')
  await asOwner(`delete from migrations where name = '0008-credentials-batch'`)
  await migrate(world.config.database.url, world.config.masterKey)
  for (const { row, id: credentialId } of signed) t.like(await details(credentialId), { batch_id: id, batch_row: row })
  t.false('batch_id' in (await details(single.id)))
  const { rows } = await world.dependencies.systemSql.query<{ forced: boolean }>({
    text: `select bool_and(relforcerowsecurity) as forced from pg_class
      where relname in ('credentials', 'credential_batch_rows')`,
    values: [],
  })
  t.deepEqual(rows, [{ forced: true }])
})

test.serial('a credential row holds a batch and its row there, or neither', async (t) => {
  const { signed } = await signedBatch()
  const half = { text: `update credentials set batch_row = null where id = $1`, values: [signed[0]?.id] }
  t.like(await t.throwsAsync(world.dependencies.systemSql.query(half)), { code: '23514' })
})
