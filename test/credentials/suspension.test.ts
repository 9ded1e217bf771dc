import { randomUUID } from 'node:crypto'
import test from 'ava'
import { claimLines, create, errors, lines, post, type Result, results, until } from '../support/credentials/batches.ts'
import { createDid, type Signed, verify } from '../support/credentials/credentials.ts'
import { createTemplate, refusal, TEMPLATES } from '../support/credentials/templates.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let did: string
test.before(async () => {
  world = await openWorld({ workflows: true })
  did = await createDid(world)
})
test.after.always(() => world?.close())

const AREA = '/v1/credentials/web-semantic'
const CLAIMS = { id: 'did:example:holder', course: 'CS-101' }
const OLDER = ['https://www.w3.org/2018/credentials/v1', { '@vocab': 'https://example.edu/terms#' }]

const completed = (id: string) => until(world, id, ({ status }) => status === 'COMPLETED')
const details = async (id: string | undefined) => (await world.ask(`${AREA}/${id}`, { token: world.token })).json()
const statuses = (signed: Result[]) => signed.flatMap(({ credential }) => [credential.credentialStatus].flat())
const reasons = async (credential: unknown) => (await verify(world, credential)).reason.map(({ type }) => type)
const ask = (id: string, body: unknown, headers?: Record<string, string>) =>
  world.ask(`${TEMPLATES}/${id}/sign`, { token: world.token, body, headers })
const suspend = (id: string | undefined) =>
  world.ask(`${AREA}/${id}/suspension-status`, { token: world.token, body: { is_suspended: true } })

test('signed from a template to be suspended: with both entries and its version, once per key (D-127)', async (t) => {
  const { id } = await createTemplate(world, { proof_type: 'eddsa-rdfc-2022', revocable: true })
  const headers = { 'idempotency-key': randomUUID() }
  const body = { claims: CLAIMS, issuer_did: did, suspendable: true }
  const reply = await ask(id, body, headers)
  t.is(reply.status, 200, reply.text)
  t.is((await ask(id, body, headers)).text, reply.text)
  const signed = reply.json<Signed>()
  t.like(signed.credential, {
    credentialStatus: [{ statusPurpose: 'revocation' }, { statusPurpose: 'suspension' }],
  })
  t.like(await details(signed.id), { suspendable: true, template_id: id, template_version: 1 })
  t.is((await suspend(signed.id)).status, 200)
  t.deepEqual(await reasons(signed.credential), ['Suspended'])
  const other = (await ask(id, { ...body, suspendable: false })).json<Signed>()
  t.like(await details(other.id), { suspendable: false, revocable: true })
})

test('a template without a status, or of data model 1.1, suspends nothing (D-127)', async (t) => {
  for (const [more, code] of [
    [{ revocable: false }, 'request.invalid'],
    [{ revocable: true, contexts: OLDER }, 'status_list.purpose_unsupported'],
  ] as const) {
    const { id } = await createTemplate(world, more)
    const reply = await ask(id, { claims: CLAIMS, issuer_did: did, suspendable: true })
    t.is(refusal(reply, 400), code)
    t.is(reply.json<{ errors: { path: string }[] }>().errors[0]?.path, 'suspendable')
    t.is(refusal(await ask(id, { claims: CLAIMS, issuer_did: did, suspendable: 'true' }), 400), 'request.invalid')
    t.is((await ask(id, { claims: CLAIMS, issuer_did: did, suspendable: false })).status, 200)
  }
})

test.serial('rows that may be suspended have both entries; others say what they lack (D-127)', async (t) => {
  const options = { issuer: did, proofType: 'eddsa-rdfc-2022', revocable: 'true', suspendable: 'true' }
  const context = ['{"course":"https://schema.org/courseCode"}']
  const older = { '@context': ['https://www.w3.org/2018/credentials/v1'], credentialSubject: { id: 'did:example:a' } }
  const body = [
    lines(210),
    JSON.stringify({ payload: older }),
    lines(1, () => ({ revocable: false })),
    lines(1, () => ({ suspendable: false })),
  ].join('\n')
  const { id } = await create(world, body, { ...options, context })
  t.like(await completed(id), { signed: 211, failed: 2 })
  t.deepEqual(
    (await errors(world, id)).map(({ row, field, code }) => [row, field, code]),
    [
      [211, 'suspendable', 'status_list.purpose_unsupported'],
      [212, 'suspendable', 'request.invalid'],
    ],
  )
  const signed = await results(world, id)
  const both = statuses(signed)
  t.is(new Set(both.map((entry) => JSON.stringify(entry))).size, 421)
  const purposes = ({ credential }: Result) =>
    [credential.credentialStatus].flat().map((entry) => (entry as { statusPurpose: string }).statusPurpose)
  t.true(signed.slice(0, 210).every((one) => purposes(one).join() === 'revocation,suspension'))
  t.deepEqual(signed.slice(210).map(purposes), [['revocation']])
  t.like(await details(signed[0]?.id), { suspendable: true, is_suspended: false })
  t.is((await suspend(signed[0]?.id)).status, 200)
  t.is((await suspend(signed[210]?.id)).json().type, '/problems#credential.not_suspendable')
  t.deepEqual(await reasons(signed[0]?.credential), ['Suspended'])
  t.deepEqual(await reasons(signed[1]?.credential), [])
  for (const [more, code] of [
    [{ revocable: 'false' }, 'request.invalid'],
    [{ context: 'https://www.w3.org/2018/credentials/v1' }, 'status_list.purpose_unsupported'],
  ] as const) {
    const reply = await post(world, 'id\ndid:example:a\n', { ...options, ...more }, { type: 'text/csv' })
    t.is(reply.json().type, `/problems#${code}`, 'no row of CSV could be signed')
  }
})

test.serial('rows of claims may be suspended too, each by its own word (D-127)', async (t) => {
  const { id: templateId } = await createTemplate(world, { proof_type: 'eddsa-rdfc-2022', revocable: true })
  const body = claimLines(3, (row) => (row === 2 ? { suspendable: false } : {}))
  const { id } = await create(world, body, { templateId, issuerDid: did, suspendable: 'true' })
  t.like(await completed(id), { signed: 3 })
  const signed = await results(world, id)
  t.deepEqual(
    signed.map((one) => statuses([one]).length),
    [2, 1, 2],
  )
  t.is((await suspend(signed[2]?.id)).status, 200)
  t.deepEqual(await reasons(signed[2]?.credential), ['Suspended'])
  t.like(await details(signed[2]?.id), { template_id: templateId, is_suspended: true, revocable: true })
})
