import test from 'ava'
import { post } from './support/batches.ts'
import { createDid } from './support/credentials.ts'
import { openWorld, type World } from './support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

test('a hundred batches are under way at most, however many are sent at once', async (t) => {
  const options = { issuer: await createDid(world), proofType: 'eddsa-rdfc-2022' }
  const row = '{"payload":{"credentialSubject":{"id":"did:example:holder"}}}'
  t.is((await post(world, row, options)).status, 201)
  const { rows } = await world.dependencies.systemSql.query<{ names: string }>({
    text: `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
      where table_name = 'semantic_credential_batches' and column_name <> 'id'`,
    values: [],
  })
  const names = rows[0]?.names
  await world.dependencies.systemSql.query({
    text: `insert into semantic_credential_batches (id, ${names})
      select gen_random_uuid(), ${names} from semantic_credential_batches cross join generate_series(1, 94)`,
    values: [],
  })
  const replies = await Promise.all(Array.from({ length: 40 }, () => post(world, row, options)))
  const statuses = replies.map(({ status }) => status).sort()
  t.deepEqual(statuses, [...Array.from({ length: 5 }, () => 201), ...Array.from({ length: 35 }, () => 409)])
  const other = await world.addTenant()
  const token = await world.tokenOf(other)
  const theirs = { ...options, issuer: await createDid(world, 'ed25519', token) }
  t.is((await post(world, row, theirs, { token })).status, 201)
})
