import test from 'ava'
import { create, errors, linesOf, post, read } from '../support/credentials/batches.ts'
import { createDid, type Signed } from '../support/credentials/credentials.ts'
import { course, createTemplate, refusal, TEMPLATES, type Template } from '../support/credentials/templates.ts'
import { platformOf } from '../support/parts/platform.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let did: string
test.before(async () => {
  world = await openWorld()
  did = await createDid(world)
})
test.after.always(() => world?.close())

interface Problem {
  detail: string
  errors: { path: string; code: string; message: string }[]
}

const MAPPINGS = {
  department: { map_from: 'claims.department', required: true },
  memberNumber: 'claims.member_number',
  city: 'claims.address.city',
  grade: { default_value: 'passed' },
}
const CLAIMS = { id: 'did:example:a', department: 'D', member_number: 7, address: { city: 'Rome' } }
const sign = (id: string, claims: unknown) =>
  world.ask(`${TEMPLATES}/${id}/sign`, { token: world.token, body: { claims, issuer_did: did } })

test('a claim that no mapping takes is a 400 that names it, and what was meant (D-241)', async (t) => {
  const { id } = await createTemplate(world, { claim_mappings: MAPPINGS })
  t.is((await sign(id, CLAIMS)).status, 200)
  const { department, ...rest } = CLAIMS
  const claims = {
    ...rest,
    departement: department,
    memberNumber: 7,
    grade: 'failed',
    address: { city: 'R', zip: '1' },
  }
  const reply = await sign(id, claims)
  t.is(refusal(reply, 400), 'credential_template.claims_unmapped')
  const problem = reply.json<Problem>()
  t.deepEqual(
    problem.errors.map(({ path, code }) => [path, code.replace('credential_template.', '')]),
    [
      ['claims.address.zip', 'claim_unmapped'],
      ['claims.departement', 'claim_unmapped'],
      ['claims.memberNumber', 'claim_unmapped'],
      ['claims.grade', 'claim_unmapped'],
      ['claims.department', 'claim_required'],
    ].sort((a, b) => order(claims, a) - order(claims, b)),
  )
  const hintOf = (path: string) => /did you mean (\S+)\?/.exec(String(message(problem, path)))?.[1]
  t.is(hintOf('claims.departement'), 'department')
  t.is(hintOf('claims.memberNumber'), undefined, 'member_number was sent too')
  t.is(hintOf('claims.grade'), undefined)
  t.true(problem.detail.includes('id, department, member_number, address.city'), 'what the template takes')
  const { member_number, ...without } = CLAIMS
  const renamed = (await sign(id, { ...without, memberNumber: member_number })).json<Problem>()
  t.regex(String(message(renamed, 'claims.memberNumber')), /did you mean member_number\?/)
})

const message = ({ errors }: Problem, path: string) => errors.find((error) => error.path === path)?.message
/** Errors stand in the order of the claims, then come the missing ones. */
const order = (claims: object, [path = '']: string[]) => {
  const at = Object.keys(claims).indexOf(path.split('.')[1] ?? '')
  return at < 0 ? 1_000 : at
}

test('with ignore_unmapped the same claims are left out; the member is versioned as the others are (D-241)', async (t) => {
  const { id } = await createTemplate(world, { claim_mappings: MAPPINGS })
  const claims = { ...CLAIMS, extra: 1 }
  t.is(refusal(await sign(id, claims), 400), 'credential_template.claims_unmapped')
  const body = course({ claim_mappings: MAPPINGS, ignore_unmapped: true })
  const updated = await world.ask(`${TEMPLATES}/${id}`, { method: 'PUT', token: world.token, body })
  t.like(updated.json(), { version: 2, ignore_unmapped: true })
  const { credential } = (await sign(id, claims)).json<Signed>()
  const subject = { id: 'did:example:a', department: 'D', memberNumber: 7, city: 'Rome', grade: 'passed' }
  t.deepEqual(credential.credentialSubject, subject)
  const older = await world.ask(`${TEMPLATES}/${id}?version=1`, { token: world.token })
  t.false('ignore_unmapped' in older.json<Template>())
  const { data } = (await world.ask(`${TEMPLATES}?limit=1000`, { token: world.token })).json<{ data: Template[] }>()
  t.like(
    data.find((template) => template.id === id),
    { ignore_unmapped: true },
  )
  for (const ignore_unmapped of ['yes', 1, {}]) {
    const refused = await world.ask(TEMPLATES, { token: world.token, body: course({ ignore_unmapped }) })
    t.is(refusal(refused, 400), 'request.invalid')
  }
})

test('without mappings every claim is used, so none is unmapped', async (t) => {
  for (const claim_mappings of [undefined, null, {}]) {
    const { id } = await createTemplate(world, { claim_mappings })
    t.is((await sign(id, { ...CLAIMS, extra: 1 })).status, 200)
  }
})

const csv = { type: 'text/csv' }

test('a CSV column that no mapping takes is refused with the header, and nothing is kept (D-241)', async (t) => {
  const { id: templateId } = await createTemplate(world, { claim_mappings: MAPPINGS })
  const count = async () =>
    (
      await world.dependencies.systemSql.query<{ count: number }>({
        text: 'select count(*)::int as count from credential_batches where template_id = $1',
        values: [templateId],
      })
    ).rows[0]?.count
  const body = 'id,departement,member_number:number,address.city,address.zip,$tag\ndid:example:a,D,7,Rome,1,t\n'
  const reply = await post(world, body, { templateId, issuerDid: did }, csv)
  t.is(refusal(reply, 400), 'batch.csv_header')
  const problem = reply.json<Problem>()
  t.deepEqual(
    problem.errors.map(({ path, code }) => [path, code]),
    [
      ['column 2', 'column.unmapped'],
      ['column 5', 'column.unmapped'],
      ['header', 'column.required'],
    ],
  )
  t.regex(String(message(problem, 'column 2')), /^departement: .*did you mean department\?$/)
  t.regex(String(message(problem, 'header')), /department/)
  t.true(problem.detail.includes('id, department, member_number, address.city'))
  t.is(await count(), 0)
  const good = body
    .replace('departement', 'department')
    .replace('address.zip', 'address.city')
    .replace(',address.city,$', ',$')
  const made = await create(world, good.replace('Rome,1', 'Rome'), { templateId, issuerDid: did }, csv)
  t.like(made, { total: 1, failed: 0 })
})

test('a JSON line with an unmapped claim is refused with the upload, and so is a cell of a :json column (D-241)', async (t) => {
  const { id: templateId } = await createTemplate(world, { claim_mappings: MAPPINGS })
  const rows = [CLAIMS, { ...CLAIMS, departement: 'D' }, { id: 'did:example:b' }, CLAIMS]
  const body = rows.map((claims) => JSON.stringify({ claims })).join('\n')
  const made = await create(world, body, { templateId, issuerDid: did })
  t.like(made, { total: 4, failed: 2, pending: 2 }, 'before any row is signed')
  t.deepEqual(
    (await errors(world, made.id)).map(({ row, field, code, rule }) => [row, field, code, rule]),
    [
      [2, 'claims.departement', 'credential_template.claims_unmapped', 'credential_template.claim_unmapped'],
      [3, 'claims.department', 'credential_template.claims_missing', 'credential_template.claim_required'],
    ],
  )
  const cells = 'department,address:json\nD,"{""city"":""Rome""}"\nD,"{""city"":""Rome"",""zip"":1}"\n'
  const second = await create(world, cells, { templateId, issuerDid: did }, csv)
  t.like(second, { total: 2, failed: 1 })
  t.like((await errors(world, second.id))[0], { row: 2, field: 'claims.address.zip' })
})

test('a batch is signed by the rules that it was created with, whatever the template says since (D-126)', async (t) => {
  const { id: templateId } = await createTemplate(world, { claim_mappings: MAPPINGS, ignore_unmapped: true })
  const body = JSON.stringify({ claims: { ...CLAIMS, extra: 1 } })
  const { id } = await create(world, body, { templateId, issuerDid: did })
  const stricter = course({ claim_mappings: MAPPINGS })
  await world.ask(`${TEMPLATES}/${templateId}`, { method: 'PUT', token: world.token, body: stricter })
  // rows of a batch that an older release took: nobody checked them when they came
  const accepted = await create(world, JSON.stringify({ claims: CLAIMS }), { templateId, issuerDid: did })
  await world.dependencies.systemSql.query({
    text: `update credential_batch_rows set input = $2::json where batch_id = $1`,
    values: [accepted.id, body],
  })
  for (const batchId of [id, accepted.id]) {
    await platformOf(world).batchSigning.signBatchChunk({ tenantId: world.first.tenantId, batchId, from: 1, to: 1 })
    t.like(await read(world, batchId), { signed: 1, failed: 0 })
  }
  const { text } = await world.ask(`/v1/credentials/batches/${id}/results`, { token: world.token })
  const [result] = linesOf<{ credential: { credentialSubject: object } }>(text)
  t.false('extra' in (result?.credential.credentialSubject ?? {}))
})
