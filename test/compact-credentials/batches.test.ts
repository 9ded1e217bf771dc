import test from 'ava'
import { create, linesOf, post, type Result, read, until } from '../support/credentials/batches.ts'
import {
  COMPACT_SEMANTIC,
  createCompactTemplate,
  type SignedCompact,
  verifyCompact,
} from '../support/credentials/compact.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { refusal } from '../support/credentials/templates.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let issuer: string
test.before(async () => {
  world = await openWorld({ workflows: true })
  issuer = await createDid(world, 'P-256', world.token, true)
})
test.after.always(() => world?.close())

const lines = (rows: object[]) => rows.map((row) => JSON.stringify(row)).join('\n')

type CompactResult = Result & { credential: SignedCompact }

async function done(id: string) {
  const batch = await until(world, id, ({ status }) => status === 'COMPLETED')
  const results = await world.ask(`/v1/credentials/batches/${id}/results`, { token: world.token })
  const errors = await world.ask(`/v1/credentials/batches/${id}/errors`, { token: world.token })
  return {
    batch,
    results: results.text === '' ? [] : linesOf<CompactResult>(results.text),
    errors: errors.text === '' ? [] : linesOf<{ row: number; field: string; code: string }>(errors.text),
  }
}

test('rows of compact credentials are signed, and a bad row names its field', async (t) => {
  const rows = [
    { payload: { type: 'Course', name: 'Ada' } },
    { payload: { type: 'Course', name: [1] } },
    { payload: { iss: issuer, type: 'Course', property_set: { name: 'Grace' } }, revocable: false },
  ]
  const { id } = await create(world, lines(rows), { format: 'compact', issuer, revocable: 'true' })
  const { batch, results, errors } = await done(id)
  t.like(batch, { format: 'compact', total: 3, signed: 2, failed: 1 })
  t.deepEqual(
    results.map(({ row, credential }) => [row, credential.decoded.property_set, Boolean(credential.decoded.status)]),
    [
      [1, { name: 'Ada' }, true],
      [3, { name: 'Grace' }, false],
    ],
  )
  t.like(errors, [{ row: 2, field: 'payload.name', code: 'credential.invalid' }])
  for (const { credential } of results) t.true((await verifyCompact(world, credential.encoded)).verified)
})

test('rows of compact-semantic credentials are signed', async (t) => {
  const row = { payload: { type: ['Course'], credentialSubject: { id: 'did:example:ada' } } }
  const { id } = await create(world, lines([row]), { format: 'compact-semantic', issuer })
  const { results } = await done(id)
  t.true((await verifyCompact(world, results[0]?.credential.encoded ?? '', {}, COMPACT_SEMANTIC)).verified)
})

test('claims for a compact template are signed, from JSON lines and from CSV, by the version of the start', async (t) => {
  const template = await createCompactTemplate(world)
  const json = await create(world, lines([{ claims: { course: 'CS-101' } }, { claims: { cuorse: 'x' } }]), {
    format: 'compact',
    templateId: template.id,
  })
  const csv = await create(
    world,
    'course\nCS-102\n',
    { format: 'compact', templateId: template.id },
    { type: 'text/csv' },
  )
  const first = await done(json.id)
  t.like(first.batch, { template_id: template.id, template_version: 1, signed: 1, failed: 1 })
  t.like(first.results[0]?.credential.decoded, { type: template.type, property_set: { course: 'CS-101', grade: 'A' } })
  t.like(first.errors, [{ row: 2, field: 'claims.cuorse', code: 'credential_template.claims_unmapped' }])
  const second = await done(csv.id)
  t.like(second.results[0]?.credential.decoded.property_set, { course: 'CS-102' })
  const reply = await world.ask(`/v1/credentials/batches/${csv.id}/revocation`, { method: 'POST', token: world.token })
  t.is(reply.status, 202)
  await until(world, csv.id, ({ revocation }) => revocation?.status === 'REVOKED' && revocation.revoked === 1)
  t.is((await verifyCompact(world, second.results[0]?.credential.encoded ?? '')).error?.type, 'Revoked')
  t.like(await read(world, csv.id), { signed: 1 })
})

for (const [name, options] of [
  ['proofType', { proofType: 'eddsa-rdfc-2022' }],
  ['suspendable', { suspendable: 'true', revocable: 'true' }],
  ['type', { type: 'Course' }],
  ['context', { context: 'https://www.w3.org/ns/credentials/v2' }],
] as const)
  test(`${name} is no option of a compact batch`, async (t) => {
    const reply = await post(world, lines([{ payload: {} }]), { format: 'compact', ...options })
    t.is(refusal(reply, 400), 'request.invalid')
    t.like(reply.json<{ errors: object[] }>().errors, [{ path: name }])
  })

test('CSV without a template, a semantic template, and an issuer of nobody are refused before any row', async (t) => {
  const csv = await post(world, 'name\nAda\n', { format: 'compact', issuer }, { type: 'text/csv' })
  t.is(refusal(csv, 400), 'request.invalid')
  const rows = lines([{ claims: {} }])
  const missing = await post(world, rows, { format: 'compact', templateId: '00000000-0000-4000-8000-000000000000' })
  t.is(refusal(missing, 404), 'credential_template.not_found')
  const nobody = await post(world, lines([{ payload: {} }]), { format: 'compact', issuer: 'did:example:nobody' })
  t.is(refusal(nobody, 400), 'credential.issuer_unknown')
})

test('columns that the template does not take, and required ones that are missing, are refused with the header', async (t) => {
  const mappings = {
    course: { map_from: 'claims.course', required: true },
    city: { map_from: 'claims.address.city', required: true },
    grade: { map_from: 'claims.grade', default_value: 'A', required: true },
  }
  const { id: templateId } = await createCompactTemplate(world, { credential_mappings: mappings })
  const upload = async (header: string) => {
    const reply = await post(world, `${header}\nx\n`, { format: 'compact', templateId }, { type: 'text/csv' })
    const { errors = [] } = reply.json<{ errors?: { path: string; code: string; message: string }[] }>()
    return [refusal(reply, 400), ...errors.map(({ path, code }) => `${path} ${code}`), errors[0]?.message ?? '']
  }
  const [code, column, header, missing, message] = await upload('cuorse')
  t.deepEqual([code, column], ['batch.csv_header', 'column 1 column.unmapped'])
  t.deepEqual([header, missing], ['header column.required', 'header column.required'])
  t.regex(message ?? '', /did you mean course\?$/)
  t.deepEqual((await upload('course')).slice(0, 2), ['batch.csv_header', 'header column.required'])
  const fits = await post(world, 'course,address:json\nx,"{""city"": ""y""}"\n', { format: 'compact', templateId }, { type: 'text/csv' }) // biome-ignore format: one request
  t.is(fits.status, 201, fits.text)
})

test('a template of another format is named with the format to ask for', async (t) => {
  const { id: templateId } = await createCompactTemplate(world)
  const reply = await post(world, lines([{ claims: {} }]), { templateId })
  t.is(refusal(reply, 404), 'credential_template.not_found')
  t.like(reply.json<{ errors: object[] }>().errors, [{ path: 'format', code: 'query' }])
})

test('a row that asks for suspension is refused, since compact credentials have none', async (t) => {
  const rows = [{ payload: { type: 'Course', name: 'Ada' }, suspendable: true }, { payload: { type: 'Course' }, suspendable: false }] // biome-ignore format: two rows
  const { id } = await create(world, lines(rows), { format: 'compact', issuer })
  const { batch, errors } = await done(id)
  t.like(batch, { signed: 1, failed: 1 })
  t.like(errors, [{ row: 1, field: 'suspendable' }])
})

test('a token without the scope of compact credentials makes no batch of them', async (t) => {
  const body = { ...world.first, grantType: 'client_credentials', scope: 'semantic-credentials:write' }
  const { clientId, clientSecret, grantType, scope } = body
  const reply = await world.ask('/v1/auth/token', { body: { clientId, clientSecret, grantType, scope } })
  const { access_token: token } = reply.json<{ access_token: string }>()
  const refused = await post(world, lines([{ payload: {} }]), { format: 'compact', issuer }, { token })
  t.is(refusal(refused, 403), 'token.insufficient_scope')
})

test('rows that name no issuer have the default one of the upload, whatever the tenant chooses later (D-1102)', async (t) => {
  const other = await world.tokenOf(await world.addTenant())
  const rows = lines([{ payload: { type: 'Course' } }, { payload: { iss: 'did:example:nobody', type: 'Course' } }])
  const upload = async () =>
    (await post(world, rows, { format: 'compact' }, { token: other })).json<{ id: string }>().id
  const batchOf = async (id: string) => {
    const batch = await until({ ...world, token: other }, id, ({ status }) => status === 'COMPLETED')
    const text = async (kind: string) =>
      (await world.ask(`/v1/credentials/batches/${id}/${kind}`, { token: other })).text
    return { batch, results: await text('results'), errors: await text('errors') }
  }
  const none = await batchOf(await upload())
  t.like(none.batch, { signed: 0, failed: 2 })
  t.regex(none.errors, /"row":1,"field":"payload.iss"/)
  const first = await createDid(world, 'P-256', other)
  const id = await upload()
  await createDid(world, 'P-256', other)
  const one = await batchOf(id)
  t.like(one.batch, { signed: 1, failed: 1 }, 'with a second DID the tenant had no default')
  t.true(one.results.includes(first))
})
