import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { BATCHES, type Batch, query } from '../../support/credentials/batches.ts'
import { openProcesses, type Processes } from '../../support/parts/processes.ts'
import { type Ask, send } from '../../support/world.ts'

const COUNT = 1_000_000
const LIMIT_MS = 40 * 60_000

let platform: Processes
let token: string
test.before(async () => {
  platform = await openProcesses({ ACCESS_TOKEN_LIFETIME_SECONDS: '7200' }, { durable: true })
  const { clientId, clientSecret } = platform.first
  const body = { clientId, clientSecret, grantType: 'client_credentials' }
  token = (await send(`${platform.url}/v1/auth/token`, { body })).json<{ access_token: string }>().access_token
})
test.after.always(() => platform?.close())

const ask = (path: string, question: Ask = {}) => send(`${platform.url}${path}`, { token, ...question })
const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`
const since = (from: number) => (performance.now() - from) / 1000

function rows(): ReadableStream {
  let row = 0
  return new ReadableStream({
    pull(controller) {
      if (row === COUNT) return controller.close()
      const slice = Array.from({ length: 1_000 }, () => {
        row += 1
        return `{"payload":{"credentialSubject":{"id":"did:example:holder-${row}","name":"Holder ${row}"}}}`
      })
      controller.enqueue(Buffer.from(`${slice.join('\n')}\n`))
    },
  })
}

/** Of the answer's lines as they come: how many there are, and whether each is the row after the one before. */
async function readResults(id: string): Promise<{ lines: number; inOrder: boolean }> {
  const response = await fetch(`${platform.url}${BATCHES}/${id}/results`, {
    headers: { authorization: `Bearer ${token}` },
  })
  if (!response.body) throw new Error(`the results answered ${response.status}`)
  let lines = 0
  let inOrder = true
  for await (const line of createInterface({ input: Readable.fromWeb(response.body) })) {
    lines += 1
    if (!line.startsWith(`{"row":${lines},`)) inOrder = false
  }
  return { lines, inOrder }
}

test.serial('a million rows are signed to the last, in memory that does not grow with them (D-082)', async (t) => {
  t.timeout(LIMIT_MS)
  const did = await ask('/v1/dids', { body: { method: 'KEY', options: { keyType: 'ed25519' } } })
  const issuer = did.json<{ did: string }>().did
  const begun = performance.now()
  const options = { proofType: 'eddsa-rdfc-2022', revocable: 'true', issuer }
  const created = await ask(`${BATCHES}${query(options)}`, {
    raw: rows(),
    headers: { 'content-type': 'application/x-ndjson' },
  })
  t.is(created.status, 201, created.text)
  const { id } = created.json<Batch>()
  t.log(`uploaded in ${since(begun).toFixed(0)} s`)
  const signing = performance.now()
  let early = 0
  let highest = 0
  let batch = created.json<Batch>()
  while (batch.status === 'PROCESSING' && since(signing) * 1000 < LIMIT_MS) {
    await wait(1_000)
    batch = (await ask(`${BATCHES}/${id}`)).json<Batch>()
    const memory = platform.worker.memoryBytes()
    if (batch.signed < COUNT / 10) early = Math.max(early, memory)
    highest = Math.max(highest, memory)
  }
  t.like(batch, { status: 'COMPLETED', total: COUNT, signed: COUNT, failed: 0 })
  const took = since(signing)
  t.log(`signed in ${took.toFixed(0)} s, ${(COUNT / took).toFixed(0)}/s`)
  t.log(`worker: ${megabytes(early)} in the first tenth, ${megabytes(highest)} at most`)
  t.true(highest < early + 400 * 2 ** 20)
  const before = platform.api.memoryBytes()
  const reading = performance.now()
  t.deepEqual(await readResults(id), { lines: COUNT, inOrder: true })
  t.log(
    `results read in ${since(reading).toFixed(0)} s; the API grew by ${megabytes(platform.api.memoryBytes() - before)}`,
  )
  const { rows: counted } = await platform.dependencies.systemSql.query<{ credentials: number; entries: number }>({
    text: `select count(*)::int as credentials, count(distinct (status_list_id, status_index))::int as entries
      from credentials`,
    values: [],
  })
  t.deepEqual(counted[0], { credentials: COUNT, entries: COUNT })
})
