import test from 'ava'
import { templateErrors, typeKeyOf } from '../../protocol/compact-credentials/templates.ts'
import { COMPACT, compactTemplate, createCompactTemplate, verifyCompact } from '../support/credentials/compact.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { refusal } from '../support/credentials/templates.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let issuer: string
test.before(async () => {
  world = await openWorld()
  issuer = await createDid(world, 'P-256', world.token, true)
})
test.after.always(() => world?.close())

const PATH = `${COMPACT}/configurations`
const ask = (path: string, body?: object, method?: string) =>
  world.ask(`${PATH}${path}`, { token: world.token, body, method })

const errorsOf = (text: string) =>
  (JSON.parse(text) as { errors: { path: string; code: string }[] }).errors.map(({ path, code }) => `${path} ${code}`)

test('a template is created, read, listed by its type and changed (specification, Compact credential template)', async (t) => {
  const { id, type, version } = await createCompactTemplate(world)
  const expected = { ...compactTemplate(), type, id, version: 1 }
  t.is(version, 1)
  t.deepEqual((await ask(`/${id}`)).json(), expected)
  t.deepEqual((await ask(`?type=${type}`)).json(), { templates: [expected], limit: 20, total_count: 1, total_pages: 1 })
  const changed = { type, credential_mappings: { level: { default_value: 2 } } }
  t.deepEqual((await ask(`/${id}`, changed, 'PUT')).json(), { ...changed, id, version: 2, revocable: false })
  t.like((await ask(`/${id}`, changed, 'PUT')).json(), { version: 2 }, 'unchanged')
})

test('names of other platforms mean the same, and come back in those of the specification', async (t) => {
  const mapping = { name: { mapFrom: 'claims.name', defaultValue: 'Ada', required: true } }
  const { id } = await createCompactTemplate(world, { credential_mappings: mapping })
  t.deepEqual((await ask(`/${id}`)).json<{ credential_mappings: object }>().credential_mappings, {
    name: { map_from: 'claims.name', default_value: 'Ada', required: true },
  })
})

const TYPES: Array<[what: string, type: string, code: string]> = [
  ['no character', '', 'type'],
  ['a blank', 'a b', 'type'],
  ['a no-break space', 'a\u00a0b', 'type'],
  ['a zero-width space', 'a\u200bb', 'type'],
  ['a word joiner', 'a\u2060b', 'type'],
  ['a Hangul filler', 'a\u3164b', 'type'],
  ['a line break', 'a\n', 'type'],
  ['1,025 characters', 'x'.repeat(1_025), 'type'],
  ['10 kB', 'x'.repeat(10_000), 'type'],
  ['the reserved name', 'VerifiableCredential', 'type_reserved'],
  ['the reserved name in another case', 'verifiablecredential', 'type_reserved'],
  ['the reserved name in full width', 'ＶerifiableCredential', 'type_reserved'],
]

for (const [what, type, code] of TYPES)
  test(`a type with ${what} is refused (specification, Limits)`, async (t) => {
    const reply = await ask('', compactTemplate({ type }))
    t.is(refusal(reply, 400), 'credential_template.invalid')
    t.deepEqual(errorsOf(reply.text), [`type credential_template.${code}`])
  })

test('names that begin with the reserved one, and 1,024 characters, are types', (t) => {
  for (const type of ['VerifiableCredentials', 'Verifiable', 'x'.repeat(1_024), '证书'])
    t.deepEqual(templateErrors({ type, mappings: {}, revocable: false }, new Date()), [], type)
  t.is(typeKeyOf('Ｃourse'), typeKeyOf('course'))
})

test('a type stands once in a tenant, in any case and form; another tenant may have it (specification, Limits)', async (t) => {
  const { type, id } = await createCompactTemplate(world)
  for (const variant of [type, type.toUpperCase(), type.replace('C', 'Ｃ')])
    t.is(refusal(await ask('', compactTemplate({ type: variant })), 409), 'credential_template.type_taken', variant)
  const other = await createCompactTemplate(world)
  const reply = await ask(`/${other.id}`, compactTemplate({ type }), 'PUT')
  t.is(refusal(reply, 409), 'credential_template.type_taken')
  t.deepEqual(errorsOf(reply.text), ['type unique'])
  t.is((await ask(`/${id}`, compactTemplate({ type, revocable: false }), 'PUT')).status, 200, 'its own type')
  const token = await world.tokenOf(await world.addTenant())
  t.is((await createCompactTemplate(world, { type }, token)).type, type)
})

test('of 20 templates of a type that are created at once, one is', async (t) => {
  const body = compactTemplate()
  const replies = await Promise.all(Array.from({ length: 20 }, () => ask('', body)))
  const statuses = replies.map(({ status }) => status).sort()
  t.deepEqual(statuses, [200, ...Array.from({ length: 19 }, () => 409)])
  t.like((await ask(`?type=${body.type}`)).json(), { total_count: 1 })
})

test('a template that breaks rules is refused, each with its place', async (t) => {
  const reply = await ask(
    '',
    compactTemplate({
      credential_mappings: {
        iss: { map_from: 'x' },
        empty: {},
        'a.b': { map_from: 'claims..x' },
        call: { map_from: 'claims.constructor.name' },
      },
      expiration: { days: 0 },
    }),
  )
  t.is(refusal(reply, 400), 'credential_template.invalid')
  t.deepEqual(errorsOf(reply.text), [
    'credential_mappings.iss credential_template.claim_name',
    'credential_mappings.empty credential_template.claim_mapping',
    'credential_mappings["a.b"].map_from credential_template.claim_path',
    'credential_mappings.call.map_from credential_template.claim_path',
    'expiration credential_template.duration_empty',
  ])
  for (const [mapping, path] of [
    [{ from: 'x' }, 'credential_mappings.a.from'],
    [{ map_from: 1 }, 'credential_mappings.a.map_from'],
    [{ map_from: 'x', mapFrom: 'y' }, 'credential_mappings.a.mapFrom'],
    [{ default_value: [1] }, 'credential_mappings.a.default_value'],
  ] as const) {
    const one = await ask('', compactTemplate({ credential_mappings: { a: mapping } }))
    t.deepEqual(errorsOf(one.text), [`${path} credential_template.claim_mapping`])
  }
})

test('a credential is signed from a template, with its type, claims, defaults and expiry', async (t) => {
  const credential_mappings = {
    sub: { map_from: 'claims.id' },
    course: { map_from: 'claims.course', required: true },
    city: { map_from: 'address.city' },
    grade: { map_from: 'grade', default_value: 'A' },
  }
  const { id, type } = await createCompactTemplate(world, { credential_mappings, expiration: { days: 1 } })
  const claims = { id: 'did:example:ada', course: 'CS-101', address: { city: 'Ulm' } }
  const reply = await ask(`/${id}/sign`, { claims, tag: 'spring' })
  const signed = reply.json<{ encoded: string; decoded: Record<string, unknown>; id: string; template_id: string }>()
  t.is(signed.template_id, id)
  const { iat, exp, status, ...rest } = signed.decoded
  t.deepEqual(rest, {
    iss: issuer,
    sub: 'did:example:ada',
    type,
    jti: signed.id,
    property_set: { course: 'CS-101', city: 'Ulm', grade: 'A' },
  })
  t.true(Math.abs(Number(exp) - Number(iat) - 86_400) <= 1)
  t.truthy(status)
  t.true((await verifyCompact(world, signed.encoded)).verified)
  const row = await world.ask(`${COMPACT}/${signed.id}`, { token: world.token })
  t.like(row.json(), { template_id: id, tag: 'spring', revocable: true })
})

test('claims that are missing, that no mapping takes, or that cannot be signed are refused by their names', async (t) => {
  const { id } = await createCompactTemplate(world)
  for (const [claims, code, error] of [
    [{}, 'credential_template.claims_missing', 'claims.course credential_template.claim_required'],
    [
      { course: 'x', cuorse: 'y' },
      'credential_template.claims_unmapped',
      'claims.cuorse credential_template.claim_unmapped',
    ],
    [{ course: [1] }, 'credential.invalid', 'claims.course claim.value'],
  ] as const) {
    const reply = await ask(`/${id}/sign`, { claims })
    t.is(refusal(reply, 400), code)
    t.deepEqual(errorsOf(reply.text), [error])
  }
  for (const issuer of ['did:example:nobody', '']) {
    const reply = await ask(`/${id}/sign`, { claims: { course: 'x' }, issuer_did: issuer })
    t.is(refusal(reply, 400), 'credential.issuer_unknown')
    t.deepEqual(errorsOf(reply.text), ['issuer_did issuer'])
  }
})

test('a claim within another that no mapping takes is refused as well (D-241)', async (t) => {
  const mappings = { city: { map_from: 'claims.address.city' } }
  const { id } = await createCompactTemplate(world, { credential_mappings: mappings })
  const reply = await ask(`/${id}/sign`, { claims: { address: { city: 'Ulm', street: 'y' } } })
  t.is(refusal(reply, 400), 'credential_template.claims_unmapped')
  t.deepEqual(errorsOf(reply.text), ['claims.address.street credential_template.claim_unmapped'])
})

test('a template of one format is none of the other', async (t) => {
  const { id } = await createCompactTemplate(world)
  const { token } = world
  t.is((await world.ask(`/v1/credentials/web-semantic/configurations/${id}`, { token })).status, 404)
  const list = await world.ask('/v1/credentials/web-semantic/configurations?limit=1000', { token })
  t.false(list.text.includes(id))
})
