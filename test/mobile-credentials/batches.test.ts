import { randomUUID } from 'node:crypto'
import test from 'ava'
import { MOBILE_SIGN_EXAMPLE } from '../../api/mobile-credentials/answers.ts'
import { create, linesOf, post, read, until } from '../support/credentials/batches.ts'
import { makeIaca, makeSigner, SIGNERS } from '../support/credentials/mobile.ts'
import { refusal } from '../support/credentials/templates.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let signer: string
test.before(async () => {
  world = await openWorld({ workflows: true })
  await makeIaca(world)
  signer = (await makeSigner(world, { active: true })).id
})
test.after.always(() => world?.close())

const { payload } = MOBILE_SIGN_EXAMPLE
const lines = (rows: object[]) => rows.map((row) => JSON.stringify(row)).join('\n')

interface Result {
  row: number
  id: string
  credential: { encoded: string }
}

async function done(id: string) {
  const batch = await until(world, id, ({ status }) => status === 'COMPLETED')
  const file = async (name: string) =>
    (await world.ask(`/v1/credentials/batches/${id}/${name}`, { token: world.token })).text
  const [results, errors] = [await file('results'), await file('errors')]
  return {
    batch,
    results: results === '' ? [] : linesOf<Result>(results),
    errors: errors === '' ? [] : linesOf<{ row: number; field: string; code: string }>(errors),
  }
}

const verdict = async (encoded: string) => {
  const reply = await world.ask('/v1/credentials/mobile/verify', { token: world.token, body: { payload: encoded } })
  return reply.json<{ reason: { type: string }[] }>().reason.map(({ type }) => type)
}

const credential = async (id: string) =>
  (await world.ask(`/v1/credentials/mobile/${id}`, { token: world.token })).json<{
    encoded: string
    revocable: boolean
    documentSignerId: string
  }>()

test('rows of mobile credentials are signed, and a bad row names its field', async (t) => {
  const other = await makeSigner(world, { active: true })
  const rows = [
    { payload },
    { payload: { ...payload, itemsToSign: { 'org.iso.18013.5.1': { birth_date: '1990-02-30' } } } },
    { payload: { docType: 7, itemsToSign: {}, validityInfo: { validFrom: 1, until: 'x' } } },
    { payload, documentSignerId: other.id, revocable: false },
    { payload, documentSignerId: 'nobody' },
    { payload, documentSignerId: randomUUID() },
    { payload, tag: 'x' },
    { documentSignerId: signer },
  ]
  const { id } = await create(world, lines(rows), { format: 'mobile', revocable: 'true', documentSignerId: signer })
  const { batch, results, errors } = await done(id)
  t.like(batch, { format: 'mobile', total: 8, signed: 2, failed: 6 })
  t.deepEqual(
    results.map(({ row }) => row),
    [1, 4],
  )
  for (const {
    credential: { encoded },
    id: credentialId,
  } of results) {
    t.is((await credential(credentialId)).encoded, encoded)
    t.deepEqual(await verdict(encoded), [])
  }
  const signed = await Promise.all(results.map(({ id: credentialId }) => credential(credentialId)))
  t.deepEqual(
    signed.map(({ revocable, documentSignerId }) => [revocable, documentSignerId]),
    [
      [true, signer],
      [false, other.id],
    ],
  )
  t.deepEqual(
    errors.map(({ row, field, code }) => `${row} ${field} ${code}`),
    [
      '2 payload.itemsToSign["org.iso.18013.5.1"].birth_date credential.invalid',
      '3 payload.docType credential.invalid',
      '3 payload.validityInfo.validFrom credential.invalid',
      '3 payload.validityInfo.until credential.invalid',
      '5 documentSignerId row.invalid',
      '6 documentSignerId document_signer.not_found',
      '7 tag row.invalid',
      '8 payload row.invalid',
    ],
  )
})

test('a whole batch of mobile credentials is revoked', async (t) => {
  const { id } = await create(world, lines([{ payload }, { payload, revocable: false }]), {
    format: 'mobile',
    revocable: 'true',
  })
  const { results } = await done(id)
  const path = `/v1/credentials/batches/${id}/revocation`
  const { clientId, clientSecret } = world.first
  const scoped = { clientId, clientSecret, grantType: 'client_credentials', scope: 'semantic-credentials:write' }
  const narrow = (await world.ask('/v1/auth/token', { body: scoped })).json<{ access_token: string }>().access_token
  t.is(refusal(await world.ask(path, { method: 'POST', token: narrow }), 403), 'token.insufficient_scope')
  t.is((await world.ask(path, { method: 'POST', token: world.token })).status, 202)
  await until(world, id, ({ revocation }) => revocation?.status === 'REVOKED' && revocation.revoked === 1)
  t.deepEqual(await Promise.all(results.map(({ credential: { encoded } }) => verdict(encoded))), [['Revoked'], []])
})

test('a batch whose document signer was revoked pauses, and refuses its rows once it is resumed', async (t) => {
  const gone = (await makeSigner(world, { active: true })).id
  const rows = Array.from({ length: 3_000 }, () => ({ payload }))
  const { id } = await create(world, lines(rows), { format: 'mobile', documentSignerId: gone })
  await world.ask(`${SIGNERS}/${gone}/revoke`, { method: 'POST', token: world.token })
  const paused = await until(world, id, ({ status }) => status === 'PAUSED' || status === 'COMPLETED')
  t.like(paused, { status: 'PAUSED', paused: { code: 'batch.issuer_gone' } })
  await world.ask(`/v1/credentials/batches/${id}/resume`, { method: 'POST', token: world.token })
  const { batch, errors } = await done(id)
  t.is(batch.signed + batch.failed, 3_000)
  t.true(batch.failed > 0)
  t.true(errors.every(({ code }) => code === 'document_signer.not_usable'))
})

test('CSV, options of other formats and a signer of nobody are refused before any row', async (t) => {
  const csv = await post(world, 'family_name\nAda\n', { format: 'mobile' }, { type: 'text/csv' })
  t.is(refusal(csv, 400), 'request.invalid')
  t.like(csv.json<{ errors: object[] }>().errors, [{ path: 'Content-Type', code: 'media_type' }])
  const rows = lines([{ payload }])
  for (const [path, options] of [
    ['issuer', { issuer: 'did:example:nobody' }],
    ['proofType', { proofType: 'eddsa-rdfc-2022' }],
    ['suspendable', { suspendable: 'true', revocable: 'true' }],
    ['type', { type: 'Course' }],
    ['context', { context: 'https://www.w3.org/ns/credentials/v2' }],
    ['tag', { tag: 'x' }],
    ['templateId', { templateId: randomUUID() }],
  ] as const) {
    const reply = await post(world, rows, { format: 'mobile', ...options })
    t.is(refusal(reply, 400), 'request.invalid', path)
    t.like(reply.json<{ errors: object[] }>().errors, [{ path }])
  }
  const nobody = await post(world, rows, { format: 'mobile', documentSignerId: randomUUID() })
  t.is(refusal(nobody, 404), 'document_signer.not_found')
  const semantic = await post(world, rows, { documentSignerId: signer })
  t.is(refusal(semantic, 400), 'request.invalid')
  t.like(semantic.json<{ errors: object[] }>().errors, [{ path: 'documentSignerId' }])
})

test('a token without the scope of mobile credentials makes no batch of them', async (t) => {
  const { clientId, clientSecret } = world.first
  for (const scope of ['semantic-credentials:write', 'semantic-credentials:write compact-credentials:write']) {
    const body = { clientId, clientSecret, grantType: 'client_credentials', scope }
    const { access_token: token } = (await world.ask('/v1/auth/token', { body })).json<{ access_token: string }>()
    t.is(
      refusal(await post(world, lines([{ payload }]), { format: 'mobile' }, { token }), 403),
      'token.insufficient_scope',
    )
  }
})

test('a repeated upload with its Idempotency-Key is one batch', async (t) => {
  const headers = { 'idempotency-key': randomUUID() }
  const upload = () => post(world, lines([{ payload }]), { format: 'mobile', documentSignerId: signer }, { headers })
  const [first, second] = [await upload(), await upload()]
  t.deepEqual([first.status, first.json<{ id: string }>().id], [201, second.json<{ id: string }>().id])
  const { results } = await done(first.json<{ id: string }>().id)
  t.is(results.length, 1)
  t.like(await read(world, first.json<{ id: string }>().id), { signed: 1 })
})
