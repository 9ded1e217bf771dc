import test from 'ava'
import { BATCHES, type Batch, COURSE, lines, query } from '../../support/credentials/batches.ts'
import { until } from '../../support/credentials/dids.ts'
import { openProcesses, type Processes } from '../../support/parts/processes.ts'
import { type Ask, send } from '../../support/world.ts'

let platform: Processes
let token: string
test.before(async () => {
  platform = await openProcesses()
  const { clientId, clientSecret } = platform.first
  const body = { clientId, clientSecret, grantType: 'client_credentials' }
  token = (await send(`${platform.url}/v1/auth/token`, { body })).json<{ access_token: string }>().access_token
})
test.after.always(() => platform?.close())

const ask = (path: string, question: Ask = {}) => send(`${platform.url}${path}`, { token, ...question })

/** Chunks that a worker has taken and not answered, as Temporal knows. */
async function inHand(id: string): Promise<number> {
  const { workflow } = platform.dependencies.temporal.client
  for await (const { workflowId } of workflow.list({ query: `ObjectId = '${id}'` })) {
    const { pendingActivities } = (await workflow.getHandle(workflowId).describe()).raw
    return pendingActivities?.filter(({ state }) => state === 2).length ?? 0 // PENDING_ACTIVITY_STATE_STARTED
  }
  return 0
}

test.serial('the chunks of a worker that was killed are taken up again long before their time is up', async (t) => {
  const total = 6_000
  const did = await ask('/v1/dids', { body: { method: 'KEY', options: { keyType: 'ed25519' } } })
  const options = { issuer: did.json<{ did: string }>().did, proofType: 'eddsa-rdfc-2022', context: COURSE }
  const headers = { 'content-type': 'application/x-ndjson' }
  const reply = await ask(`${BATCHES}${query(options)}`, { raw: lines(total), headers })
  t.is(reply.status, 201, reply.text)
  const { id } = reply.json<Batch>()
  await until('a worker to have chunks in hand', async () => (await inHand(id)) > 0)
  await platform.worker.kill()
  t.true((await inHand(id)) > 0, 'Temporal waits for the worker that is gone')

  await platform.worker.start()
  const read = async () => (await ask(`${BATCHES}/${id}`)).json<Batch>()
  // without a heartbeat a chunk is given up after 5 minutes, with one after 10 s; what is between is for a slow machine
  const completed = async () => (await read()).status === 'COMPLETED'
  await until('the batch to be signed by another worker', completed, 120_000)
  const { signed, failed } = await read()
  t.deepEqual({ signed, failed }, { signed: total, failed: 0 })
})
