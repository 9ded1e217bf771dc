import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { Unavailable } from '../protocol/errors.ts'
import {
  BATCHES,
  COURSE,
  create,
  errors,
  lines,
  type Posting,
  post,
  read,
  results,
  steer,
  until,
} from './support/batches.ts'
import { createDid, verify } from './support/credentials.ts'
import { openWorld, type World } from './support/world.ts'

/** The worker's key store, as the tests want it. */
const keys = { down: false, slowMs: 0, signed: 0 }

let world: World
test.before(async () => {
  world = await openWorld({
    workflows: true,
    env: { BATCH_PATIENCE_SECONDS: '1' },
    workerKeys: (store) => ({
      ...store,
      async sign(ref, data) {
        keys.signed += 1
        if (keys.slowMs) await wait(keys.slowMs)
        if (keys.down) throw new Unavailable('keys', 'The key store does not answer.', 1)
        return store.sign(ref, data)
      },
      async ready() {
        if (keys.down) throw new Unavailable('keys', 'The key store does not answer.', 1)
        return store.ready()
      },
    }),
  })
})
test.afterEach.always(() => {
  Object.assign(keys, { down: false, slowMs: 0 })
})
test.after.always(() => world?.close())

const options = (issuer: string) => ({ issuer, proofType: 'eddsa-rdfc-2022', context: COURSE })
const completed = (id: string) => until(world, id, ({ status }) => status === 'COMPLETED')

const count = async (text: string, values: unknown[] = []) =>
  (await world.dependencies.systemSql.query<{ count: number }>({ text, values })).rows[0]?.count

test.serial('300 JSON lines become 300 credentials, each of its row, that verify (issue 4, Batches)', async (t) => {
  const issuer = await createDid(world)
  const more = { revocable: 'true', tag: 'spring', type: 'Course' }
  const context = [COURSE, '{"Course":"https://schema.org/Course"}']
  const made = await create(world, lines(300), { ...options(issuer), ...more, context })
  t.like(made, { status: 'PROCESSING', total: 300, signed: 0, failed: 0, pending: 300 })
  t.like(await completed(made.id), { total: 300, signed: 300, failed: 0, pending: 0 })
  t.deepEqual(await errors(world, made.id), [])
  const signed = await results(world, made.id)
  t.deepEqual(
    signed.map(({ row }) => row),
    Array.from({ length: 300 }, (_, index) => index + 1),
  )
  for (const { row, credential } of signed)
    t.deepEqual(credential.credentialSubject, { id: `did:example:holder-${row}`, course: `C-${row}` })
  t.is(new Set(signed.map(({ id }) => id)).size, 300)
  t.is(new Set(signed.map(({ credential }) => JSON.stringify(credential.credentialStatus))).size, 300)
  t.deepEqual(await verify(world, signed[298]?.credential), { verified: true, reason: [] })
  t.deepEqual(
    (await results(world, made.id, 298)).map(({ row }) => row),
    [299, 300],
    'a download goes on after a row',
  )
  const listed = await world.ask('/v1/credentials/web-semantic?tag=spring&limit=0', { token: world.token })
  t.like(listed.json(), { total_count: 300 })
  const left = 'select count(*)::int from semantic_credential_batch_rows where batch_id = $1 and input is not null'
  t.is(await count(left, [made.id]), 0, 'what was signed is kept once')
})

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

test.serial('a bad row is reported by number, field and rule, and stops no other (issue 4, Must show 5)', async (t) => {
  const issuer = await createDid(world)
  const good = lines(1)
  const rows: [line: string | Uint8Array, code: string, rule: string][] = [
    ['{"payload":', 'row.invalid', 'request.malformed_json'],
    ['{"payload":{},"payload":{}}', 'row.invalid', 'member'],
    ['[1]', 'row.invalid', 'row.object'],
    ['{"payload":{},"holder":"x"}', 'row.invalid', 'row.unknown_member'],
    ['{"tag":"x"}', 'row.invalid', 'row.required'],
    [`${'['.repeat(100)}`, 'row.invalid', 'depth'],
    [`{"payload":{"name":"${'x'.repeat(70_000)}"}}`, 'row.invalid', 'row.too_large'],
    [Buffer.from('7b22ff227d', 'hex'), 'row.invalid', 'row.utf8'],
    ['{"payload":{"credentialSubject":{"id":"did:example:a","shoeSize":41}}}', 'credential.term_undefined', ''],
    ['{"payload":{"issuer":"did:example:nobody","credentialSubject":{"id":"did:example:a"}}}', 'credential.issuer_unknown', 'issuer'],
    [
      '{"payload":{"credentialSubject":{"id":"did:example:a"}},"proofType":"rsa"}',
      'credential.proof_type_unsupported',
      'enum',
    ],
    ['{"payload":{"credentialSubject":{"id":"did:example:a"},"validFrom":"soon"}}', 'credential.invalid', ''],
  ]
  const body = Buffer.concat([
    Buffer.from(`${good}\n\n`),
    ...rows.flatMap(([line]) => [Buffer.from(line), Buffer.from('\n')]),
    Buffer.from(good),
  ])
  const made = await create(world, new Uint8Array(body), options(issuer))
  t.like(await completed(made.id), { total: rows.length + 2, signed: 2, failed: rows.length })
  const told = await errors(world, made.id)
  for (const [index, [, code, rule]] of rows.entries()) {
    const found = told.filter(({ row }) => row === index + 2)
    t.true(found.length > 0, code)
    t.is(found[0]?.code, code)
    if (rule) t.is(found[0]?.rule, rule)
  }
  t.regex(told.find(({ code }) => code === 'credential.term_undefined')?.message ?? '', /shoeSize/)
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
  test.serial(`an upload of ${what} is refused, and nothing of it is left (issue 4, Must show 5)`, async (t) => {
    const issuer = await createDid(world)
    const all = 'select count(*)::int from semantic_credential_batches'
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
})

test.serial('an upload that breaks off leaves nothing', async (t) => {
  const issuer = await createDid(world)
  const broken = new ReadableStream({
    async start(controller) {
      controller.enqueue(Buffer.from(`${lines(2_000)}\n`))
      await wait(300)
      controller.error(new Error('the caller left'))
    },
  })
  await t.throwsAsync(post(world, broken, options(issuer)))
  const receiving = `select count(*)::int from semantic_credential_batches where state = 'RECEIVING'`
  for (let tries = 0; (await count(receiving)) !== 0 && tries < 100; tries++) await wait(50)
  t.is(await count(receiving), 0)
})

test.serial(
  'paused, resumed, cancelled: no row is begun after a pause, none recorded after a cancellation',
  async (t) => {
    const issuer = await createDid(world)
    keys.slowMs = 60
    const { id } = await create(world, lines(2_000), options(issuer))
    await until(world, id, ({ signed }) => signed > 0)
    t.like((await steer(world, id, 'pause')).json(), { status: 'PAUSED', paused: { code: 'batch.requested' } })
    await wait(1_500)
    const paused = await read(world, id)
    await wait(500)
    t.is((await read(world, id)).signed, paused.signed)
    t.true(paused.signed < 2_000)
    const workflow = world.dependencies.temporal.client.workflow.getHandle(
      `${world.first.tenantId}/semantic-credentials/batches/${id}`,
    )
    t.like(await workflow.query('progress'), { state: 'PAUSED', total: 2_000, signed: paused.signed, failed: 0 })
    t.like((await steer(world, id, 'resume')).json(), { status: 'PROCESSING' })
    await until(world, id, ({ signed }) => signed > paused.signed)
    const cancelled = (await steer(world, id, 'cancel')).json<{ status: string; signed: number }>()
    t.is(cancelled.status, 'CANCELLED')
    t.like(await workflow.result(), { state: 'CANCELLED' })
    const after = await read(world, id)
    t.is(after.signed, cancelled.signed)
    t.is((await results(world, id)).length, after.signed)
    const rows = 'select count(*)::int from semantic_credential_batch_rows where batch_id = $1 and input is not null'
    t.is(await count(rows, [id]), 0, 'the remaining rows are erased')
    t.is((await steer(world, id, 'resume')).json().type, '/problems#batch.ended')
    t.is((await steer(world, id, 'pause')).status, 409)
  },
)

test.serial(
  'an issuer deleted midway pauses the batch; resumed, its rows are refused and the others signed',
  async (t) => {
    const [leaving, staying] = [await createDid(world), await createDid(world)]
    keys.slowMs = 60
    const body = lines(1_200, (row) => ({
      payload: {
        issuer: row % 2 === 0 ? leaving : { id: staying, name: 'School' },
        credentialSubject: { id: `did:example:holder-${row}`, course: `C-${row}` },
      },
    }))
    const { id } = await create(world, body, { proofType: 'eddsa-rdfc-2022', context: COURSE })
    await until(world, id, ({ signed }) => signed > 0)
    const gone = await world.ask(`/v1/dids/${leaving}`, { token: world.token, method: 'DELETE' })
    t.true(gone.status < 300)
    const paused = await until(world, id, ({ status }) => status === 'PAUSED')
    t.is(paused.paused?.code, 'batch.issuer_gone')
    t.is(paused.failed, 0, 'nothing was refused in silence')
    keys.slowMs = 0
    await steer(world, id, 'resume')
    const done = await completed(id)
    t.is(done.signed + done.failed, 1_200)
    const told = await errors(world, id)
    t.is(told.length, done.failed)
    t.true(told.every(({ row, code }) => row % 2 === 0 && code === 'credential.issuer_unknown'))
    t.is((await results(world, id)).filter(({ row }) => row % 2 === 1).length, 600)
  },
)

test.serial(
  'a key store that goes away is waited for, pauses the batch when it stays away, and nothing is half-signed',
  async (t) => {
    const issuer = await createDid(world)
    keys.slowMs = 20
    const { id } = await create(world, lines(1_500), { ...options(issuer), revocable: 'true' })
    await until(world, id, ({ signed }) => signed > 0)
    keys.down = true
    const waiting = await until(world, id, ({ waiting }) => waiting !== undefined)
    t.is(waiting.waiting?.part, 'keys')
    const paused = await until(world, id, ({ status }) => status === 'PAUSED')
    t.is(paused.paused?.code, 'keys.unavailable')
    t.is(paused.failed, 0)
    const recorded =
      'select count(*)::int from semantic_credentials c join semantic_credential_batch_rows r on r.credential_id = c.id where r.batch_id = $1'
    t.is(await count(recorded, [id]), paused.signed)
    keys.down = false
    keys.slowMs = 0
    const done = await completed(id)
    t.like(done, { signed: 1_500, failed: 0 }, 'it goes on by itself once the store is back')
    t.is(done.waiting, undefined)
    const signed = await results(world, id)
    t.is(new Set(signed.map(({ credential }) => JSON.stringify(credential.credentialStatus))).size, 1_500)
  },
)

test.serial('a whole batch is revoked, each list marked once per slice, and says how far it is', async (t) => {
  const issuer = await createDid(world)
  const { id } = await create(world, lines(300), { ...options(issuer), revocable: 'true' })
  t.is((await steer(world, id, 'revocation')).json().type, '/problems#batch.not_ended')
  await completed(id)
  const reply = await steer(world, id, 'revocation')
  t.is(reply.status, 202)
  t.like(reply.json(), { revocation: { status: 'REVOKING', revoked: 0 } })
  const done = await until(world, id, ({ revocation }) => revocation?.status === 'REVOKED')
  t.is(done.revocation?.revoked, 300)
  const [one] = await results(world, id)
  t.deepEqual(
    (await verify(world, one?.credential)).reason.map(({ type }) => type),
    ['Revoked'],
  )
  const changes =
    'select max(changes)::int as count from status_lists l join dids d on d.id = l.did_id where d.did = $1'
  t.is(await count(changes, [issuer]), 1)
  t.like((await steer(world, id, 'revocation')).json(), { revocation: { status: 'REVOKED', revoked: 300 } })
})

test.serial(
  'the same upload under the same Idempotency-Key is one batch; another body is refused (pitfalls, R20)',
  async (t) => {
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
  },
)

test.serial('gzip, blank lines and a last line without an end are read as they are meant', async (t) => {
  const issuer = await createDid(world)
  const text = `\uFEFF${lines(2)}\r\n\r\n  \n${lines(1)}`
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
  const raw = new Uint8Array(await new Response(stream).arrayBuffer())
  const made = await create(world, raw, options(issuer), { headers: { 'content-encoding': 'gzip' } })
  t.like(await completed(made.id), { total: 3, signed: 3, failed: 0 })
})

test.serial('to another tenant, or without the scope, a batch is not there (pitfalls, R12)', async (t) => {
  const issuer = await createDid(world)
  const { id } = await create(world, lines(2), options(issuer))
  const stranger = await world.addTenant()
  const token = await world.tokenOf(stranger)
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/errors'],
    ['GET', '/results'],
    ['POST', '/pause'],
    ['POST', '/resume'],
    ['POST', '/cancel'],
    ['POST', '/revocation'],
  ]) {
    const reply = await world.ask(`${BATCHES}/${id}${path}`, { token, method })
    t.is(reply.status, 404, path)
    t.is(reply.json().type, '/problems#batch.not_found', path)
  }
  t.like((await world.ask(BATCHES, { token })).json(), { data: [], total_count: 0 })
  t.is((await post(world, lines(1), options(issuer), { token })).json().type, '/problems#credential.issuer_unknown')
  const reader = await world.tokenOf(world.first, 'semantic-credentials:read')
  t.is((await post(world, lines(1), options(issuer), { token: reader })).status, 403)
  t.is((await post(world, lines(1), options(issuer), { token: 'nonsense' })).status, 401)
  await completed(id)
})

test.serial('batches are listed newest first, by state, with their log entries (specification, Logs)', async (t) => {
  const issuer = await createDid(world)
  const { id } = await create(world, lines(2), options(issuer))
  await completed(id)
  const listed = await world.ask(`${BATCHES}?status=COMPLETED&limit=1`, { token: world.token })
  t.is(listed.json<{ data: { id: string }[] }>().data[0]?.id, id)
  const { rows } = await world.dependencies.systemSql.query<{ type: string }>({
    text: `select type from logs where metadata->>'id' = $1 order by timestamp`,
    values: [id],
  })
  t.deepEqual(
    rows.map(({ type }) => type),
    ['CREDENTIAL_WEB_SEMANTIC_BATCH_CREATE_SUCCESS', 'CREDENTIAL_WEB_SEMANTIC_BATCH_COMPLETE_SUCCESS'],
  )
})
