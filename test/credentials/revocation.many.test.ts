import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { asSystem } from '../../entities/orm.ts'
import {
  BATCHES,
  COURSE,
  claimLines,
  create,
  lines,
  results,
  until as untilBatch,
} from '../support/credentials/batches.ts'
import { createDid, type Signed, sign, verify } from '../support/credentials/credentials.ts'
import { until } from '../support/credentials/dids.ts'
import { course, createTemplate } from '../support/credentials/templates.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld({ workflows: true })
})
test.after.always(() => world?.close())

const AREA = '/v1/credentials/web-semantic'
const MANY = `${AREA}/revocations`

interface Many {
  id: string
  by: string
  subject: string
  status: string
  checked: number
  revoked: number
  ended_at?: string
}

const ask = (path: string, body?: unknown, token = world.token) => world.ask(path, { token, body })

const revoke = async (by: string, id: string): Promise<Many> => {
  const reply = await ask(MANY, { by, id, is_revoked: true })
  if (reply.status !== 202) throw new Error(reply.text)
  return reply.json<Many>()
}

const done = (id: string) =>
  until('the revocation', async () => {
    const many = (await ask(`${MANY}/${id}`)).json<Many>()
    return many.status === 'REVOKED' && many
  })

const types = async (credential: unknown) => (await verify(world, credential)).reason.map(({ type }) => type)

const changesOf = async (id: string) =>
  (await ask(`${AREA}/${id}/status-history`)).json<{ data: { value: boolean; request_id: string }[] }>().data

test('everything an issuer has issued is revoked, once, in the history, and nothing of others', async (t) => {
  const did = await createDid(world)
  const signed = await Promise.all(Array.from({ length: 5 }, () => sign(world, did, { revocable: true })))
  const others = [await sign(world, await createDid(world), { revocable: true }), await sign(world, did)]
  const [first] = signed
  if (!first) throw new Error('nothing signed')
  await ask(`${AREA}/${first.id}/revocation-status`, { is_revoked: true })
  const reply = await ask(MANY, { by: 'issuer', id: did, is_revoked: true })
  t.is(reply.status, 202)
  const started = reply.json<Many>()
  t.like(started, { by: 'issuer', subject: did, status: 'REVOKING', checked: 0, revoked: 0 })
  const later = await sign(world, did, { revocable: true })
  const ended = await done(started.id)
  t.is(ended.revoked, 4, 'one was revoked before')
  t.truthy(ended.ended_at)
  for (const { credential } of signed) t.deepEqual(await types(credential), ['Revoked'])
  for (const { credential } of [...others, later]) t.deepEqual(await types(credential), [])
  t.is((await changesOf(first.id)).length, 1)
  const [change] = await changesOf(signed[1]?.id ?? '')
  t.like(change, { value: true, request_id: reply.headers.get('x-request-id') })
  const logged = await ask('/v1/analytics/events', {
    categories: [],
    types: ['CREDENTIAL_WEB_SEMANTIC_REVOCATION_CASCADE_COMPLETE_SUCCESS'],
    ids: [],
    requestIds: [reply.headers.get('x-request-id')],
    dateFrom: '2020-01-01T00:00:00Z',
    dateTo: '2999-01-01T00:00:00Z',
  })
  t.is(logged.json<{ data: unknown[] }>().data.length, 1)
})

test('a deleted issuer stays known until all that it issued is revoked; it is named no more (D-112)', async (t) => {
  const did = await createDid(world)
  const signed = await Promise.all(Array.from({ length: 3 }, () => sign(world, did, { revocable: true })))
  const { id } = await revoke('issuer', did)
  const path = `/v1/dids/${encodeURIComponent(did)}`
  t.is((await world.ask(path, { token: world.token, method: 'DELETE' })).status, 204)
  t.is((await ask(MANY, { by: 'issuer', id: did, is_revoked: true })).status, 404)
  const { systemSql } = world.dependencies
  const known = async () =>
    (await systemSql.query({ text: 'select 1 from dids where did = $1', values: [did] })).rows.length
  const running = async () => (await ask(`${MANY}/${id}`)).json<Many>().status === 'REVOKING'
  let looks = 0
  while (await running()) {
    if (await known()) looks += 1
    else t.false(await running(), 'its rows went before the revocation had ended')
    await wait(200)
  }
  t.true(looks > 5)
  t.is((await done(id)).revoked, signed.length)
  await until('its rows are gone', async () => (await known()) === 0)
})

test('everything from a template is revoked, whichever version it came from', async (t) => {
  const did = await createDid(world)
  const template = await createTemplate(world, { revocable: true })
  const from = async () => {
    const body = { claims: { id: 'did:example:holder', course: 'CS-101' }, issuer_did: did }
    const reply = await ask(`${AREA}/configurations/${template.id}/sign`, body)
    if (reply.status !== 200) throw new Error(reply.text)
    return reply.json<Signed>()
  }
  const first = await from()
  const changed = { token: world.token, method: 'PUT', body: course({ revocable: true, description: 'Another' }) }
  t.is((await world.ask(`${AREA}/configurations/${template.id}`, changed)).status, 200)
  const second = await from()
  const free = await sign(world, did, { revocable: true })
  const ended = await done((await revoke('template', template.id)).id)
  t.like(ended, { revoked: 2, checked: 2 })
  t.deepEqual(await types(first.credential), ['Revoked'])
  t.deepEqual(await types(second.credential), ['Revoked'])
  t.deepEqual(await types(free.credential), [])
})

test('a batch is revoked by either operation, once; the batch and the revocation both tell how far it is', async (t) => {
  const issuer = await createDid(world)
  const options = { issuer, proofType: 'eddsa-rdfc-2022', revocable: 'true', context: COURSE }
  const batch = await create(world, lines(30), options)
  await untilBatch(world, batch.id, ({ status }) => status === 'COMPLETED')
  const started = await revoke('batch', batch.id)
  t.is((await revoke('batch', batch.id)).id, started.id)
  const again = await world.ask(`${BATCHES}/${batch.id}/revocation`, { token: world.token, method: 'POST' })
  t.is(again.status, 202)
  t.like(await done(started.id), { revoked: 30, checked: 30 })
  const told = await untilBatch(world, batch.id, ({ revocation }) => revocation?.status === 'REVOKED')
  t.is(told.revocation?.revoked, 30)
})

test('rows of batches that were claims for a template are revoked with the template, suspendable ones too', async (t) => {
  const issuerDid = await createDid(world)
  const { id: templateId } = await createTemplate(world, { proof_type: 'eddsa-rdfc-2022', revocable: true })
  const batchOf = async (rows: number, more: Record<string, string> = {}) => {
    const { id } = await create(world, claimLines(rows), { templateId, issuerDid, ...more })
    await untilBatch(world, id, ({ status }) => status === 'COMPLETED')
    return id
  }
  const [large, small] = [await batchOf(250), await batchOf(30, { suspendable: 'true' })]
  t.like(await done((await revoke('batch', small)).id), { revoked: 30, checked: 30 })
  const last = async (batch: string) => types((await results(world, batch)).at(-1)?.credential)
  t.deepEqual([await last(large), await last(small)], [[], ['Revoked']])
  t.like(await done((await revoke('template', templateId)).id), { revoked: 250, checked: 280 })
  t.deepEqual([await last(large), await last(small)], [['Revoked'], ['Revoked']])
})

test('a credential whose transaction takes long is revoked; one that was taken back meanwhile stays (D-1105)', async (t) => {
  const did = await createDid(world)
  const [first, second] = [await sign(world, did, { revocable: true }), await sign(world, did, { revocable: true })]
  const template = await createTemplate(world, { revocable: true })
  const { systemSql, database } = world.dependencies
  await systemSql.query({
    text: 'update credentials set template_id = $1, template_version = 1 where id = $2',
    values: [template.id, first.id],
  })
  const late = await asSystem(database.system, async (em) => {
    // as an issuance whose later statements wait: its row is there, and nobody sees it yet
    await em.execute('update credentials set template_id = ?, template_version = 1 where id = ?', [
      template.id,
      second.id,
    ])
    const { id } = await revoke('template', template.id)
    const isRevoked = async () => (await ask(`${AREA}/${first.id}`)).json<{ revoked: boolean }>().revoked
    await until('the first pass', async () => (await changesOf(first.id)).length === 1 || (await isRevoked()))
    t.is((await ask(`${AREA}/${first.id}/revocation-status`, { is_revoked: false })).status, 200)
    for (let nth = 0; nth < 8; nth += 1) {
      await wait(1_000)
      await em.execute('select 1') // PostgreSQL ends what is idle in a transaction for 10 s
    }
    t.is((await ask(`${MANY}/${id}`)).json<Many>().status, 'REVOKING', 'it waits for the transaction')
    return id
  })
  await done(late)
  t.deepEqual(await types(second.credential), ['Revoked'])
  t.deepEqual(await types(first.credential), [])
})

test('what cannot be revoked at once is refused: unknown, another tenant’s, taken back', async (t) => {
  const did = await createDid(world)
  const nobody = '2a1fbdfb-4f8f-4a06-a2f3-4bb9c6d7d3a8'
  const refusal = async (body: unknown, token = world.token) => {
    const reply = await ask(MANY, body, token)
    return `${reply.status} ${String(reply.json().type).replace('/problems#', '')}`
  }
  t.is(await refusal({ by: 'issuer', id: did, is_revoked: false }), '400 request.invalid')
  t.is(await refusal({ by: 'tenant', id: did, is_revoked: true }), '400 request.invalid')
  t.is(await refusal({ by: 'issuer', id: 'did:example:nobody', is_revoked: true }), '404 did.not_found')
  for (const id of [nobody, 'no uuid']) {
    t.is(await refusal({ by: 'template', id, is_revoked: true }), '404 credential_template.not_found')
    t.is(await refusal({ by: 'batch', id, is_revoked: true }), '404 batch.not_found')
  }
  const theirs = await world.tokenOf(await world.addTenant())
  t.is(await refusal({ by: 'issuer', id: did, is_revoked: true }, theirs), '404 did.not_found')
  const { id } = await revoke('issuer', did)
  t.is((await ask(`${MANY}/${id}`, undefined, theirs)).json().type, '/problems#revocation.not_found')
  t.like(await done(id), { revoked: 0, checked: 0 })
})
