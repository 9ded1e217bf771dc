import { randomUUID } from 'node:crypto'
import test from 'ava'
import { csvRows, jsonRows } from '../../../api/credentials/batches/rows.ts'
import type { ReadRow } from '../../../protocol/credentials/batches.ts'
import { post } from '../../support/credentials/batches.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { platformOf } from '../../support/parts/platform.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

/** So many megabytes of one text, which packed are a few hundred bytes. */
async function* flood(megabytes: number, text: string): AsyncGenerator<Uint8Array> {
  const part = Buffer.from(text.repeat(Math.floor(65_536 / text.length)))
  for (let sent = 0; sent < megabytes * 16; sent++) {
    yield part
    sentParts++
  }
}
let sentParts = 0

async function refusedAfter(rows: AsyncIterable<unknown>): Promise<{ code: unknown; parts: number }> {
  sentParts = 0
  try {
    for await (const _row of rows);
  } catch (error) {
    return { code: Object(error).code, parts: sentParts }
  }
  return { code: undefined, parts: sentParts }
}

test.serial('a flood of delimiters or blank lines ends soon, whatever it unpacks to', async (t) => {
  for (const cells of [',', '"",', ',"\n"']) {
    const { code, parts } = await refusedAfter(csvRows(flood(64, cells), ',', 'payload'))
    t.is(code, 'batch.csv_invalid', cells)
    t.true(parts < 16, `${cells}: ${parts} parts of 64 KiB were read`)
  }
  const wide = `${Array.from({ length: 1_000 }, () => 'x').join(',')}\n`
  t.is((await refusedAfter(csvRows(flood(1, wide), ',', 'payload'))).code, 'batch.csv_header')
  for (const line of ['\n', '\r\n', ' \n']) {
    const { code, parts } = await refusedAfter(jsonRows(flood(64, line), 'payload'))
    t.is(code, 'batch.too_many_rows', JSON.stringify(line))
    t.true(parts < 64, `${JSON.stringify(line)}: ${parts} parts of 64 KiB were read`)
  }
})

test('a hundred batches are under way at most, however many are sent at once', async (t) => {
  const options = { issuer: await createDid(world), proofType: 'eddsa-rdfc-2022' }
  const row = '{"payload":{"credentialSubject":{"id":"did:example:holder"}}}'
  t.is((await post(world, row, options)).status, 201)
  const { rows } = await world.dependencies.systemSql.query<{ names: string }>({
    text: `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
      where table_name = 'credential_batches' and column_name <> 'id'`,
    values: [],
  })
  const names = rows[0]?.names
  await world.dependencies.systemSql.query({
    text: `insert into credential_batches (id, ${names})
      select gen_random_uuid(), ${names} from credential_batches cross join generate_series(1, 94)`,
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

test('an upload that is sent again is not counted against itself, where its process ended midway', async (t) => {
  const tenant = await world.addTenant()
  const token = await world.tokenOf(tenant)
  const issuer = await createDid(world, 'ed25519', token)
  const { tenantId } = tenant
  const { systemSql } = world.dependencies
  await systemSql.query({
    text: `insert into credential_batches (id, tenant_id, format, state, attempt, source, options, issuers, request_id, client_id, created_at, last_progress_at)
      select gen_random_uuid(), $1, 'web-semantic', 'PROCESSING', $1, 'jsonl', '{}', '{}', $1, $1, now(), now() from generate_series(1, 99)`,
    values: [tenantId],
  })
  await systemSql.query({
    text: `insert into idempotency_keys (tenant_id, key, request_hash) values ($1, 'again', '')`,
    values: [tenantId],
  })
  const idempotency = { key: 'again', since: '2026-01-01 00:00:00+00' }
  const call = { tenantId, clientId: tenantId, requestId: randomUUID(), idempotency }
  const { batchUploads } = platformOf(world)
  const receive = (rows: () => AsyncIterable<ReadRow>) =>
    batchUploads.receive(call, {
      source: 'jsonl',
      options: { format: 'semantic', issuer, proofType: 'eddsa-rdfc-2022', revocable: false, types: [], contexts: [] },
      rows,
      digest: () => Buffer.alloc(32),
    })
  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const first = receive(async function* () {
    begun.resolve()
    await end.promise
    yield* []
  })
  await begun.promise
  const second = await receive(async function* () {
    yield { input: { payload: { credentialSubject: { id: 'did:example:holder' } } } }
  })
  t.is(second.total, 1)
  end.resolve()
  await t.throwsAsync(first)
  const other = await post(world, '{"payload":{}}', { issuer, proofType: 'eddsa-rdfc-2022' }, { token })
  t.is(other.json().type, '/problems#batch.too_many')
})
