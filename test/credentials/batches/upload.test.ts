import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { rowProblem } from '../../../activities/credentials/batches/problems.ts'
import { discardUpload } from '../../../activities/credentials/batches/sweep.ts'
import {
  BATCHES,
  COURSE,
  create,
  errors,
  lines,
  type Posting,
  post,
  results,
  until,
} from '../../support/credentials/batches.ts'
import { createDid, verify } from '../../support/credentials/credentials.ts'
import { platformOf } from '../../support/parts/platform.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld({ workflows: true })
})
test.after.always(() => world?.close())

const options = (issuer: string) => ({ issuer, proofType: 'eddsa-rdfc-2022', context: COURSE })
const completed = (id: string) => until(world, id, ({ status }) => status === 'COMPLETED')

const count = async (text: string, values: unknown[] = []) =>
  (await world.dependencies.systemSql.query<{ count: number }>({ text, values })).rows[0]?.count

test.serial('300 lines of CSV: typed, nested and credential columns (D-081)', async (t) => {
  const issuer = await createDid(world)
  const header = 'id;course;active:boolean;score:number;school.name;$tag;$validUntil;$name\r\n'
  const row = (n: number) =>
    `did:example:${n};"C;""${n}""";${n % 2 === 0};${n}.5;Größe ${n};t-${n};2099-01-01T00:00:00Z;`
  const csv = `\uFEFF${header}${Array.from({ length: 300 }, (_, n) => row(n)).join('\r\n')}`
  const terms = { course: 'https://schema.org/courseCode', active: 'https://example.org/active' }
  const context = JSON.stringify({ ...terms, score: 'https://example.org/score', school: 'https://example.org/school' })
  const made = await create(
    world,
    csv,
    { ...options(issuer), context, delimiter: ';' },
    { type: 'text/csv; charset=utf-8' },
  )
  t.like(await completed(made.id), { total: 300, signed: 300, failed: 0 })
  const tenth = (await results(world, made.id))[9]
  const { credentialSubject, validUntil } = tenth?.credential ?? {}
  const school = { name: 'Größe 9' }
  t.deepEqual(credentialSubject, { id: 'did:example:9', course: 'C;"9"', active: false, score: 9.5, school })
  t.is(validUntil, '2099-01-01T00:00:00Z')
  t.false('name' in (tenth?.credential ?? {}), 'an empty cell is a claim left out')
  const read = await world.ask(`/v1/credentials/web-semantic/${tenth?.id}`, { token: world.token })
  t.like(read.json(), { tag: 't-9', revocable: false })
  t.true((await verify(world, tenth?.credential)).verified)
})

test.serial('a bad row is reported by number, field and rule, and stops no other', async (t) => {
  const issuer = await createDid(world)
  const good = lines(1)
  const rows: [line: string | Uint8Array, code: string, field: string, rule: string][] = [
    ['{"payload":', 'row.invalid', '', 'request.malformed_json'],
    ['{"payload":{},"payload":{}}', 'row.invalid', 'payload', 'member'],
    ['[1]', 'row.invalid', '', 'row.object'],
    ['{"payload":{},"holder":"x"}', 'row.invalid', 'holder', 'row.unknown_member'],
    ['{"tag":"x"}', 'row.invalid', 'payload', 'row.required'],
    [`${'['.repeat(100)}`, 'row.invalid', '', 'depth'],
    [`{"payload":{"name":"${'x'.repeat(70_000)}"}}`, 'row.invalid', '', 'row.too_large'],
    [Buffer.from('7b22ff227d', 'hex'), 'row.invalid', '', 'row.utf8'],
    [
      '{"payload":{"credentialSubject":{"id":"did:example:a","shoeSize":41}}}',
      'credential.term_undefined',
      'payload.credentialSubject.shoeSize',
      'credential.term_undefined',
    ],
    [
      '{"payload":{"issuer":"did:example:nobody","credentialSubject":{"id":"did:example:a"}}}',
      'credential.issuer_unknown',
      'payload.issuer.id',
      'issuer',
    ],
    [
      '{"payload":{"credentialSubject":{"id":"did:example:a"}},"proofType":"rsa"}',
      'credential.proof_type_unsupported',
      'proofType',
      'enum',
    ],
    [
      '{"payload":{"credentialSubject":{"id":"did:example:a"},"validFrom":"soon"}}',
      'credential.invalid',
      'payload.validFrom',
      'credential.date_time',
    ],
  ]
  const body = Buffer.concat([
    Buffer.from(`${good}\n\n`),
    ...rows.flatMap(([line]) => [Buffer.from(line), Buffer.from('\n')]),
    Buffer.from(good),
  ])
  const made = await create(world, new Uint8Array(body), options(issuer))
  t.like(await completed(made.id), { total: rows.length + 2, signed: 2, failed: rows.length })
  const told = await errors(world, made.id)
  t.deepEqual(
    told.map(({ row, code, field, rule }) => [row, code, field, rule]),
    rows.map(([, ...expected], index) => [index + 2, ...expected]),
  )
  t.deepEqual(
    (await results(world, made.id)).map(({ row }) => row),
    [1, rows.length + 2],
  )
  const csv = await world.ask(`${BATCHES}/${made.id}/errors?format=csv`, { token: world.token })
  t.regex(csv.headers.get('content-type') ?? '', /^text\/csv/)
  t.regex(csv.headers.get('content-disposition') ?? '', /^attachment; filename="batch-[0-9a-f-]{36}-errors\.csv"$/)
  t.is(csv.text.split('\r\n')[0], 'row,field,code,rule,message')
  t.is(csv.text.trimEnd().split('\r\n').length, told.length + 1)
})

const wrong: [what: string, body: string | Uint8Array<ArrayBuffer>, status: number, code: string, more?: Posting][] = [
  ['nothing', '\n\n', 400, 'batch.empty'],
  ['a header and nothing else', 'id,course\n', 400, 'batch.empty', { type: 'text/csv' }],
  ['a column twice', 'id,course,course\na,b,c\n', 400, 'batch.csv_header', { type: 'text/csv' }],
  ['a column inside another', 'id,school,school.name\na,b,c\n', 400, 'batch.csv_header', { type: 'text/csv' }],
  ['a column without a name', 'id,,course\na,b,c\n', 400, 'batch.csv_header', { type: 'text/csv' }],
  ['an unknown credential column', 'id,$issuer\na,b\n', 400, 'batch.csv_header', { type: 'text/csv' }],
  ['a prototype', 'id,__proto__.x\na,b\n', 400, 'batch.csv_header', { type: 'text/csv' }],
  ['an open quote', 'id,course\na,"b\n', 400, 'batch.csv_invalid', { type: 'text/csv' }],
  ['a row without end', `id,course\na,"${'x'.repeat(100_000)}"\n`, 400, 'batch.csv_invalid', { type: 'text/csv' }],
  ['Latin-1', new Uint8Array([105, 100, 10, 252, 10]), 400, 'request.not_utf8', { type: 'text/csv' }],
  ['another type', '{}', 415, 'request.unsupported_media_type', { type: 'application/json' }],
  ['another charset', '{}', 415, 'request.unsupported_media_type', { type: 'text/csv; charset=utf-16' }],
  ['no gzip', '{}', 400, 'request.malformed', { headers: { 'content-encoding': 'gzip' } }],
  ['an unknown encoding', '{}', 415, 'request.unsupported_media_type', { headers: { 'content-encoding': 'br' } }],
]

for (const [what, body, status, code, more] of wrong)
  test.serial(`an upload of ${what} is refused, and nothing of it is left`, async (t) => {
    const issuer = await createDid(world)
    const all = 'select count(*)::int from credential_batches'
    const before = await count(all)
    const reply = await post(world, body, options(issuer), more)
    t.is(reply.status, status, reply.text)
    t.is(reply.json().type, `/problems#${code}`)
    t.is(await count(all), before)
  })

test.serial('options that no row could be signed with are refused before any row is read', async (t) => {
  const issuer = await createDid(world)
  const refused = async (more: Record<string, string>) =>
    (await post(world, lines(1), { ...options(issuer), ...more })).json()
  t.like(await refused({ issuer: 'did:example:x' }), { status: 400, type: '/problems#credential.issuer_unknown' })
  t.like(await refused({ proofType: 'bbs-2023' }), { status: 400, type: '/problems#credential.issuer_key_unfit' })
  t.like(await refused({ proofType: 'rsa' }), { status: 400, type: '/problems#credential.proof_type_unsupported' })
  t.like(await refused({ context: '{' }), { status: 400, type: '/problems#request.invalid' })
  t.like(await refused({ delimiter: 'x' }), { status: 400, type: '/problems#request.invalid' })
  t.like(await refused({ nonsense: 'x' }), { status: 400, type: '/problems#request.invalid' })
  const paths = ({ errors }: { errors?: { path: string }[] }) => errors?.map(({ path }) => path)
  for (const [name, value, code] of [
    ['issuer', 'did:example:x', 'credential.issuer_unknown'],
    ['context', 'https://127.0.0.1/context.jsonld', 'context.unavailable'],
    ['context', '{"course":{"@id":1}}', 'context.invalid'],
  ] as const) {
    const reply = await refused({ [name]: value })
    t.like(reply, { status: 400, type: `/problems#${code}` })
    t.deepEqual(paths(reply), [name])
  }
  for (const name of ['issuer', 'proofType']) {
    const { [name]: _, ...rest } = options(issuer) as Record<string, string>
    const reply = (await post(world, 'id,course\na,b\n', rest, { type: 'text/csv' })).json()
    t.like(reply, { status: 400, type: '/problems#request.invalid' })
    t.deepEqual(paths(reply), [name])
  }
})

test.serial('an upload that breaks off leaves nothing, and the next one under its key is a whole one', async (t) => {
  const issuer = await createDid(world)
  const rows = `select count(*)::int from credential_batch_rows r join credential_batches b on b.id = r.batch_id
    where b.state = 'RECEIVING'`
  const seen: unknown[] = []
  const broken = new ReadableStream({
    async start(controller) {
      controller.enqueue(Buffer.from(`${lines(2_000)}\n`))
      for (let tries = 0; (await count(rows)) === 0 && tries < 100; tries++) await wait(50)
      seen.push(await count(rows))
      controller.error(new Error('the caller left'))
    },
  })
  const headers = { 'idempotency-key': `broken-${Date.now()}` }
  await t.throwsAsync(post(world, broken, options(issuer), { headers }))
  t.true(Number(seen[0]) >= 500, 'rows were stored while the caller was still sending')
  for (let tries = 0; (await count(rows)) !== 0 && tries < 100; tries++) await wait(50)
  t.is(await count(rows), 0)
  t.is(await count(`select count(*)::int from credential_batches where state = 'RECEIVING'`), 0)
  const again = await post(world, lines(3), options(issuer), { headers })
  t.is(again.status, 201, again.text)
  t.like(await completed(again.json<{ id: string }>().id), { total: 3, signed: 3 })
})

test.serial('the same upload under the same Idempotency-Key is one batch; another body is refused', async (t) => {
  const issuer = await createDid(world)
  const body = lines(20)
  const key = `upload-${Date.now()}`
  const again = (raw: string, more: Record<string, string> = {}) =>
    post(world, raw, { ...options(issuer), ...more }, { headers: { 'idempotency-key': key } })
  const first = await again(body)
  t.is(first.status, 201)
  const second = await again(body)
  t.is(second.text, first.text)
  t.is(second.headers.get('idempotency-replayed'), 'true')
  t.is((await again(lines(21))).json().type, '/problems#idempotency.key_reused')
  t.is((await again(body, { tag: 'other' })).status, 422)
  const other = `${key}-parallel`
  const parallel = await Promise.all(
    Array.from({ length: 5 }, () => post(world, body, options(issuer), { headers: { 'idempotency-key': other } })),
  )
  const made = parallel.filter(({ status }) => status === 201).map((reply) => reply.json<{ id: string }>().id)
  t.is(new Set(made).size, 1)
  t.true(parallel.every(({ status }) => status === 201 || status === 409))
  const bad = await post(world, '', options(issuer), { headers: { 'idempotency-key': `${key}-bad` } })
  t.is(bad.status, 400)
  const mended = await post(world, body, options(issuer), { headers: { 'idempotency-key': `${key}-bad` } })
  t.is(mended.status, 201, 'a refused upload leaves its key free')
})

test.serial('gzip, blank lines and a last line without an end are read as they are meant', async (t) => {
  const issuer = await createDid(world)
  const text = `\uFEFF${lines(2)}\r\n\r\n  \n${lines(1)}`
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
  const raw = new Uint8Array(await new Response(stream).arrayBuffer())
  const made = await create(world, raw, options(issuer), { headers: { 'content-encoding': 'gzip' } })
  t.like(await completed(made.id), { total: 3, signed: 3, failed: 0 })
})

test.serial('an attempt that another one has taken over deletes none of its rows', async (t) => {
  const { systemSql, sql } = world.dependencies
  const [id, older, newer] = [randomUUID(), randomUUID(), randomUUID()]
  const { tenantId } = world.first
  await systemSql.query({
    text: `insert into credential_batches (id, tenant_id, format, state, attempt, source, options, issuers, request_id, client_id, created_at, last_progress_at)
      values ($1, $2, 'web-semantic', 'RECEIVING', $3, 'jsonl', '{}', '{}', $1, $1, now(), now())`,
    values: [id, tenantId, newer],
  })
  await sql.query({
    text: `select receive_batch_rows($1, $2, $3, 1, array['{"payload":{}}'], array[null]::text[], null)`,
    values: [tenantId, id, newer],
  })
  await discardUpload(sql, { tenantId, id, attempt: older, keepBatch: true })
  const text = 'select count(*)::int as rows from credential_batch_rows where batch_id = $1'
  t.deepEqual((await systemSql.query({ text, values: [id] })).rows, [{ rows: 1 }])
  await discardUpload(sql, { tenantId, id, attempt: newer })
})

test.serial('errors of a batch are read in pages of their bytes, each row once (D-1212)', async (t) => {
  const { systemSql, sql } = world.dependencies
  const [id, attempt] = [randomUUID(), randomUUID()]
  const { tenantId } = world.first
  await systemSql.query({
    text: `insert into credential_batches (id, tenant_id, format, state, attempt, source, options, issuers, request_id, client_id, created_at, last_progress_at)
      values ($1, $2, 'web-semantic', 'RECEIVING', $3, 'jsonl', '{}', '{}', $1, $1, now(), now())`,
    values: [id, tenantId, attempt],
  })
  const problem = rowProblem('row.invalid', [{ path: '', code: 'x', message: 'm'.repeat(200_000) }])
  await sql.query({
    text: 'select receive_batch_rows($1, $2, $3, 1, $4, $5, null)',
    values: [tenantId, id, attempt, Array(8).fill(null), Array(8).fill(problem)],
  })
  const pages: number[][] = []
  for await (const page of platformOf(world).batchFiles.rowErrors(tenantId, id)) pages.push(page.map(({ row }) => row))
  t.deepEqual(pages, [
    [1, 2, 3],
    [4, 5, 6],
    [7, 8],
  ])
  await discardUpload(sql, { tenantId, id, attempt })
})
