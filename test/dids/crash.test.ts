import test from 'ava'
import { didsOf, until } from '../support/credentials/dids.ts'
import { type Names, openNames } from '../support/frame/names.ts'
import { openProcesses, type Processes } from '../support/parts/processes.ts'
import { sampled } from '../support/parts/thorough.ts'
import { type Ask, send } from '../support/world.ts'

let names: Names
let platform: Processes
let dids: ReturnType<typeof didsOf>
test.before(async () => {
  names = await openNames()
  platform = await openProcesses(names.env)
  const ask = (path: string, question: Ask = {}) => send(`${platform.url}${path}`, question)
  const { clientId, clientSecret } = platform.first
  const body = { clientId, clientSecret, grantType: 'client_credentials' }
  const { access_token: token } = (await ask('/v1/auth/token', { body })).json<{ access_token: string }>()
  dids = didsOf({ ask }, token)
})
test.after.always(async () => {
  await platform?.close()
  await names?.close()
})

const rows = async <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> =>
  (await platform.dependencies.systemSql.query<Row>({ text, values })).rows

/** The world sees our documents, or does not: so a registration waits in the middle for as long as a test needs. */
const gate = {
  open: () => {
    names.platform.apiPort = platform.port
  },
  close: () => {
    names.platform.apiPort = 0
  },
}

const looksAt = (id: string) => {
  const handle = platform.dependencies.temporal.client.workflow.getHandle(
    `${platform.first.tenantId}/dids/${id}/register`,
  )
  return until(`a look for ${id}`, async () => {
    const { events } = await handle.fetchHistory().catch(() => ({ events: [] })) // not started yet
    return events?.some((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'lookUpDid')
  })
}

/** Everything that tells of a registration, counted. */
async function traces(id: string, did: string) {
  const { workflow } = platform.dependencies.temporal.client
  const executions: string[] = []
  for await (const { status } of workflow.list({ query: `ObjectId = '${id}'` })) executions.push(status.name)
  const count = async (text: string, value = id) => (await rows(text, value)).length
  return {
    executions,
    dids: await rows('select registration_status as status from dids where did = $1', did),
    keys: await count('select 1 from keys where did_id = $1 and public_key is not null and did_url is not null'),
    envelopes: await count('select 1 from key_envelopes e join keys k on k.id = e.key_id where k.did_id = $1'),
    log: await rows(`select type from logs where metadata->>'id' = $1`, id),
    outbox: await count('select 1 from outbox where object_id = $1 and started_at is not null'),
  }
}

const ONCE = {
  executions: ['COMPLETED'],
  dids: [{ status: 'COMPLETED' }],
  keys: 5,
  envelopes: 5,
  log: [{ type: 'DID_CREATE_SUCCESS' }],
  outbox: 1,
}

type Part = 'worker' | 'api' | 'temporal'

const kill = (parts: Part[]) => Promise.all(parts.map((part) => platform[part].kill()))

/** Temporal before those that need it. A worker that gave up during an outage is started as its supervisor would. */
async function restart(parts: Part[]): Promise<void> {
  for (const part of ['temporal', 'api', 'worker'] as const)
    if (parts.includes(part) || platform[part].gone()) await platform[part].start()
}

async function completesOnce(t: { deepEqual(actual: unknown, expected: unknown): void }, id: string, did: string) {
  await dids.reaches(did, 'COMPLETED', 60_000)
  await until('the workflow’s end', async () => (await traces(id, did)).executions[0] === 'COMPLETED')
  t.deepEqual(await traces(id, did), ONCE)
}

const KILLED: Part[][] = [['worker'], ['api'], ['temporal'], ['worker', 'api', 'temporal']]

for (const parts of sampled(KILLED, 3))
  test.serial(`kill -9 of ${parts.join(', ')} while a did:web waits to resolve: it completes, once`, async (t) => {
    gate.close()
    const { did, id } = await dids.createWeb(`${names.origin}/${parts.join('-')}`)
    await looksAt(id)
    await kill(parts)
    gate.open()
    await restart(parts)
    await completesOnce(t, id, did)
  })

test.serial('kill -9 of the worker while it makes the keys: it completes, once', async (t) => {
  gate.open()
  const { did, id } = await dids.createWeb(`${names.origin}/keys`)
  const made = 'select 1 from key_envelopes e join keys k on k.id = e.key_id where k.did_id = $1'
  for (let known = 0; known === 0; ) known = (await rows(made, id)).length
  await kill(['worker'])
  await restart(['worker'])
  await completesOnce(t, id, did)
})

test.serial('kill -9 between the 201 and the start of the workflow: it completes, once', async (t) => {
  gate.open()
  platform.worker.pause()
  const { did, id } = await dids.createWeb(`${names.origin}/between`)
  t.deepEqual((await traces(id, did)).executions, [])
  t.is((await rows('select 1 from outbox where object_id = $1 and started_at is null', id)).length, 1)
  await kill(['api', 'worker'])
  await restart(['api', 'worker'])
  await completesOnce(t, id, did)
})
