import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import type { Json } from '../../protocol/data-integrity/index.ts'
import { readStatusEntry, statusIn } from '../../protocol/status-list/entry.ts'
import { createDid, payload, type Signed, sign, verify } from '../support/credentials/credentials.ts'
import { until } from '../support/credentials/dids.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld({ workflows: true })
})
test.after.always(() => world?.close())

const AREA = '/v1/credentials/web-semantic'
const ask = (path: string, body?: unknown, token = world.token) => world.ask(`${AREA}${path}`, { token, body })

const types = async (credential: unknown) => (await verify(world, credential)).reason.map(({ type }) => type)

async function signSuspendable(issuer: string, more: Record<string, unknown> = {}, proofType = 'eddsa-rdfc-2022') {
  const body = { payload: payload(issuer), proofType, revocable: true, suspendable: true, ...more }
  return ask('/sign', body)
}

interface Change {
  purpose: string
  value: boolean
  changed_at: string
  request_id: string
}

const historyOf = async (id: string, query = '') =>
  (await ask(`/${id}/status-history${query}`)).json<{ data: Change[]; total_count: number; total_pages: number }>()

/** Bits of a credential's entries as the public reads them, by purpose. */
async function published(credential: Json): Promise<Record<string, number>> {
  const entries = [credential.credentialStatus].flat().map(readStatusEntry)
  const read = entries.map(async (entry) => {
    const list = (await world.ask(new URL(entry.listUrl).pathname)).json()
    return [entry.purpose, statusIn(list, entry)] as const
  })
  return Object.fromEntries(await Promise.all(read))
}

test('every change of a status is kept, newest first, with its time and its request', async (t) => {
  const { id } = await sign(world, await createDid(world), { revocable: true })
  t.like(await historyOf(id), { data: [], total_count: 0 })
  const requests: (string | null)[] = []
  for (const is_revoked of [true, true, false, true]) {
    const reply = await ask(`/${id}/revocation-status`, { is_revoked })
    t.is(reply.status, 200)
    requests.push(reply.headers.get('x-request-id'))
  }
  const { data, total_count } = await historyOf(id)
  t.is(total_count, 3, 'what changes nothing is no change')
  t.deepEqual(
    data.map(({ purpose, value, request_id }) => [purpose, value, request_id]),
    [
      ['revocation', true, requests[3]],
      ['revocation', false, requests[2]],
      ['revocation', true, requests[0]],
    ],
  )
  t.like(await historyOf(id, '?limit=2&page=2'), { data: [data[2]], total_count: 3, total_pages: 2 })
  const { tenantId } = world.first
  const fenced = async (text: string) =>
    world.dependencies.sql.query({
      text: `with me as (select set_config('app.tenant', $1, true)) ${text}`,
      values: [tenantId],
    })
  await t.throwsAsync(fenced('update credential_status_changes set value = false from me'), { message: /permission/ })
  await t.throwsAsync(fenced('delete from credential_status_changes using me'), { message: /permission/ })
})

test('each change of a status leaves a log entry with what it set, and nothing of the credential', async (t) => {
  const { id } = (await signSuspendable(await createDid(world))).json<Signed>()
  for (const [purpose, member] of [
    ['revocation', 'Revoked'],
    ['suspension', 'Suspended'],
  ] as const)
    for (const value of [true, false]) {
      const reply = await ask(`/${id}/${purpose}-status`, { [`is_${member.toLowerCase()}`]: value })
      t.is(reply.status, 200)
      const { rows } = await world.dependencies.systemSql.query<{ type: string; metadata: object; data: object }>({
        text: 'select type, metadata, data from logs where request_id = $1',
        values: [reply.headers.get('x-request-id')],
      })
      t.deepEqual(rows, [
        {
          type: `CREDENTIAL_WEB_SEMANTIC_${purpose.toUpperCase()}_SET_STATUS_SUCCESS`,
          metadata: { clientId: world.first.clientId, id, [`is${member}`]: value },
          data: {},
        },
      ])
    }
})

test('was it valid at a time? Before its issuance no, then as the history tells, ended when it ended', async (t) => {
  const before = new Date().toISOString()
  const did = await createDid(world)
  const { id } = await sign(world, did, { revocable: true })
  const moments: [string, string[]][] = [[before, ['NotYetValid']]]
  const after = async (is_revoked: boolean | undefined, expected: string[]) => {
    if (is_revoked !== undefined) await ask(`/${id}/revocation-status`, { is_revoked })
    await wait(30)
    moments.push([new Date().toISOString(), expected])
    await wait(30)
  }
  await after(undefined, [])
  await after(true, ['Revoked'])
  await after(false, [])
  await after(true, ['Revoked'])
  for (const [at, reasons] of moments) {
    const reply = await ask(`/${id}/revocation-status?at=${at}`)
    const isRevoked = reasons.includes('Revoked')
    t.deepEqual(reply.json(), { at, isRevoked, isSuspended: false, isValid: reasons.length === 0, reasons })
  }
  const more = { validFrom: '2020-01-01T00:00:00Z', validUntil: '2021-01-01T00:00:00Z' }
  const ended = await sign(world, did, { revocable: true, more })
  const now = new Date().toISOString()
  t.deepEqual((await ask(`/${ended.id}/revocation-status?at=${now}`)).json().reasons, ['Expired'])
  const early = '2020-06-01T00:00:00Z'
  t.deepEqual(
    (await ask(`/${ended.id}/revocation-status?at=${early}`)).json().reasons,
    ['NotYetValid'],
    'not signed yet',
  )
  t.deepEqual((await ask(`/${id}/revocation-status`)).json(), { isRevoked: true })
  for (const at of ['2999-01-01T00:00:00Z', 'yesterday', '2027-01-01', '2027-02-31T25:00:00Z'])
    t.is((await ask(`/${id}/revocation-status?at=${at}`)).status, 400, at)
})

test('a change counts from the very moment that the history names for it', async (t) => {
  const { id } = await sign(world, await createDid(world), { revocable: true })
  for (const is_revoked of [true, false, true, false]) await ask(`/${id}/revocation-status`, { is_revoked })
  const { data } = await historyOf(id)
  t.is(data.length, 4)
  for (const { changed_at, value } of data) {
    const isRevokedAt = async (ms: number) =>
      (await ask(`/${id}/revocation-status?at=${new Date(ms).toISOString()}`)).json().isRevoked
    t.is(await isRevokedAt(Date.parse(changed_at)), value)
    t.is(await isRevokedAt(Date.parse(changed_at) - 1), !value)
  }
})

test('flips at the same time leave a history that alternates and ends as the status stands', async (t) => {
  const { id } = await sign(world, await createDid(world), { revocable: true })
  const flips = Array.from({ length: 24 }, (_, at) => ask(`/${id}/revocation-status`, { is_revoked: at % 3 > 0 }))
  for (const { status } of await Promise.all(flips)) t.is(status, 200)
  const { data } = await historyOf(id, '?limit=100')
  for (const [at, { value }] of data.entries()) t.is(value, (data.length - at) % 2 === 1)
  t.is((await ask(`/${id}/revocation-status`)).json().isRevoked, data[0]?.value)
})

for (const [proofType, keyType] of [
  ['eddsa-rdfc-2022', 'ed25519'],
  ['bbs-2023', 'bls12381g2'],
] as const)
  test(`${proofType}: suspended beside revoked, each in its own list; both published`, async (t) => {
    const did = await createDid(world, keyType)
    const { id, credential } = (await signSuspendable(did, {}, proofType)).json<Signed>()
    const entries = [credential.credentialStatus].flat().map(readStatusEntry)
    t.deepEqual(
      entries.map(({ purpose }) => purpose),
      ['revocation', 'suspension'],
    )
    t.is(new Set(entries.map(({ listUrl }) => listUrl)).size, 2)
    t.deepEqual(await types(credential), [])
    t.deepEqual(await published(credential), { revocation: 0, suspension: 0 })
    t.deepEqual((await ask(`/${id}/suspension-status`, { is_suspended: true })).json(), {})
    t.deepEqual(await types(credential), ['Suspended'])
    t.deepEqual((await ask(`/${id}/revocation-status`)).json(), { isRevoked: false, isSuspended: true })
    await ask(`/${id}/revocation-status`, { is_revoked: true })
    t.deepEqual(await types(credential), ['Revoked', 'Suspended'])
    await until('both lists', async () => {
      const bits = await published(credential)
      return bits.revocation === 1 && bits.suspension === 1
    })
    await ask(`/${id}/revocation-status`, { is_revoked: false })
    await ask(`/${id}/suspension-status`, { is_suspended: false })
    t.deepEqual(await types(credential), [])
    t.deepEqual(
      (await historyOf(id)).data.map(({ purpose, value }) => [purpose, value]),
      [
        ['suspension', false],
        ['revocation', false],
        ['revocation', true],
        ['suspension', true],
      ],
    )
    t.like((await ask(`/${id}`)).json(), {
      suspendable: true,
      is_suspended: false,
      credential_status: { revocation_list_index: entries[0]?.index },
    })
  })

test('suspension needs data model 2.0, an entry to revoke by, and an entry of its own', async (t) => {
  const did = await createDid(world)
  const older = {
    '@context': ['https://www.w3.org/2018/credentials/v1', { course: 'https://schema.org/courseCode' }],
  }
  const refusal = async (more: Record<string, unknown>) => {
    const reply = await signSuspendable(did, more)
    return [reply.status, reply.json().type, reply.json<{ errors: { path: string }[] }>().errors[0]?.path]
  }
  t.deepEqual(await refusal({ payload: payload(did, older) }), [
    400,
    '/problems#status_list.purpose_unsupported',
    'suspendable',
  ])
  t.deepEqual(await refusal({ revocable: false }), [400, '/problems#request.invalid', 'suspendable'])
  const { id } = await sign(world, did, { revocable: true })
  const reply = await ask(`/${id}/suspension-status`, { is_suspended: true })
  t.is(reply.status, 400)
  t.is(reply.json().type, '/problems#credential.not_suspendable')
})

test('another tenant sees, suspends and revokes nothing of ours', async (t) => {
  const token = await world.tokenOf(await world.addTenant())
  const { id } = (await signSuspendable(await createDid(world))).json<Signed>()
  for (const [path, body] of [
    ['revocation-status', undefined],
    [`revocation-status?at=${new Date().toISOString()}`, undefined],
    ['status-history', undefined],
    ['revocation-status', { is_revoked: true }],
    ['suspension-status', { is_suspended: true }],
  ] as const)
    t.is((await ask(`/${id}/${path}`, body, token)).json().type, '/problems#credential.not_found', path)
  t.is((await historyOf(id)).total_count, 0)
})

test('the same Idempotency-Key suspends once and records once', async (t) => {
  const { id } = (await signSuspendable(await createDid(world))).json<Signed>()
  const headers = { 'idempotency-key': `suspend-${id}` }
  const body = { is_suspended: true }
  for (let n = 0; n < 3; n += 1)
    t.is((await world.ask(`${AREA}/${id}/suspension-status`, { token: world.token, body, headers })).status, 200)
  const signed = (await signSuspendable(await createDid(world))).json<Signed>()
  t.is((await ask(`/${signed.id}/suspension-status`, body)).status, 200)
  t.is((await historyOf(id)).total_count, 1)
})
