import test from 'ava'
import { create, results, until as untilBatch } from '../support/credentials/batches.ts'
import {
  COMPACT,
  COMPACT_SEMANTIC,
  compactTemplate,
  createCompactTemplate,
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

const PATH = `${COMPACT_SEMANTIC}/configurations`
const ask = (path: string, body?: object, method?: string) =>
  world.ask(`${PATH}${path}`, { token: world.token, body, method })
const make = (more?: Record<string, unknown>) => createCompactTemplate(world, more, world.token, COMPACT_SEMANTIC)

const errorsOf = (text: string) =>
  (JSON.parse(text) as { errors: { path: string; code: string }[] }).errors.map(({ path, code }) => `${path} ${code}`)

interface Signed {
  id: string
  encoded: string
  decoded: { credentialSubject: object; expirationDate?: string; issuanceDate?: string } & Record<string, unknown>
  template_id: string
  template_version: number
}

const MAPPINGS = {
  id: { map_from: 'claims.id' },
  course: { map_from: 'claims.course', required: true },
  grade: { default_value: 'A' },
}

test('a compact-semantic template is created, read, listed by its type and changed (D-311)', async (t) => {
  const { id, type } = await make()
  const expected = { ...compactTemplate(), type, id, version: 1 }
  t.deepEqual((await ask(`/${id}`)).json(), expected)
  t.deepEqual((await ask(`?type=${type}`)).json(), { templates: [expected], limit: 20, total_count: 1, total_pages: 1 })
  const changed = { type, credential_mappings: { level: { default_value: 2 } } }
  t.deepEqual((await ask(`/${id}`, changed, 'PUT')).json(), { ...changed, id, version: 2, revocable: false })
  t.is((await world.ask(`/v1/credentials/compact/configurations/${id}`, { token: world.token })).status, 404)
})

test('a type stands once among compact and compact-semantic templates (D-288)', async (t) => {
  const { type } = await createCompactTemplate(world)
  t.is(refusal(await ask('', compactTemplate({ type: type.toUpperCase() })), 409), 'credential_template.type_taken')
  const own = await make()
  const reply = await world.ask('/v1/credentials/compact/configurations', {
    token: world.token,
    body: compactTemplate({ type: own.type }),
  })
  t.is(refusal(reply, 409), 'credential_template.type_taken')
  t.deepEqual(errorsOf((await ask('', compactTemplate({ type: 'verifiablecredential' }))).text), [
    'type credential_template.type_reserved',
  ])
})

test('claims of a compact-semantic template are those of the subject, without those of a CWT', async (t) => {
  const reply = await ask(
    '',
    compactTemplate({ credential_mappings: { sub: { map_from: 'x' }, aud: { map_from: 'y' } } }),
  )
  t.is(refusal(reply, 400), 'credential_template.invalid')
  t.deepEqual(errorsOf(reply.text), [
    'credential_mappings.sub credential_template.claim_name',
    'credential_mappings.aud credential_template.claim_name',
  ])
})

test('a W3C credential is signed from a template, with its type, subject, defaults and end', async (t) => {
  const { id, type } = await make({ credential_mappings: MAPPINGS, expiration: { days: 1 } })
  const reply = await ask(`/${id}/sign`, { claims: { id: 'did:example:ada', course: 'CS-101' }, tag: 'spring' })
  const signed = reply.json<Signed>()
  t.deepEqual([signed.template_id, signed.template_version], [id, 1], reply.text)
  t.true(signed.id.startsWith('urn:uuid:'))
  t.like(signed.decoded, {
    id: signed.id,
    type: ['VerifiableCredential', type],
    issuer: { id: issuer },
    credentialSubject: { id: 'did:example:ada', course: 'CS-101', grade: 'A' },
  })
  const end = Date.parse(signed.decoded.expirationDate ?? '')
  t.true(Math.abs(end - Date.now() - 86_400_000) < 60_000)
  t.truthy(signed.decoded.credentialStatus)
  t.true((await verifyCompact(world, signed.encoded, {}, COMPACT_SEMANTIC)).verified)
  const row = await world.ask(`${COMPACT_SEMANTIC}/${signed.id}`, { token: world.token })
  t.like(row.json(), { template_id: id, tag: 'spring', revocable: true })
  const refused = await ask(`/${id}/sign`, { claims: { cuorse: 'x' } })
  t.is(refusal(refused, 400), 'credential_template.claims_unmapped')
})

for (const [what, rows, posting] of [
  ['JSON lines', '{"claims":{"course":"CS-101"}}\n{"claims":{}}\n', {}],
  ['a CSV', 'course,id\nCS-101,did:example:ada\n,did:example:bob\n', { type: 'text/csv' }],
] as const)
  test(`a batch of compact-semantic credentials is signed from a template with ${what}`, async (t) => {
    const { id, type } = await make({ credential_mappings: MAPPINGS })
    const batch = await create(world, rows, { format: 'compact-semantic', templateId: id }, posting)
    const ended = await untilBatch(world, batch.id, ({ status }) => status === 'COMPLETED')
    t.like(ended, { signed: 1, failed: 1, template_id: id })
    const [first] = await results(world, batch.id)
    const { encoded, decoded } = first?.credential as unknown as Signed
    t.deepEqual(decoded.type, ['VerifiableCredential', type])
    t.true((await verifyCompact(world, encoded, {}, COMPACT_SEMANTIC)).verified)
  })

test('what no verifier reads is refused, and uses up no entry of a status list (D-1104)', async (t) => {
  const { token } = world
  const signs = async (path: string, payload: object) => {
    const reply = await world.ask(`${path}/sign`, { token, body: { payload, revocable: true } })
    if (reply.status === 200) {
      const { verified } = await verifyCompact(world, reply.json<{ encoded: string }>().encoded, {}, path)
      return verified ? 'verified' : 'refused by verifiers'
    }
    return reply
      .json<{ errors: { path: string; code: string }[] }>()
      .errors.map(({ path: at, code }) => `${at} ${code}`)
  }
  const claims = (length: number) => ({
    iss: issuer,
    ...Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`c${at}`, 'x'.repeat(length)])),
  })
  t.is(await signs(COMPACT, claims(820)), 'verified')
  t.deepEqual(await signs(COMPACT, claims(860)), ['payload credential.too_long'])
  const about = (subject: object) => ({ type: ['Course'], issuer: { id: issuer }, credentialSubject: subject })
  t.deepEqual(await signs(COMPACT_SEMANTIC, about({ a: [{ constructor: 'x' }] })), [
    'payload.credentialSubject.a.0.constructor credential.name',
  ])
  const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)])
  t.is(await signs(COMPACT_SEMANTIC, about({ a: deep(20) })), 'verified')
  t.deepEqual(await signs(COMPACT_SEMANTIC, about({ a: deep(40) })), ['payload credential.unreadable'])
  t.deepEqual(await signs(COMPACT_SEMANTIC, about({ a: 'x'.repeat(8_000) })), ['payload credential.too_long'])
  const unused = await createDid(world, 'P-256')
  await signs(COMPACT, { ...claims(860), iss: unused })
  const { rows } = await world.dependencies.systemSql.query({
    text: 'select l.id from status_lists l join dids d on d.id = l.did_id where d.did = $1',
    values: [unused],
  })
  t.deepEqual(rows, [])
})
