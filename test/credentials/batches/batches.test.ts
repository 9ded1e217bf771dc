import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { createPayloadCodec } from '../../../activities/frame/temporal/codec.ts'
import { CONTEXT } from '../../../protocol/contexts/index.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import {
  BATCHES,
  COURSE,
  create,
  errors,
  lines,
  post,
  read,
  results,
  steer,
  until,
} from '../../support/credentials/batches.ts'
import { createDid, verify } from '../../support/credentials/credentials.ts'
import { openWorld, type World } from '../../support/world.ts'

/** The worker's key store, as the tests want it. */
const keys = { down: false, slowMs: 0, signed: 0 }

let world: World
test.before(async () => {
  world = await openWorld({
    workflows: true,
    env: { BATCH_PATIENCE_SECONDS: '1' },
    workerKeys: (store) => ({
      ...store,
      async sign(ref, data) {
        keys.signed += 1
        if (keys.slowMs) await wait(keys.slowMs)
        if (keys.down) throw new Unavailable('keys', 'The key store does not answer.', 1)
        return store.sign(ref, data)
      },
      async ready() {
        if (keys.down) throw new Unavailable('keys', 'The key store does not answer.', 1)
        return store.ready()
      },
    }),
  })
})
test.afterEach.always(() => {
  Object.assign(keys, { down: false, slowMs: 0 })
})
test.after.always(() => world?.close())

const options = (issuer: string) => ({ issuer, proofType: 'eddsa-rdfc-2022', context: COURSE })
const completed = (id: string) => until(world, id, ({ status }) => status === 'COMPLETED')

const count = async (text: string, values: unknown[] = []) =>
  (await world.dependencies.systemSql.query<{ count: number }>({ text, values })).rows[0]?.count

test.serial('300 JSON lines become 300 credentials, each of its row, that verify', async (t) => {
  const issuer = await createDid(world)
  const more = { revocable: 'true', tag: 'spring', type: 'Course' }
  const context = [COURSE, '{"Course":"https://schema.org/Course"}']
  const made = await create(world, lines(300), { ...options(issuer), ...more, context })
  t.like(made, { status: 'PROCESSING', total: 300, signed: 0, failed: 0, pending: 300 })
  t.like(await completed(made.id), { total: 300, signed: 300, failed: 0, pending: 0 })
  t.deepEqual(await errors(world, made.id), [])
  const signed = await results(world, made.id)
  t.deepEqual(
    signed.map(({ row }) => row),
    Array.from({ length: 300 }, (_, index) => index + 1),
  )
  for (const { row, credential } of signed)
    t.deepEqual(credential.credentialSubject, { id: `did:example:holder-${row}`, course: `C-${row}` })
  t.is(new Set(signed.map(({ id }) => id)).size, 300)
  t.is(new Set(signed.map(({ credential }) => JSON.stringify(credential.credentialStatus))).size, 300)
  t.deepEqual(await verify(world, signed[298]?.credential), { verified: true, reason: [] })
  t.deepEqual(
    (await results(world, made.id, 298)).map(({ row }) => row),
    [299, 300],
    'a download goes on after a row',
  )
  const listed = await world.ask('/v1/credentials/web-semantic?tag=spring&limit=0', { token: world.token })
  t.like(listed.json(), { total_count: 300 })
  const left = 'select count(*)::int from credential_batch_rows where batch_id = $1 and input is not null'
  t.is(await count(left, [made.id]), 0, 'what was signed is kept once')
})

test.serial('a batch refuses a row that a single sign refuses: its subject is the credential (D-130)', async (t) => {
  const issuer = await createDid(world)
  const row = (id: string) => ({
    id,
    credentialSubject: { id: 'urn:x:9', 'https://www.w3.org/2018/credentials#validUntil': '2030-01-01T00:00:00Z' },
  })
  const rows = [1, 2, 3, 4, 9, 5].map((number) => row(`urn:x:${number}`))
  const made = await create(world, rows.map((each) => JSON.stringify({ payload: each })).join('\n'), options(issuer))
  t.like(await completed(made.id), { signed: 5, failed: 1 })
  const [refused] = await errors(world, made.id)
  t.like(refused, { row: 5, code: 'credential.invalid', rule: 'credential.elsewhere' })
  const payload = { ...row('urn:x:9'), '@context': [CONTEXT.credentialsV2], type: [], issuer: { id: issuer } }
  const body = { payload, proofType: 'eddsa-rdfc-2022', revocable: false }
  const single = await world.ask('/v1/credentials/web-semantic/sign', { token: world.token, body })
  t.is(single.json().type, '/problems#credential.invalid')
})

test.serial(
  'paused, resumed, cancelled: no row is begun after a pause, none recorded after a cancellation',
  async (t) => {
    const issuer = await createDid(world)
    keys.slowMs = 60
    const { id } = await create(world, lines(4_000), options(issuer))
    await until(world, id, ({ signed }) => signed > 0)
    t.like((await steer(world, id, 'pause')).json(), { status: 'PAUSED', paused: { code: 'batch.requested' } })
    // what was begun before is recorded after it, on a busy machine much later
    let paused = await read(world, id)
    for (let same = 0; same < 3; ) {
      await wait(500)
      const now = await read(world, id)
      same = now.signed === paused.signed ? same + 1 : 0
      paused = now
    }
    await wait(1_500)
    t.is((await read(world, id)).signed, paused.signed)
    t.true(paused.signed < 4_000)
    const workflow = world.dependencies.temporal.client.workflow.getHandle(
      `${world.first.tenantId}/semantic-credentials/batches/${id}`,
    )
    t.like(await workflow.query('progress'), { state: 'PAUSED', total: 4_000, signed: paused.signed, failed: 0 })
    const { searchAttributes } = await workflow.describe()
    const percent = Math.floor(paused.signed / 40)
    t.deepEqual(searchAttributes.Summary, [`sign batch ${id}: ${percent} % of 4000 rows, PAUSED`], 'without the codec')
    t.like((await steer(world, id, 'resume')).json(), { status: 'PROCESSING' })
    await until(world, id, ({ signed }) => signed > paused.signed)
    const cancelled = (await steer(world, id, 'cancel')).json<{ status: string; signed: number }>()
    t.is(cancelled.status, 'CANCELLED')
    t.like(await workflow.result(), { state: 'CANCELLED' })
    const after = await read(world, id)
    t.is(after.signed, cancelled.signed)
    t.is((await results(world, id)).length, after.signed)
    const rows = 'select count(*)::int from credential_batch_rows where batch_id = $1 and input is not null'
    t.is(await count(rows, [id]), 0, 'the remaining rows are erased')
    t.is((await steer(world, id, 'resume')).json().type, '/problems#batch.ended')
    t.is((await steer(world, id, 'pause')).status, 409)
  },
)

test.serial('Temporal is given references, never a row', async (t) => {
  const issuer = await createDid(world)
  const { id } = await create(world, lines(10), options(issuer))
  await completed(id)
  const { temporal, config } = world.dependencies
  const handle = temporal.client.workflow.getHandle(`${world.first.tenantId}/semantic-credentials/batches/${id}`)
  await handle.result()
  const { events } = await handle.fetchHistory()
  const payloads = (events ?? []).flatMap((event) => [
    ...(event.workflowExecutionStartedEventAttributes?.input?.payloads ?? []),
    ...(event.activityTaskScheduledEventAttributes?.input?.payloads ?? []),
    ...(event.activityTaskCompletedEventAttributes?.result?.payloads ?? []),
  ])
  const decoded = await createPayloadCodec(config.masterKey).decode(payloads)
  const told = decoded.map(({ data }) => Buffer.from(data ?? '').toString())
  t.true(told.length >= 4)
  const reference = /^\{("(tenantId|batchId|state)":"[\w-]+"|"(from|to|total|signed|failed)":\d+|,)+\}$/
  for (const text of told) t.regex(text, reference)
})

test.serial(
  'an issuer deleted midway pauses the batch; resumed, its rows are refused and the others signed',
  async (t) => {
    const [leaving, staying] = [await createDid(world), await createDid(world)]
    keys.slowMs = 60
    const body = lines(2_400, (row) => ({
      payload: {
        issuer: row % 2 === 0 ? leaving : { id: staying, name: 'School' },
        credentialSubject: { id: `did:example:holder-${row}`, course: `C-${row}` },
      },
    }))
    const { id } = await create(world, body, { proofType: 'eddsa-rdfc-2022', context: COURSE })
    await until(world, id, ({ signed }) => signed > 0)
    const gone = await world.ask(`/v1/dids/${leaving}`, { token: world.token, method: 'DELETE' })
    t.is(gone.status, 204)
    const paused = await until(world, id, ({ status }) => status === 'PAUSED')
    t.is(paused.paused?.code, 'batch.issuer_gone')
    t.is(paused.failed, 0, 'nothing was refused in silence')
    keys.slowMs = 0
    await steer(world, id, 'resume')
    const done = await completed(id)
    t.is(done.signed + done.failed, 2_400)
    const told = await errors(world, id)
    t.is(told.length, done.failed)
    t.true(told.every(({ row, code }) => row % 2 === 0 && code === 'credential.issuer_unknown'))
    t.is((await results(world, id)).filter(({ row }) => row % 2 === 1).length, 1_200)
  },
)

test.serial(
  'a key store that goes away is waited for, pauses the batch when it stays away, and nothing is half-signed',
  async (t) => {
    const issuer = await createDid(world)
    keys.slowMs = 20
    const { id } = await create(world, lines(3_000), { ...options(issuer), revocable: 'true' })
    await until(world, id, ({ signed }) => signed > 0)
    keys.down = true
    const waiting = await until(world, id, ({ waiting }) => waiting !== undefined)
    t.is(waiting.waiting?.part, 'keys')
    const paused = await until(world, id, ({ status }) => status === 'PAUSED')
    t.is(paused.paused?.code, 'keys.unavailable')
    t.is(paused.failed, 0)
    const recorded =
      'select count(*)::int from credentials c join credential_batch_rows r on r.credential_id = c.id where r.batch_id = $1'
    t.is(await count(recorded, [id]), paused.signed)
    keys.down = false
    keys.slowMs = 0
    const done = await completed(id)
    t.like(done, { signed: 3_000, failed: 0 }, 'it goes on by itself once the store is back')
    t.is(done.waiting, undefined)
    const signed = await results(world, id)
    t.is(new Set(signed.map(({ credential }) => JSON.stringify(credential.credentialStatus))).size, 3_000)
  },
)

test.serial('a whole batch is revoked, each list marked once per slice, and says how far it is', async (t) => {
  const issuer = await createDid(world)
  const { id } = await create(world, lines(300), { ...options(issuer), revocable: 'true' })
  t.is((await steer(world, id, 'revocation')).json().type, '/problems#batch.not_ended')
  await completed(id)
  const reply = await steer(world, id, 'revocation')
  t.is(reply.status, 202)
  t.like(reply.json(), { revocation: { status: 'REVOKING', revoked: 0 } })
  const done = await until(world, id, ({ revocation }) => revocation?.status === 'REVOKED')
  t.is(done.revocation?.revoked, 300)
  const [one] = await results(world, id)
  t.deepEqual(
    (await verify(world, one?.credential)).reason.map(({ type }) => type),
    ['Revoked'],
  )
  const changes =
    'select max(changes)::int as count from status_lists l join dids d on d.id = l.did_id where d.did = $1'
  t.is(await count(changes, [issuer]), 1)
  t.like((await steer(world, id, 'revocation')).json(), { revocation: { status: 'REVOKED', revoked: 300 } })
})

test.serial('to another tenant, or without the scope, a batch is not there', async (t) => {
  const issuer = await createDid(world)
  const { id } = await create(world, lines(2), options(issuer))
  const stranger = await world.addTenant()
  const token = await world.tokenOf(stranger)
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/errors'],
    ['GET', '/results'],
    ['POST', '/pause'],
    ['POST', '/resume'],
    ['POST', '/cancel'],
    ['POST', '/revocation'],
  ]) {
    const reply = await world.ask(`${BATCHES}/${id}${path}`, { token, method })
    t.is(reply.status, 404, path)
    t.is(reply.json().type, '/problems#batch.not_found', path)
  }
  t.like((await world.ask(BATCHES, { token })).json(), { data: [], total_count: 0 })
  t.is((await post(world, lines(1), options(issuer), { token })).json().type, '/problems#credential.issuer_unknown')
  const reader = await world.tokenOf(world.first, 'semantic-credentials:read')
  t.is((await post(world, lines(1), options(issuer), { token: reader })).status, 403)
  t.is((await post(world, lines(1), options(issuer), { token: 'nonsense' })).status, 401)
  await completed(id)
})

test.serial('batches are listed newest first, by state, with their log entries (specification, Logs)', async (t) => {
  const issuer = await createDid(world)
  const { id } = await create(world, lines(2), options(issuer))
  await completed(id)
  const listed = await world.ask(`${BATCHES}?status=COMPLETED&limit=1`, { token: world.token })
  t.is(listed.json<{ data: { id: string }[] }>().data[0]?.id, id)
  const { rows } = await world.dependencies.systemSql.query<{ type: string }>({
    text: `select type from logs where metadata->>'id' = $1 order by timestamp`,
    values: [id],
  })
  t.deepEqual(
    rows.map(({ type }) => type),
    ['CREDENTIAL_WEB_SEMANTIC_BATCH_CREATE_SUCCESS', 'CREDENTIAL_WEB_SEMANTIC_BATCH_COMPLETE_SUCCESS'],
  )
})
