import test from 'ava'
import { COURSE, create, lines, until as untilBatch } from '../support/credentials/batches.ts'
import { createCompactTemplate, signCompact, verifyCompact } from '../support/credentials/compact.ts'
import { createDid, sign, verify } from '../support/credentials/credentials.ts'
import { until } from '../support/credentials/dids.ts'
import { createTemplate, refusal } from '../support/credentials/templates.ts'
import { connected } from '../support/stack/backup.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
/** Tokens with the scopes of one area alone, and of both. */
let semantic: string
let both: string
test.before(async () => {
  world = await openWorld({ workflows: true })
  semantic = await world.tokenOf(world.first, 'semantic-credentials:write semantic-credentials:read')
  both = await world.tokenOf(
    world.first,
    'semantic-credentials:write semantic-credentials:read compact-credentials:write compact-credentials:read',
  )
})
test.after.always(() => world?.close())

const PATH = '/v1/credentials/web-semantic/revocations'

interface Revocation {
  id: string
  status: string
  formats: string[]
  revoked: number
}

const ask = (token: string, by: string, id: string, formats?: unknown) =>
  world.ask(PATH, { token, body: { by, id, is_revoked: true, formats } })

async function revoked(token: string, by: string, id: string, formats?: string[]): Promise<Revocation> {
  const reply = await ask(token, by, id, formats)
  if (reply.status !== 202) throw new Error(reply.text)
  const started = reply.json<Revocation>()
  return until('the revocation', async () => {
    const read = (await world.ask(`${PATH}/${started.id}`, { token })).json<Revocation>()
    return read.status === 'REVOKED' && read
  })
}

/** An issuer with a credential of either format, and whether each verifies. */
async function issuerOfBoth() {
  const issuer = await createDid(world, 'P-256')
  const ed = await sign(world, issuer, { proofType: 'ecdsa-rdfc-2019', revocable: true })
  const { encoded } = await signCompact(world, { iss: issuer, name: 'Ada' }, { revocable: true })
  const valid = async () => [
    (await verify(world, ed.credential)).verified,
    (await verifyCompact(world, encoded)).verified,
  ]
  return { issuer, valid }
}

test('by issuer, only credentials of formats whose scope the token has are revoked (D-310)', async (t) => {
  const { issuer, valid } = await issuerOfBoth()
  t.like(await revoked(semantic, 'issuer', issuer), { formats: ['web-semantic'], revoked: 1 })
  t.deepEqual(await valid(), [false, true])
  t.like(await revoked(both, 'issuer', issuer), {
    formats: ['web-semantic', 'compact', 'compact-semantic'],
    revoked: 1,
  })
  t.deepEqual(await valid(), [false, false])
})

test('by issuer, the request may name formats, each of which needs its scope', async (t) => {
  const { issuer, valid } = await issuerOfBoth()
  t.is(refusal(await ask(semantic, 'issuer', issuer, ['compact']), 403), 'token.insufficient_scope')
  t.is(refusal(await ask(semantic, 'issuer', issuer, ['web-semantic', 'mobile']), 403), 'token.insufficient_scope')
  for (const formats of [[], ['jwt'], 'compact']) t.is((await ask(both, 'issuer', issuer, formats)).status, 400)
  t.deepEqual(await valid(), [true, true])
  t.like(await revoked(both, 'issuer', issuer, ['compact', 'compact']), { formats: ['compact'], revoked: 1 })
  t.deepEqual(await valid(), [true, false])
})

test('by template, the format of the template decides', async (t) => {
  const { id } = await createCompactTemplate(world)
  t.is(refusal(await ask(semantic, 'template', id), 403), 'token.insufficient_scope')
  const reply = await ask(both, 'template', id, ['web-semantic'])
  t.is(refusal(reply, 400), 'request.invalid')
  t.deepEqual(
    reply.json<{ errors: { path: string }[] }>().errors.map(({ path }) => path),
    ['formats'],
  )
  t.deepEqual((await revoked(both, 'template', id)).formats, ['compact'])
  const own = await createTemplate(world)
  t.deepEqual((await revoked(semantic, 'template', own.id)).formats, ['web-semantic'])
})

test('a batch is revoked with the scope of its format, by either operation', async (t) => {
  const issuer = await createDid(world, 'P-256')
  const row = JSON.stringify({ payload: { name: 'Ada' }, revocable: true })
  const compact = await create(world, row, { format: 'compact', issuer })
  await untilBatch(world, compact.id, ({ status }) => status === 'COMPLETED')
  const operation = `/v1/credentials/batches/${compact.id}/revocation`
  t.is(refusal(await ask(semantic, 'batch', compact.id), 403), 'token.insufficient_scope')
  t.is(refusal(await world.ask(operation, { token: semantic, body: {} }), 403), 'token.insufficient_scope')
  t.is((await world.ask(operation, { token: both, body: {} })).status, 202)
  t.like(await revoked(both, 'batch', compact.id), { formats: ['compact'], revoked: 1 })
  const options = { issuer: await createDid(world), proofType: 'eddsa-rdfc-2022', revocable: 'true', context: COURSE }
  const own = await create(world, lines(2), options)
  await untilBatch(world, own.id, ({ status }) => status === 'COMPLETED')
  t.like(await revoked(semantic, 'batch', own.id), { formats: ['web-semantic'], revoked: 2 })
})

test('a revocation of an earlier release, which named no formats, revokes all', async (t) => {
  const { issuer, valid } = await issuerOfBoth()
  const { id } = (await ask(semantic, 'issuer', issuer)).json<Revocation>()
  // before its second pass, which comes six seconds after the request
  await connected(world.superuserUrl, (client) =>
    client.query('update credential_revocations set formats = null where id = $1', [id]),
  )
  await until('the revocation', async () => {
    const { status } = (await world.ask(`${PATH}/${id}`, { token: both })).json<Revocation>()
    return status === 'REVOKED'
  })
  t.deepEqual(await valid(), [false, false])
  t.false('formats' in (await world.ask(`${PATH}/${id}`, { token: both })).json())
})
