import test from 'ava'
import { createPdfTemplate, signCompact } from '../support/credentials/compact.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { refusal } from '../support/credentials/templates.ts'
import { archive, base64, config, faultsOf, makePdf, members, sendArchive, TEMPLATES } from '../support/pdf/passes.ts'
import { readPdf } from '../support/pdf/reader.ts'
import { FONTS, templatePdf } from '../support/pdf/templates.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let pdf: Uint8Array
let encoded: string
test.before(async () => {
  world = await openWorld()
  pdf = await templatePdf()
  const iss = await createDid(world, 'P-256')
  encoded = (await signCompact(world, { iss, property_set: { course: 'CS-101' } })).encoded
})
test.after.always(() => world?.close())

const ask = (path: string, body?: object, method?: string, token = world.token) =>
  world.ask(`${TEMPLATES}${path}`, { token, body, method })

const textOf = async (id: string) => {
  const made = await makePdf(world, id, encoded)
  if (made.status !== 200) throw new Error(JSON.stringify(made.problem))
  return (await readPdf(made.pdf)).map(({ text }) => text).join()
}

test('a template is created as JSON, read, listed, changed and deleted (specification, PDF template)', async (t) => {
  const token = await world.tokenOf(await world.addTenant())
  const field = {
    key: 'Course',
    value: '{{ course }}',
    is_required: true,
    alternative_text: 'Course',
    font_name: 'latin',
  }
  const fonts = [{ name: 'latin', file_name: 'Latin.ttf' }]
  const sent = members(pdf, { fields: [field], fonts: fonts.map((font) => ({ ...font, file: base64(FONTS.latin) })) })
  const created = await ask('', sent, 'POST', token)
  t.is(created.status, 200)
  const { id } = created.json<{ id: string }>()
  const expected = {
    id,
    name: 'Course pass',
    file_name: 'course pass.pdf',
    metadata: { title: 'A course was passed' },
    fonts,
    fields: [field],
  }
  t.deepEqual(created.json(), expected)
  t.deepEqual((await ask(`/${id}`, undefined, 'GET', token)).json(), expected)
  t.deepEqual((await ask('?limit=5', undefined, 'GET', token)).json(), {
    data: [expected],
    limit: 5,
    total_count: 1,
    total_pages: 1,
  })
  const { template_file: _file, ...rest } = members(pdf, { name: 'Changed', fields: [field], fonts })
  const changed = await ask(`/${id}`, rest, 'PUT', token)
  t.deepEqual(changed.json(), { ...expected, name: 'Changed' }, 'files that a change leaves out stay')
  t.deepEqual(
    (await ask(`/${id}`, { ...rest, fonts: undefined }, 'PUT', token)).json(),
    { ...expected, name: 'Changed' },
    'and so do fonts',
  )
  const [plain] = [{ ...rest, fonts: [], fields: [{ key: 'Course' }] }]
  t.deepEqual(
    (await ask(`/${id}`, plain, 'PUT', token)).json<{ fonts: object[] }>().fonts,
    [],
    'an empty list takes them away',
  )
  t.is((await ask(`/${id}`, undefined, 'DELETE', token)).status, 204)
  t.is(refusal(await ask(`/${id}`, undefined, 'GET', token), 404), 'pdf_template.not_found')
  t.is(refusal(await ask(`/${id}`, undefined, 'DELETE', token), 404), 'pdf_template.not_found')
  t.is(refusal(await ask(`/${id}`, sent, 'PUT', token), 404), 'pdf_template.not_found')
})

test('a ZIP archive makes the same template, and changes it', async (t) => {
  const fields = [{ key: 'Course', value: 'Passed: {{ course }}', isRequired: true, fontName: 'latin' }]
  const settings = config({ fields, fonts: [{ name: 'latin', fileName: 'fonts/Latin.ttf' }] })
  const created = await sendArchive(world, archive(pdf, settings, { 'Latin.ttf': FONTS.latin }))
  t.is(created.status, 200, created.text)
  const { id, ...members } = created.json<{ id: string }>()
  t.deepEqual(members, {
    name: 'Course pass',
    file_name: 'course pass.pdf',
    metadata: { title: 'A course was passed' },
    fonts: [{ name: 'latin', file_name: 'Latin.ttf' }],
    fields: [{ key: 'Course', value: 'Passed: {{ course }}', is_required: true, font_name: 'latin' }],
  })
  t.true((await textOf(id)).includes('Passed: CS-101'))
  const changed = await sendArchive(
    world,
    archive(pdf, config({ fields: [{ key: 'Course', value: 'Now {{ course }}' }] })),
    `/${id}`,
    'PUT',
  )
  t.deepEqual(changed.json<{ fonts: object[] }>().fonts, [])
  t.true((await textOf(id)).includes('Now CS-101'), 'the next PDF is of the changed template')
})

test('another tenant neither sees, changes, deletes nor fills a template', async (t) => {
  const token = await world.tokenOf(await world.addTenant())
  const id = await createPdfTemplate(world, members(pdf))
  for (const [method, body] of [['GET', undefined], ['DELETE', undefined], ['PUT', members(pdf)]] as const) // biome-ignore format: a table
    t.is(refusal(await ask(`/${id}`, body, method, token), 404), 'pdf_template.not_found')
  t.is((await ask('', undefined, 'GET', token)).json<{ total_count: number }>().total_count, 0)
  const filled = await world.ask('/v1/credentials/compact/pdf', { token, body: { templateId: id, payload: encoded } })
  t.is(refusal(filled, 404), 'pdf_template.not_found')
  t.is((await makePdf(world, id, encoded)).status, 200)
})

test('the log has each operation under its name', async (t) => {
  const id = await createPdfTemplate(world, members(pdf))
  await ask(`/${id}`, members(pdf), 'PUT')
  await makePdf(world, id, encoded)
  await ask(`/${id}`, undefined, 'DELETE')
  const body = {
    categories: ['credential-compact'],
    types: [],
    ids: [],
    requestIds: [],
    dateFrom: '2020-01-01T00:00:00Z',
    dateTo: '2999-01-01T00:00:00Z',
  }
  const names = new Set<string>()
  for (let tries = 0; tries < 20 && !names.has('CREDENTIAL_COMPACT_PDF_CREATE_SUCCESS'); tries++) {
    const log = await world.ask('/v1/analytics/events', { token: world.token, body })
    for (const { type } of log.json<{ data: { type: string }[] }>().data) names.add(type)
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  for (const name of ['PDF_TEMPLATE_CREATE', 'PDF_TEMPLATE_UPDATE', 'PDF_TEMPLATE_DELETE', 'PDF_CREATE'])
    t.true(names.has(`CREDENTIAL_COMPACT_${name}_SUCCESS`), `${name} in ${[...names]}`)
})

test('the hundred and first template is refused', async (t) => {
  const client = await world.addTenant()
  const token = await world.tokenOf(client)
  const id = await createPdfTemplate(world, members(pdf), token)
  await world.dependencies.systemSql.query({
    text: `insert into compact_pdf_templates (id, tenant_id, definition, revision)
      select gen_random_uuid(), tenant_id, definition, revision from compact_pdf_templates, generate_series(1, 99) where id = $1`,
    values: [id],
  })
  t.is(refusal(await ask('', members(pdf), 'POST', token), 409), 'pdf_template.too_many')
  t.is((await ask(`/${id}`, undefined, 'DELETE', token)).status, 204)
  t.is((await ask('', members(pdf), 'POST', token)).status, 200)
})

const RULES: [what: string, more: Record<string, unknown>, fault: string][] = [
  ['a path as file name', { file_name: '../pass.pdf' }, 'file_name pdf_template.file_name'],
  ['a line break in the file name', { file_name: 'a\r\nX: y' }, 'file_name pdf_template.file_name'],
  ['a direction mark in the file name', { file_name: 'pass\u202efdp.exe' }, 'file_name pdf_template.file_name'],
  ['a hidden file', { file_name: '.pass' }, 'file_name pdf_template.file_name'],
  [
    'a field that the PDF has not',
    {
      fields: [
        { key: 'Course', value: '' },
        { key: 'Other', value: '' },
      ],
    },
    'fields.1.key pdf_template.field_unknown',
  ],
  ['a field of the PDF that is left out', { fields: [] }, 'fields pdf_template.field_unfilled'],
  ['a field twice', { fields: [{ key: 'Course' }, { key: 'Course' }] }, 'fields.1.key pdf_template.twice'],
  [
    'code in a value',
    { fields: [{ key: 'Course', value: '{{#each x}}{{/each}}' }] },
    'fields.0.value pdf_template.placeholder',
  ],
  [
    'an open placeholder',
    { fields: [{ key: 'Course', value: '{{ course' }] },
    'fields.0.value pdf_template.placeholder',
  ],
  [
    'unknown tokens of a date',
    { fields: [{ key: 'Course', value: "{{ date course 'foo' }}" }] },
    'fields.0.value pdf_template.placeholder',
  ],
  [
    'years of weeks',
    { fields: [{ key: 'Course', value: "{{ date course 'YYYY' }}" }] },
    'fields.0.value pdf_template.placeholder',
  ],
  ['1,001 characters', { fields: [{ key: 'Course', value: 'x'.repeat(1_001) }] }, 'fields.0.value pdf_template.value'],
  [
    'an unknown font',
    { fields: [{ key: 'Course', value: '', font_name: 'Gothic' }] },
    'fields.0.font_name pdf_template.font_name',
  ],
  ['unknown metadata', { metadata: { producer: 'x' } }, 'metadata.producer pdf_template.unknown'],
]

for (const [what, more, fault] of RULES)
  test(`a template with ${what} is refused`, async (t) => {
    const reply = await ask('', members(pdf, more))
    t.is(refusal(reply, 400), 'pdf_template.invalid')
    t.true(faultsOf(reply).includes(fault), reply.text)
  })

test('10,000 fields and a value of 1 MB are refused before the PDF is read', async (t) => {
  const fields = (length: number) => Array.from({ length }, (_, at) => ({ key: `f${at}`, value: '' }))
  t.is(refusal(await ask('', members(pdf, { fields: fields(10_000) })), 400), 'request.too_many_members')
  t.is(refusal(await ask('', members(pdf, { fields: fields(201) })), 400), 'request.invalid')
  const large = await ask('', members(pdf, { fields: [{ key: 'Course', value: 'x'.repeat(1_048_576) }] }))
  t.is(refusal(large, 413), 'request.too_large')
})

test('a body that is no template is refused by its place', async (t) => {
  const { template_file: _file, ...without } = members(pdf)
  t.deepEqual(faultsOf(await ask('', without)), ['request.invalid', 'template_file required'])
  t.deepEqual(faultsOf(await ask('', members(pdf, { template_file: 'not base64!' }))), [
    'request.invalid',
    'template_file base64',
  ])
  t.is(refusal(await world.ask(TEMPLATES, { token: world.token, method: 'POST' }), 400), 'request.invalid')
  const headers = { 'content-type': 'application/pdf' }
  t.is(
    refusal(await world.ask(TEMPLATES, { token: world.token, raw: new Uint8Array(pdf), headers }), 415),
    'request.unsupported_media_type',
  )
  const zipped = await world.ask('/v1/credentials/compact/sign', {
    token: world.token,
    raw: archive(pdf),
    headers: { 'content-type': 'application/zip' },
  })
  t.is(refusal(zipped, 415), 'request.unsupported_media_type', 'an archive is for the operations that take one')
})

test('of two changes at a time, the one that leaves files out does not put old ones back', async (t) => {
  const { id } = (await ask('', members(pdf))).json<{ id: string }>()
  const change = (more: object) =>
    world.ask(`${TEMPLATES}/${id}`, { token: world.token, method: 'PUT', body: { ...members(pdf), ...more } })
  const replies = await Promise.all(Array.from({ length: 4 }, (_, nth) => change({ name: `Pass ${nth}` })))
  const refused = replies.filter(({ status }) => status !== 200)
  t.true(refused.length >= 1 && refused.length < 4, replies.map(({ status }) => status).join())
  for (const reply of refused) t.is(refusal(reply, 409), 'pdf_template.changed')
})
