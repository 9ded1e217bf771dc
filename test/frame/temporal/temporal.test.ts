import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import type { Payload } from '@temporalio/common'
import test from 'ava'
import express from 'express'
import { pino } from 'pino'
import { createOutbox } from '../../../activities/frame/outbox.ts'
import { createPayloadCodec } from '../../../activities/frame/temporal/codec.ts'
import { registerSchedules, registerSearchAttributes } from '../../../activities/frame/temporal/registration.ts'
import { type WorkflowStart } from '../../../activities/frame/temporal/starts.ts'
import { bundleWorkflows } from '../../../activities/frame/worker/bundle.ts'
import { type RunningWorker, startWorker } from '../../../activities/frame/worker/start.ts'
import { codecEndpoint } from '../../../api/frame/codec-endpoint.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { FrameActivities } from '../../support/frame/frame.workflows.ts'
import { openTemporal, type TestTemporal } from '../../support/parts/temporal.ts'

const masterKey = randomBytes(32)
const canary = `canary-${randomBytes(8).toString('hex')}`
const counts = new Map<string, number>()
const refusals = { attempts: 0 }

const activities: FrameActivities = {
  repeat: async ({ words }) => ({ words: `${words}, repeated` }),
  async refuse({ words }) {
    refusals.attempts += 1
    throw new Refusal('did.not_found', `nothing is known of ${words}`)
  },
  async count({ name }) {
    counts.set(name, (counts.get(name) ?? 0) + 1)
  },
}

let world: TestTemporal
let worker: RunningWorker

test.before(async () => {
  world = await openTemporal(masterKey)
  worker = await startWorker({
    config: world.config,
    activities,
    jobs: [],
    temporal: world.temporal,
    systemSql: { query: async () => ({ rows: [] }) },
    outbox: createOutbox(masterKey),
    log: pino({ level: 'silent' }),
    bundle: await bundleWorkflows(new URL('../../support/frame/frame.workflows.ts', import.meta.url).pathname),
  })
})

test.after.always(async () => {
  await worker?.stop()
  await world?.close()
})

const begin = async (workflowType: string, objectId: string): Promise<WorkflowStart> => {
  const start: WorkflowStart = {
    tenantId: '5b1f3c1e-0000-4000-8000-000000000001',
    area: 'dids',
    objectId,
    summary: `Words of object ${objectId}`,
    workflowType,
    workflowId: `frame/${workflowType}/${objectId}`,
    payload: { words: canary },
  }
  await world.temporal.startWorkflow(start)
  return start
}

const handleOf = ({ workflowId }: WorkflowStart) => world.temporal.client.workflow.getHandle(workflowId)

test.serial('input, result and failure of a workflow are nowhere in what Temporal stores', async (t) => {
  const repeated = await begin('repeatWords', 'object-1')
  t.deepEqual(await handleOf(repeated).result(), { words: `${canary}, repeated` })
  const failed = await begin('failWithWords', 'object-2')
  const error = await t.throwsAsync(handleOf(failed).result())
  t.is((error?.cause as Error | undefined)?.message, `failed on ${canary}`)

  const stored = await world.stored()
  t.true(stored.includes('Words of object object-1'), 'the files that are searched are those that Temporal writes')
  t.false(stored.includes(canary))
  t.false(stored.includes(Buffer.from(canary).toString('base64').slice(0, -4)))
  for (const start of [repeated, failed]) {
    const { history } = await world.temporal.connection.workflowService.getWorkflowExecutionHistory({
      namespace: world.temporal.namespace,
      execution: { workflowId: start.workflowId },
    })
    const text = JSON.stringify(history?.events)
    t.true(text.includes(start.workflowType))
    t.false(text.includes(canary))
  }
})

test.serial('a refusal is final after one attempt and keeps its code', async (t) => {
  const refused = await begin('beRefused', 'object-3')
  t.is(await handleOf(refused).result(), 'did.not_found')
  t.is(refusals.attempts, 1)
  t.false((await world.stored()).includes(canary))
})

test.serial('an operator finds by ObjectId what happened to an object, with a readable summary', async (t) => {
  const start = await begin('repeatWords', 'object-4')
  await handleOf(start).result()
  const found: Array<{ workflowId: string; attributes: Record<string, unknown> }> = []
  for (let tries = 0; tries < 50 && found.length === 0; tries += 1) {
    for await (const run of world.temporal.client.workflow.list({
      query: `ObjectId = 'object-4' and Area = 'dids'`,
    })) {
      const attributes = run.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value])
      found.push({ workflowId: run.workflowId, attributes: Object.fromEntries(attributes) })
    }
    if (found.length === 0) await new Promise((resolve) => setTimeout(resolve, 100))
  }
  t.like(found, [
    {
      workflowId: start.workflowId,
      attributes: { TenantId: start.tenantId, Area: 'dids', ObjectId: 'object-4', Summary: start.summary },
    },
  ])
  t.is(await (await handleOf(start).describe()).staticSummary(), start.summary)
})

test.serial('a second start with the same id starts nothing, while it runs and after it closed', async (t) => {
  const name = `once-${randomBytes(4).toString('hex')}`
  const start = (): Promise<string> =>
    world.temporal.startWorkflow({
      tenantId: 'tenant',
      area: 'dids',
      objectId: name,
      summary: 'Counted once',
      workflowType: 'countOnce',
      workflowId: `frame/${name}`,
      payload: { name },
    })
  await Promise.all(Array.from({ length: 20 }, start))
  await world.temporal.client.workflow.getHandle(`frame/${name}`).result()
  t.is(await start(), 'already started')
  t.is(counts.get(name), 1)
})

test.serial('the codec endpoint decodes a stored payload for the Temporal UI, and for no other origin', async (t) => {
  const app = express().use(codecEndpoint(createPayloadCodec(masterKey), { uiUrl: 'http://127.0.0.1:8233' }))
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/codec/decode`
  const ask = (body: string, headers: Record<string, string> = {}, method = 'POST') =>
    fetch(url, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(method === 'POST' ? { body } : {}),
    })

  const start = await begin('repeatWords', 'object-5')
  await handleOf(start).result()
  const { history } = await world.temporal.connection.workflowService.getWorkflowExecutionHistory({
    namespace: world.temporal.namespace,
    execution: { workflowId: start.workflowId },
  })
  const input = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]
  if (!input) return t.fail('the history shows no input')
  const wire = JSON.stringify({ payloads: [toWire(input)] })

  const decoded = await ask(wire, { origin: 'http://localhost:8233' })
  t.is(decoded.headers.get('access-control-allow-origin'), 'http://localhost:8233')
  const { payloads } = (await decoded.json()) as { payloads: Array<{ data: string }> }
  t.deepEqual(JSON.parse(Buffer.from(payloads[0]?.data ?? '', 'base64').toString()), { words: canary })

  const encode = (body: string) =>
    fetch(url.replace('decode', 'encode'), { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  for (const none of ['{}', '{"payloads":[]}'])
    for (const answer of [await encode(none), await ask(none)]) t.deepEqual(await answer.json(), { payloads: [] })
  t.is((await encode(wire)).status, 400, 'it encodes nothing')

  t.is((await ask('', { origin: 'http://127.0.0.1:8233' }, 'OPTIONS')).status, 204)
  for (const origin of ['http://127.0.0.1:8234', 'https://127.0.0.1:8233', 'null']) {
    const foreign = await ask(wire, { origin })
    t.is(foreign.status, 403, origin)
    t.is(foreign.headers.get('access-control-allow-origin'), null)
  }
  for (const body of [
    '{',
    '[]',
    '{"payloads":{}}',
    '{"payloads":[{"data":1}]}',
    '{"payloads":[{"metadata":{"a":1}}]}',
  ]) {
    t.is((await ask(body)).status, 400, body)
  }
  t.is((await ask(wire, { 'content-type': 'text/plain' })).status, 400)
  const altered = toWire(input)
  altered.data = `AAAA${altered.data.slice(4)}`
  t.is((await ask(JSON.stringify({ payloads: [altered] }))).status, 400)
})

test.serial('registering again changes nothing, and a schedule that an operator paused stays paused', async (t) => {
  const jobs = [
    { id: 'tick', workflowType: 'tick', area: 'administration', summary: 'Test job', every: { seconds: 1 } },
    { id: 'nightly', workflowType: 'tick', area: 'administration', summary: 'Test job', every: { cron: '0 3 * * *' } },
  ]
  await registerSearchAttributes(world.temporal)
  await registerSchedules(world.temporal, jobs)
  for (let tries = 0; tries < 100 && !counts.has('tick'); tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 100))
  t.true((counts.get('tick') ?? 0) >= 1, 'the schedule starts the workflow')

  const schedule = world.temporal.client.schedule.getHandle('tick')
  await schedule.pause('test')
  await registerSchedules(world.temporal, jobs)
  const { state, policies } = await schedule.describe()
  t.true(state.paused)
  t.is(policies.overlap, 'SKIP')
  t.is(policies.catchupWindow, 10_000)
  t.is((await world.temporal.client.schedule.getHandle('nightly').describe()).policies.catchupWindow, 3_600_000)
})

test('a payload opens with its key alone, whole, and after a rotation', async (t) => {
  const [first, second] = [randomBytes(32), randomBytes(32)]
  const plain: Payload = {
    metadata: { encoding: Buffer.from('json/plain') },
    data: Buffer.from(JSON.stringify('a'.repeat(5_000))),
  }
  const [sealed] = await createPayloadCodec(first).encode([plain])
  if (!sealed?.data) return t.fail('nothing was encoded')
  t.true(sealed.data.length < 500, 'what repeats is compressed')
  t.deepEqual(
    await createPayloadCodec(second, first).decode([sealed]),
    await createPayloadCodec(first).decode([sealed]),
  )
  await t.throwsAsync(createPayloadCodec(second).decode([sealed]))
  for (const at of [0, 12, sealed.data.length - 1]) {
    const data = Buffer.from(sealed.data)
    data.writeUInt8(data.readUInt8(at) ^ 1, at)
    await t.throwsAsync(createPayloadCodec(first).decode([{ ...sealed, data }]), undefined, `byte ${at}`)
  }
  t.deepEqual(await createPayloadCodec(first).decode([plain]), [plain])
})

const toWire = ({ metadata, data }: Payload) => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
  ),
  data: Buffer.from(data ?? new Uint8Array(0)).toString('base64'),
})
