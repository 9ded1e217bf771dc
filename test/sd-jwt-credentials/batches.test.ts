import test from 'ava'
import { HOLDER_KEY } from '../../api/sd-jwt-credentials/examples.ts'
import { create, linesOf, post, type Result, until } from '../support/credentials/batches.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { createIaca, createSigner } from '../support/credentials/mobile.ts'
import { createSdJwtTemplate, type SignedSdJwt, verifySdJwt } from '../support/sd-jwt/credentials.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let issuer: string
let signer: string
test.before(async () => {
  world = await openWorld({ workflows: true })
  issuer = await createDid(world, 'P-256', world.token, true)
  await createIaca(world)
  signer = await createSigner(world)
})
test.after.always(() => world?.close())

const VCT = 'https://credentials.example/course'

const lines = (rows: object[]) => rows.map((row) => JSON.stringify(row)).join('\n')

type SdJwtResult = Result & { credential: SignedSdJwt }

async function done(id: string) {
  const batch = await until(world, id, ({ status }) => status === 'COMPLETED', 60_000)
  const results = await world.ask(`/v1/credentials/batches/${id}/results`, { token: world.token })
  const errors = await world.ask(`/v1/credentials/batches/${id}/errors`, { token: world.token })
  return {
    batch,
    results: results.text === '' ? [] : linesOf<SdJwtResult>(results.text),
    errors: errors.text === '' ? [] : linesOf<{ row: number; field: string; code: string }>(errors.text),
  }
}

test('rows of SD-JWT VC credentials are signed, and a bad row names its field', async (t) => {
  const rows = [
    { payload: { vct: VCT, name: 'Ada', grade: 'A' }, selectively: [['name']], decoys: 1 },
    { payload: { name: 'Grace' } },
    { payload: { vct: VCT, name: 'Alan' }, selectively: [['vct']] },
    { payload: { vct: VCT, name: 'Joan' }, revocable: false },
    { payload: { vct: VCT }, documentSignerId: signer },
  ]
  const { id } = await create(world, lines(rows), { format: 'sd-jwt-vc', issuer, revocable: 'true' })
  const { batch, results, errors } = await done(id)
  t.like(batch, { format: 'sd-jwt-vc', total: 5, signed: 2, failed: 3 })
  t.deepEqual(
    errors.map(({ row, field }) => [row, field]),
    [
      [2, 'payload.vct'],
      [3, 'selectively.0'],
      [5, 'documentSignerId'],
    ],
  )
  for (const { credential } of results) t.true((await verifySdJwt(world, credential.encoded)).verified)
  t.deepEqual(
    results.map(({ credential }) => 'status' in credential.decoded),
    [true, false],
  )
})

test('a document signer signs a batch', async (t) => {
  const rows = [{ payload: { vct: VCT, name: 'Ada' } }]
  const { id } = await create(world, lines(rows), { format: 'sd-jwt-vc', documentSignerId: signer })
  const { results } = await done(id)
  t.is(results.length, 1)
  for (const { credential } of results) t.true((await verifySdJwt(world, credential.encoded)).verified)
})

test('rows for a template are bound to the keys of their holders, and a key that is none is told (D-1012)', async (t) => {
  const { id: templateId } = await createSdJwtTemplate(world)
  const claims = { given_name: 'Ada', city: 'Uppsala' }
  const rows = [
    { claims, holder_key: HOLDER_KEY },
    { claims },
    { claims, holder_key: { kty: 'EC' } },
    { claims, holder_key: 1 },
  ]
  const { id } = await create(world, lines(rows), { format: 'sd-jwt-vc', templateId })
  const { results, errors } = await done(id)
  t.deepEqual(
    results.map(({ credential }) => credential.decoded.cnf),
    [{ jwk: HOLDER_KEY }, undefined],
  )
  t.deepEqual(errors.map(({ row, field, code }) => [row, field.split('.')[0], code]).toSorted(), [
    [3, 'holder_key', 'credential.invalid'],
    [4, 'holder_key', 'row.invalid'],
  ])
})

test('a thousand rows of a CSV are signed by a template, each with an entry of its own', async (t) => {
  const { id: templateId, vct } = await createSdJwtTemplate(world)
  const rows = Array.from({ length: 1_000 }, (_, at) => `Holder ${at},City ${at}`)
  const csv = ['given_name,city', ...rows].join('\n')
  const { id } = await create(world, csv, { format: 'sd-jwt-vc', templateId }, { type: 'text/csv' })
  const { batch, results } = await done(id)
  t.like(batch, { total: 1_000, signed: 1_000, failed: 0 })
  const entries = new Set(results.map(({ credential }) => JSON.stringify(credential.decoded.status)))
  t.is(entries.size, 1_000)
  const [first] = results
  t.like(first?.credential.decoded, { vct, given_name: 'Holder 0', address: { locality: 'City 0' } })
  t.true((await verifySdJwt(world, String(first?.credential.encoded))).verified)
})

test('options that do not fit, and columns that the template does not take, are refused at once', async (t) => {
  const { id: templateId } = await createSdJwtTemplate(world)
  const row = lines([{ payload: { vct: VCT } }])
  const refused = async (query: Record<string, string>, body = row, type?: string) => {
    const reply = await post(world, body, { format: 'sd-jwt-vc', ...query }, type === undefined ? {} : { type })
    t.is(reply.status, 400, reply.text)
    return reply.json<{ errors: { path: string }[] }>().errors.map(({ path }) => path)
  }
  t.deepEqual(await refused({ proofType: 'ES256' }), ['proofType'])
  t.deepEqual(await refused({ suspendable: 'true', revocable: 'true' }), ['suspendable'])
  t.deepEqual(await refused({ type: 'Course' }), ['type'])
  t.deepEqual(await refused({ documentSignerId: signer, issuer }), ['documentSignerId'])
  t.deepEqual(await refused({}, 'name\nAda', 'text/csv'), ['templateId'])
  t.deepEqual(await refused({ templateId }, 'given_nme\nAda', 'text/csv'), ['column 1', 'header'])
})
