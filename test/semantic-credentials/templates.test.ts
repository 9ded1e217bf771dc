import { randomUUID } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { inTenant } from '../../entities/orm.ts'
import { addDuration, DURATION_UNITS } from '../../protocol/time.ts'
import { createDid, type Signed, verify } from '../support/credentials/credentials.ts'
import { course, createTemplate, refusal, TEMPLATES, type Template } from '../support/credentials/templates.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const read = (path: string, token = world.token) => world.ask(`${TEMPLATES}${path}`, { token })
const put = (id: string, body: unknown, token = world.token) =>
  world.ask(`${TEMPLATES}/${id}`, { method: 'PUT', token, body })

test('every field of a template comes back as it was given (specification, Credential template)', async (t) => {
  const full = {
    additional_types: ['AlumniCredential', 'https://example.edu/terms#Diploma'],
    claim_mappings: {
      course: 'claims.course',
      age: { map_from: 'claims.age', default_value: 18, required: false },
      student: {
        address: 'claims.address.formatted',
        authentication_provider: { subject_id: 'authenticationProvider.subjectId', url: 'authentication_provider.url' },
        family_name: 'claims.family_name',
        given_name: 'claims.given_name',
      },
    },
    claim_source_id: randomUUID(),
    contexts: ['https://www.w3.org/ns/credentials/v2', { '@vocab': 'https://example.edu/terms#' }],
    credential_branding: { backgroundColor: '#B00AA0', watermarkImageUrl: 'https://example.edu/watermark.png' },
    description: 'Says which course was passed.',
    expires_in: { days: 4, hours: 5, minutes: 6, months: 2, seconds: 7, weeks: 3, years: 1 },
    ignore_unmapped: true,
    issuer: {
      icon_url: 'https://example.edu/i.png',
      logo_url: 'https://example.edu/l.png',
      name: 'Example University',
    },
    name: 'Course certificate',
    proof_type: 'eddsa-rdfc-2022',
    revocable: true,
    type: 'CourseCredential',
  }
  const created = await world.ask(TEMPLATES, { token: world.token, body: full })
  t.is(created.status, 200)
  const { id, ...rest } = created.json<Template>()
  t.regex(id, /^[0-9a-f-]{36}$/)
  t.deepEqual(rest, { ...full, version: 1 })
  t.deepEqual((await read(`/${id}`)).json(), { id, ...full, version: 1 })
  // without contexts only types that are IRIs can be signed
  const iris = { type: 'https://example.edu/terms#Course', additional_types: ['https://example.edu/terms#Diploma'] }
  const nulls = {
    ...full,
    ...iris,
    ...Object.fromEntries(
      [
        'claim_mappings',
        'claim_source_id',
        'contexts',
        'credential_branding',
        'description',
        'expires_in',
        'ignore_unmapped',
      ].map((name) => [name, null]),
    ),
    issuer: { icon_url: null, logo_url: null, name: 'Example University' },
    proof_type: null,
  }
  t.deepEqual((await put(id, { ...nulls, id })).json(), { ...nulls, id, version: 2 })
  const { issuer, name, revocable } = full
  const least = { ...iris, issuer: { name: issuer.name }, name, revocable }
  t.deepEqual((await put(id, least)).json(), { ...least, id, version: 3 })
})

for (const contexts of [{ '@vocab': 'https://a.example/' }, 'https://www.w3.org/ns/credentials/v2', null, []])
  test(`contexts come back as they were given: ${JSON.stringify(contexts)} (specification, Credential template)`, async (t) => {
    const { id } = await createTemplate(world, { contexts, type: 'https://example.edu/terms#Course' })
    t.deepEqual((await read(`/${id}`)).json<Template>().contexts, contexts)
  })

test('each change is a version, each version can be read, none again is none', async (t) => {
  const { id } = await createTemplate(world)
  t.is((await put(id, course({ name: 'Two' }))).json<Template>().version, 2)
  t.is((await put(id, course({ name: 'Two' }))).json<Template>().version, 2)
  t.is((await put(id, course({ name: 'Three', id, version: 2 }))).json<Template>().version, 3)
  t.like((await read(`/${id}`)).json(), { version: 3, name: 'Three' })
  t.like((await read(`/${id}?version=1`)).json(), { version: 1, name: 'Course certificate' })
  t.like((await read(`/${id}?version=2`)).json(), { version: 2, name: 'Two' })
  t.is(refusal(await read(`/${id}?version=4`), 404), 'credential_template.not_found')
  for (const version of ['0', '-1', '1.5', 'x', '2147483648', '1e99'])
    t.is(refusal(await read(`/${id}?version=${version}`), 400), 'request.invalid', version)
})

test('a change to a version that is not the current one any more changes nothing', async (t) => {
  const { id } = await createTemplate(world)
  await put(id, course({ name: 'Two' }))
  t.is(refusal(await put(id, course({ name: 'Late', version: 1 })), 409), 'credential_template.version_differs')
  t.like((await read(`/${id}`)).json(), { version: 2, name: 'Two' })
})

test('twenty changes at once are twenty versions in a row', async (t) => {
  const { id } = await createTemplate(world)
  const changed = await Promise.all(
    Array.from({ length: 20 }, (_, index) => put(id, course({ name: `Change ${index}` }))),
  )
  t.deepEqual(
    changed.map((reply) => reply.json<Template>().version).sort((a, b) => a - b),
    Array.from({ length: 20 }, (_, index) => index + 2),
  )
})

test('nobody rewrites a version: the application’s role may not', async (t) => {
  const { tenantId } = world.first
  const { id } = await createTemplate(world)
  for (const statement of [
    `update semantic_template_versions set definition = '{}' where template_id = '${id}'`,
    `delete from semantic_template_versions where template_id = '${id}'`,
  ]) {
    const changed = inTenant(world.dependencies.database.tenants, tenantId, (em) => em.execute(statement))
    t.like(await t.throwsAsync(changed), { code: '42501' }) // insufficient_privilege
  }
})

test('the id of the body must be that of the path, and a create takes none', async (t) => {
  const { id } = await createTemplate(world)
  t.is(refusal(await put(id, course({ id: randomUUID() })), 400), 'credential_template.id_differs')
  t.is(refusal(await world.ask(TEMPLATES, { token: world.token, body: course({ id }) }), 400), 'request.invalid')
})

test('the list filters by type, pages, and tells totals in snake case (specification, Endpoints)', async (t) => {
  const type = `Listed${randomUUID().slice(0, 8)}`
  const made: string[] = []
  for (let index = 0; index < 3; index++) made.unshift((await createTemplate(world, { type })).id)
  const list = async (query: string) =>
    (await read(`?${query}`)).json<{ data: Template[]; limit: number; total_count: number; total_pages: number }>()
  const all = await list(`type=${type}`)
  t.deepEqual(
    all.data.map(({ id }) => id),
    made,
  )
  t.like(all, { limit: 20, total_count: 3, total_pages: 1 })
  const second = await list(`type=${type}&limit=2&page=2`)
  t.deepEqual(
    second.data.map(({ id }) => id),
    made.slice(2),
  )
  t.like(second, { limit: 2, total_count: 3, total_pages: 2 })
  t.deepEqual(await list(`type=${type}&limit=0`), { data: [], limit: 0, total_count: 3, total_pages: 0 })
  const [newest = ''] = made
  await put(newest, course({ type: `${type}Changed` }))
  t.like(await list(`type=${type}Changed`), { total_count: 1 })
  t.like(await list(`type=${type}`), { total_count: 2 })
  t.is((await list(`type=${type}%25`)).total_count, 0)
})

test('the word templates in the path means the same', async (t) => {
  const { id } = await createTemplate(world)
  for (const base of ['/v1/credentials/web-semantic/templates', '/v2/credentials/web-semantic/templates']) {
    t.is((await world.ask(`${base}/${id}`, { token: world.token })).json<Template>().id, id)
    t.is((await world.ask(`${base}?limit=1`, { token: world.token })).status, 200)
  }
})

test('another tenant’s template is a 404 as a missing one, for everything that can be done with it', async (t) => {
  const other = await world.tokenOf(await world.addTenant())
  const { id } = await createTemplate(world)
  const missing = randomUUID()
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['GET', '?version=1', undefined],
    ['PUT', '', course()],
    ['DELETE', '', undefined],
    ['POST', '/sign', { claims: { id: 'did:example:a', course: 'x' } }],
  ] as const) {
    const asked = await Promise.all(
      [id, missing].map((one) => world.ask(`${TEMPLATES}/${one}${path}`, { method, token: other, body })),
    )
    for (const reply of asked) t.is(refusal(reply, 404), 'credential_template.not_found', `${method} ${path}`)
    const [theirs, nobodys] = asked.map((reply) => ({ ...reply.json(), instance: '' }))
    t.deepEqual(theirs, nobodys)
  }
  t.is((await read('', other)).json<{ total_count: number }>().total_count, 0)
  t.is((await read(`/${id}`)).json<Template>().version, 1)
})

test('a deleted template is gone; what was issued from it stays, and still tells what it said', async (t) => {
  const did = await createDid(world)
  const { id } = await createTemplate(world, { expires_in: { years: 1 } })
  const claims = { id: 'did:example:holder', course: 'CS-101' }
  const signed = await world.ask(`${TEMPLATES}/${id}/sign`, { token: world.token, body: { claims, issuer_did: did } })
  const deleted = await world.ask(`${TEMPLATES}/${id}`, { method: 'DELETE', token: world.token })
  t.is(deleted.status, 204)
  t.is(deleted.text, '')
  t.is(refusal(await read(`/${id}`), 404), 'credential_template.not_found')
  t.is(refusal(await put(id, course()), 404), 'credential_template.not_found')
  const again = await world.ask(`${TEMPLATES}/${id}`, { method: 'DELETE', token: world.token })
  t.is(refusal(again, 404), 'credential_template.not_found')
  t.false((await read('?limit=1000')).text.includes(id))
  const { id: credentialId, credential } = signed.json<Signed>()
  t.true((await verify(world, credential)).verified)
  const details = await world.ask(`/v1/credentials/web-semantic/${credentialId}`, { token: world.token })
  t.like(details.json(), { template_id: id, template_version: 1, expires_in: { years: 1 } })
})

test('the same Idempotency-Key makes one template, however often and at once it is sent', async (t) => {
  const name = `Once ${randomUUID()}`
  const headers = { 'idempotency-key': randomUUID() }
  const send = () => world.ask(TEMPLATES, { token: world.token, body: course({ name }), headers })
  const first = await send()
  const more = await Promise.all([send(), send(), send()])
  for (const reply of more) t.is(reply.text, first.text)
  const { data } = (await read('?limit=1000')).json<{ data: Template[] }>()
  t.is(data.filter((template) => template.name === name).length, 1)
})

test('each operation leaves its entry in the log, with ids alone', async (t) => {
  const { id } = await createTemplate(world)
  await put(id, course({ name: 'Logged' }))
  await world.ask(`${TEMPLATES}/${id}`, { method: 'DELETE', token: world.token })
  const { rows } = await world.dependencies.systemSql.query<{ type: string; metadata: Record<string, unknown> }>({
    text: `select type, metadata from logs where metadata->>'id' = $1 order by timestamp`,
    values: [id],
  })
  t.deepEqual(
    rows.map(({ type }) => type),
    ['CREATE', 'UPDATE', 'DELETE'].map((verb) => `CREDENTIAL_WEB_SEMANTIC_CREDENTIAL_CONFIGURATION_${verb}_SUCCESS`),
  )
  t.false(JSON.stringify(rows).includes('Logged'))
})

test('durations are added as PostgreSQL adds intervals, for any moment and length', async (t) => {
  const upTo = (max: number) => fc.integer({ min: 0, max })
  const maxima = { years: 400, months: 600, weeks: 600, days: 4000, hours: 9000, minutes: 99_999, seconds: 999_999 }
  const duration = fc.record(
    Object.fromEntries(DURATION_UNITS.map((unit) => [unit, upTo(maxima[unit])])) as Record<
      (typeof DURATION_UNITS)[number],
      fc.Arbitrary<number>
    >,
    { requiredKeys: [] },
  )
  const start = fc.date({
    min: new Date('1900-01-01T00:00:00Z'),
    max: new Date('2400-12-31T23:59:59Z'),
    noInvalidDate: true,
  })
  const cases = fc.sample(fc.tuple(start, duration), { numRuns: 2_000, seed: 20_280_229 })
  const { rows } = await world.dependencies.systemSql.query<{ moment: string }>({
    text: `select to_char(timestamp '1970-01-01' + (c->>0)::numeric * interval '1 ms' + make_interval(
        years => coalesce((c->1->>'years')::int, 0), months => coalesce((c->1->>'months')::int, 0),
        weeks => coalesce((c->1->>'weeks')::int, 0), days => coalesce((c->1->>'days')::int, 0),
        hours => coalesce((c->1->>'hours')::int, 0), mins => coalesce((c->1->>'minutes')::int, 0),
        secs => coalesce((c->1->>'seconds')::int, 0)), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as moment
      from json_array_elements($1::json) with ordinality as cases(c, n) order by n`,
    values: [JSON.stringify(cases.map(([at, length]) => [at.getTime(), length]))],
  })
  t.is(rows.length, cases.length)
  for (const [index, [at, length]] of cases.entries())
    t.is(addDuration(at, length)?.toISOString(), rows[index]?.moment, `${at.toISOString()} ${JSON.stringify(length)}`)
})
