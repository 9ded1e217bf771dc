import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createCredentialRecorder, type Recording } from '../../activities/credentials/record.ts'
import type { Sql } from '../../entities/orm.ts'
import { createDid, recordingOf, sign } from '../support/credentials/credentials.ts'
import { type Client, openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

/** The platform's own pool, with a note of how often it was asked. */
const counted = () => {
  const { sql } = world.dependencies
  const counting = { statements: 0, query: sql.query.bind(sql) } satisfies Sql & { statements: number }
  counting.query = (query) => {
    counting.statements += 1
    return sql.query(query)
  }
  return counting
}

async function issuerOf(client: Client) {
  const did = await createDid(world, 'ed25519', await world.tokenOf(client))
  const { rows } = await world.dependencies.systemSql.query<{ id: string }>({
    text: 'select id from dids where did = $1',
    values: [did],
  })
  return { tenantId: client.tenantId, didId: String(rows[0]?.id) }
}

interface Stored {
  tenant_id: string
  format: string
  document: unknown
  bytes: Buffer | null
  tag: string
  types: string[]
  logs: number
}

const stored = async ({ row, log }: Recording) => {
  const { rows } = await world.dependencies.systemSql.query<Stored>({
    text: `select tenant_id, format, document, document_bytes as bytes, tag, types,
      (select count(*)::int from logs where id = $2 and tenant_id = credentials.tenant_id) as logs
      from credentials where id = $1`,
    values: [row.id, log.id],
  })
  return rows[0]
}

test('credentials of several tenants share statements, each under its own tenant, with its log entry', async (t) => {
  const [one, two] = [await issuerOf(world.first), await issuerOf(await world.addTenant())]
  const sql = counted()
  const recorder = createCredentialRecorder(sql)
  const rows = Array.from({ length: 60 }, (_, index) => recordingOf(index % 2 ? one : two))
  const outcomes = await Promise.all(rows.map((row) => recorder.record(row)))
  t.deepEqual(new Set(outcomes), new Set(['recorded']))
  t.true(sql.statements <= 4, `${sql.statements} statements`)
  for (const row of rows) {
    const { tenantId: tenant_id, format, document, tag, types } = row.row
    t.deepEqual(await stored(row), { tenant_id, format, document, bytes: null, tag: String(tag), types, logs: 1 })
  }
})

test('rows of one tenant are stored by one statement, and so are their log entries (D-930)', async (t) => {
  const owner = await issuerOf(world.first)
  const recorder = createCredentialRecorder(world.dependencies.sql)
  const rows = Array.from({ length: 12 }, () => recordingOf(owner))
  const gone = recordingOf({ ...owner, didId: randomUUID() })
  const all = [...rows.slice(0, 6), gone, ...rows.slice(6)]
  const outcomes = await Promise.all(all.map((row) => recorder.record(row)))
  t.deepEqual(
    outcomes,
    all.map((row) => (row === gone ? 'issuer_gone' : 'recorded')),
  )
  const commandsOf = async (table: 'credentials' | 'logs', ids: string[]) => {
    const { rows } = await world.dependencies.systemSql.query<{ stored: number; commands: number }>({
      text: `select count(*)::int as stored, count(distinct (xmin::text, cmin::text))::int as commands
        from ${table} where id = any($1)`,
      values: [ids],
    })
    return rows[0]
  }
  const ids = all.map(({ row }) => row.id)
  t.deepEqual(await commandsOf('credentials', ids), { stored: 12, commands: 1 })
  const entries = all.map(({ log }) => log.id)
  t.deepEqual(await commandsOf('logs', entries), { stored: 12, commands: 1 })
})

test('a document of more than 2 kB is stored as it is (D-931)', async (t) => {
  const recording = recordingOf(await issuerOf(world.first), { document: { text: 'the same again, '.repeat(200) } })
  t.is(await createCredentialRecorder(world.dependencies.sql).record(recording), 'recorded')
  const { rows } = await world.dependencies.systemSql.query<{ compression: string | null; size: number }>({
    text: 'select pg_column_compression(document) as compression, pg_column_size(document) as size from credentials where id = $1',
    values: [recording.row.id],
  })
  t.is(rows[0]?.compression, null)
  t.true(Number(rows[0]?.size) > 3_200)
})

test('one credential alone waits for nobody', async (t) => {
  const sql = counted()
  t.is(await createCredentialRecorder(sql).record(recordingOf(await issuerOf(world.first))), 'recorded')
  t.is(sql.statements, 1)
})

test('an outcome is the row’s own: a deleted issuer, another tenant’s issuer, an id that is there', async (t) => {
  const [one, two] = [await issuerOf(world.first), await issuerOf(await world.addTenant())]
  const recorder = createCredentialRecorder(world.dependencies.sql)
  const [first, again] = [recordingOf(one), recordingOf(one)]
  t.is(await recorder.record(first), 'recorded')
  const rows = [
    again,
    recordingOf({ ...one, didId: randomUUID() }),
    recordingOf({ ...one, didId: two.didId }),
    recordingOf(one, { id: first.row.id }),
    recordingOf(two),
  ]
  const outcomes = await Promise.all(rows.map((row) => recorder.record(row)))
  t.deepEqual(outcomes, ['recorded', 'issuer_gone', 'issuer_gone', 'recorded_before', 'recorded'])
})

test('two of one id that come together are one credential with one log entry', async (t) => {
  const owner = await issuerOf(world.first)
  const recorder = createCredentialRecorder(world.dependencies.sql)
  const first = recordingOf(owner)
  const again = recordingOf(owner, { id: first.row.id })
  const outcomes = await Promise.all([first, again].map((recording) => recorder.record(recording)))
  t.deepEqual(outcomes, ['recorded', 'recorded_before'])
  t.is((await stored(first))?.logs, 1)
  t.is((await stored(again))?.logs, 0)
})

test('a document of bytes is recorded as it is, and a row without a document, or with both, is refused', async (t) => {
  const owner = await issuerOf(world.first)
  const recorder = createCredentialRecorder(world.dependencies.sql)
  const document = Buffer.from([0, 255, 92, 120, 39, 10])
  const recording = recordingOf(owner, { format: 'mobile', document })
  t.is(await recorder.record(recording), 'recorded')
  t.like(await stored(recording), { format: 'mobile', document: null, bytes: document })
  const update = (set: string) =>
    world.dependencies.systemSql.query({
      text: `update credentials set ${set} where id = $1`,
      values: [recording.row.id],
    })
  await t.throwsAsync(update(`document = '{}'`), { code: '23514' })
  await t.throwsAsync(update('document_bytes = null'), { code: '23514' })
  await t.throwsAsync(update(`format = 'unknown'`), { code: '23514' })
})

test('of JSON and bytes that come together, each row has its own document, whatever characters are in it', async (t) => {
  const owner = await issuerOf(world.first)
  const recorder = createCredentialRecorder(world.dependencies.sql)
  const texts = ['Zoë\nÅngström', '\u2028\u2029', '𝔘𝔫𝔦 \\ " \t', '漢字']
  const rows = texts.flatMap((text) => [
    recordingOf(owner, { document: { text }, tag: text }),
    recordingOf(owner, { format: 'mobile', document: Buffer.from(text) }),
  ])
  const outcomes = await Promise.all(rows.map((row) => recorder.record(row)))
  t.deepEqual(new Set(outcomes), new Set(['recorded']))
  for (const [place, text] of texts.entries()) {
    const [json, bytes] = rows.slice(2 * place, 2 * place + 2)
    if (json) t.like(await stored(json), { document: { text }, bytes: null, tag: text })
    if (bytes) t.like(await stored(bytes), { document: null, bytes: Buffer.from(text) })
  }
})

test('a document that PostgreSQL could not read again is refused, and a text that only looks like one is not', async (t) => {
  const owner = await issuerOf(world.first)
  const recorder = createCredentialRecorder(world.dependencies.sql)
  const refused = { 'a\u0000b': '22P05', '\ud83d': '22P02', 'x\udc00': '22P02' }
  for (const [text, code] of Object.entries(refused))
    await t.throwsAsync(recorder.record(recordingOf(owner, { document: { text } })), { code })
  for (const text of ['\\u0000', '\\ud83d', '😀']) {
    const recording = recordingOf(owner, { document: { text } })
    t.is(await recorder.record(recording), 'recorded')
    t.like(await stored(recording), { document: { text } })
  }
})

test('a process of the version before, which sends a document among the columns, goes on (D-1036)', async (t) => {
  const { row, log } = recordingOf(await issuerOf(world.first), { document: { text: 'as before' } })
  const columns = {
    id: row.id,
    tenant_id: row.tenantId,
    did_id: row.didId,
    format: row.format,
    document: row.document,
    proof_type: row.proofType,
    tag: null,
    types: row.types,
    issuance_date: row.issuanceDate,
    subjects: [],
  }
  const entry = {
    id: log.id,
    tenant_id: row.tenantId,
    category: log.category,
    type: log.type,
    request_id: log.requestId,
    metadata: log.metadata,
  }
  const { rows } = await world.dependencies.sql.query<{ outcome: string }>({
    text: 'select record_credentials($1, $2, $3, $4) as outcome',
    values: [JSON.stringify(columns), JSON.stringify(entry), [null], [null]],
  })
  t.deepEqual(rows, [{ outcome: 'recorded' }])
  t.like(await stored({ row, log, idempotency: null }), { document: { text: 'as before' }, logs: 1 })
})

test('a row that PostgreSQL refuses fails alone, and those that came with it are recorded', async (t) => {
  const owner = await issuerOf(world.first)
  const recorder = createCredentialRecorder(world.dependencies.sql)
  const taken = recordingOf(owner)
  t.is(await recorder.record(taken), 'recorded')
  const rows = Array.from({ length: 5 }, () => recordingOf(owner))
  const bad = recordingOf(owner, {}, taken.log.id)
  const outcomes = await Promise.allSettled(
    [...rows.slice(0, 3), bad, ...rows.slice(3)].map((row) => recorder.record(row)),
  )
  t.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  )
  for (const row of rows) t.is((await stored(row))?.logs, 1)
  t.is(await stored(bad), undefined)
})

test('a lost connection is nobody’s success, and the rows are not sent a second time', async (t) => {
  let statements = 0
  const lost: Sql = {
    query: () => {
      statements += 1
      return Promise.reject(new Error('Connection terminated unexpectedly'))
    },
  }
  const recorder = createCredentialRecorder(lost)
  const owner = { tenantId: randomUUID(), didId: randomUUID() }
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => recorder.record(recordingOf(owner))))
  t.true(outcomes.every(({ status }) => status === 'rejected'))
  t.is(statements, 1)
})

test('40 signatures at once over HTTP are 40 credentials with 40 log entries', async (t) => {
  const did = await createDid(world)
  const signed = await Promise.all(Array.from({ length: 40 }, () => sign(world, did, { revocable: true })))
  t.is(new Set(signed.map(({ id }) => id)).size, 40)
  const { rows } = await world.dependencies.systemSql.query<{ credentials: number; logs: number; indexes: number }>({
    text: `select count(*)::int as credentials, count(distinct status_index)::int as indexes,
      (select count(*)::int from logs where type = 'CREDENTIAL_WEB_SEMANTIC_SIGN_SUCCESS'
        and metadata->>'id' = any($1)) as logs from credentials where id::text = any($1)`,
    values: [signed.map(({ id }) => id)],
  })
  t.deepEqual(rows[0], { credentials: 40, logs: 40, indexes: 40 })
})
