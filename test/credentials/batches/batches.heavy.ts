import { setTimeout as wait } from 'node:timers/promises'
import autocannon from 'autocannon'
import test from 'ava'
import {
  BATCHES,
  type Batch,
  COURSE,
  claimLines,
  lines,
  query,
  type Result,
} from '../../support/credentials/batches.ts'
import { course, TEMPLATES } from '../../support/credentials/templates.ts'
import { openProcesses, type Processes } from '../../support/parts/processes.ts'
import { type Ask, send } from '../../support/world.ts'

let platform: Processes
let token: string
test.before(async () => {
  platform = await openProcesses(
    { API_PROCESSES: '2', ACCESS_TOKEN_LIFETIME_SECONDS: '7200', RATE_LIMIT_PER_MINUTE: '10000000' },
    { durable: true },
  )
  const { clientId, clientSecret } = platform.first
  const body = { clientId, clientSecret, grantType: 'client_credentials' }
  token = (await send(`${platform.url}/v1/auth/token`, { body })).json<{ access_token: string }>().access_token
})
test.after.always(() => platform?.close())

const ask = (path: string, question: Ask = {}) => send(`${platform.url}${path}`, { token, ...question })

const createDid = async () =>
  (await ask('/v1/dids', { body: { method: 'KEY', options: { keyType: 'ed25519' } } })).json<{ did: string }>().did

async function createTemplate(more: object = {}): Promise<string> {
  const body = course({ proof_type: 'eddsa-rdfc-2022', revocable: true, ...more })
  const reply = await ask(TEMPLATES, { body })
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.json<{ id: string }>().id
}

const OPTIONS = { proofType: 'eddsa-rdfc-2022', revocable: 'true' }

async function create(rows: string | ReadableStream, options: Record<string, string>): Promise<Batch> {
  const headers = { 'content-type': 'application/x-ndjson' }
  const reply = await ask(`${BATCHES}${query(options)}`, { raw: rows, headers })
  if (reply.status !== 201) throw new Error(reply.text)
  return reply.json<Batch>()
}

/** While the database is down, nobody knows. */
const look = (id: string): Promise<Batch | undefined> =>
  ask(`${BATCHES}/${id}`).then(
    (reply) => (reply.status === 200 ? reply.json<Batch>() : undefined),
    () => undefined,
  )

async function until(id: string, so: (batch: Batch) => boolean, limitMs = 600_000): Promise<Batch> {
  const end = Date.now() + limitMs
  for (;;) {
    const batch = await look(id)
    if (batch && so(batch)) return batch
    if (Date.now() > end) throw new Error(`not in ${limitMs} ms: ${JSON.stringify(batch)}`)
    await wait(100)
  }
}

const completed = ({ status }: Batch) => status === 'COMPLETED'

async function resultsOf(id: string): Promise<Result[]> {
  const { text } = await ask(`${BATCHES}/${id}/results`)
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Result)
}

async function singleRate(payload: object): Promise<number> {
  const result = await autocannon({
    url: `${platform.url}/v1/credentials/web-semantic/sign`,
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ payload, proofType: OPTIONS.proofType, revocable: true }),
    connections: 32,
    duration: 4,
  })
  if (result.non2xx > 0) throw new Error(`${result.non2xx} requests were refused`)
  return result['2xx'] / result.duration
}

async function batchRate(rows: string, options: Record<string, string>, count: number): Promise<number> {
  const from = performance.now()
  const { id } = await create(rows, options)
  const done = await until(id, completed)
  if (done.signed !== count) throw new Error(JSON.stringify(done))
  return (count * 1000) / (performance.now() - from)
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Of one measurement; the first row waits for the workflow to start. */
const ROWS = 6_000

const SUBJECT = { id: 'did:example:holder-1', name: 'A Holder' }
const V2 = 'https://www.w3.org/ns/credentials/v2'

for (const [what, context] of [
  ['bundled contexts', undefined],
  ['an inline context', COURSE],
] as const)
  test.serial(`a batch signs at twice the rate of single requests or more: ${what}`, async (t) => {
    const issuer = await createDid()
    const claims = context ? { course: 'C-1' } : {}
    const contexts = context ? [V2, JSON.parse(context) as object] : [V2]
    const payload = { '@context': contexts, type: ['VerifiableCredential'], issuer: { id: issuer } }
    const rows = Array.from({ length: ROWS }, (_, row) =>
      JSON.stringify({ payload: { credentialSubject: { ...SUBJECT, id: `did:example:holder-${row}`, ...claims } } }),
    ).join('\n')
    const options = { ...OPTIONS, issuer, ...(context ? { context } : {}) }
    const [single, batch]: [number[], number[]] = [[], []]
    for (let round = 0; round < 5; round++) {
      single.push(await singleRate({ ...payload, credentialSubject: { ...SUBJECT, ...claims } }))
      batch.push(await batchRate(rows, options, ROWS))
    }
    const [one, many] = [median(single), median(batch)]
    t.log(
      `${what}: single ${one.toFixed(0)}/s, batch ${many.toFixed(0)}/s from upload to end, ${(many / one).toFixed(2)} times`,
    )
    t.log(`rounds: single ${single.map(Math.round).join(', ')}; batch ${batch.map(Math.round).join(', ')}`)
    t.true(many >= 2 * one)
  })

test.serial('a batch of claims for a template is about as fast as one of the same credentials', async (t) => {
  const issuer = await createDid()
  const [context, vocabulary] = course().contexts
  const templateId = await createTemplate({ contexts: [context, vocabulary], expires_in: { years: 1 } })
  const credential = { name: 'Course certificate', issuer: { id: issuer, name: 'Example University' } }
  const validUntil = new Date(Date.now() + 365 * 86_400_000).toISOString().replace(/\.\d+Z$/, 'Z')
  const payloads = lines(ROWS, (row) => {
    const credentialSubject = { id: `did:example:holder-${row}`, course: `C-${row}` }
    return { payload: { ...credential, credentialSubject, validUntil } }
  })
  const [free, claims, suspendable]: [number[], number[], number[]] = [[], [], []]
  const options = { ...OPTIONS, type: 'CourseCredential', context: JSON.stringify(vocabulary) }
  for (let round = 0; round < 5; round++) {
    free.push(await batchRate(payloads, options, ROWS))
    claims.push(await batchRate(claimLines(ROWS), { templateId, issuerDid: issuer }, ROWS))
    suspendable.push(await batchRate(claimLines(ROWS), { templateId, issuerDid: issuer, suspendable: 'true' }, ROWS))
  }
  const told = (rates: number[]) => `${median(rates).toFixed(0)}/s (${rates.map(Math.round).join(', ')})`
  t.log(`credentials ${told(free)}; claims ${told(claims)}; with two entries ${told(suspendable)}`)
  const share = median(claims.map((rate, round) => rate / (free[round] ?? rate)))
  t.log(`claims to credentials, round by round: ${share.toFixed(2)}`)
  t.true(share >= 0.85)
})

const seconds = (from: number) => ((performance.now() - from) / 1000).toFixed(1)

test.serial(
  '20,000 rows, and claims beside them, survive kill -9 of worker and database, twice each: none lost, none twice',
  async (t) => {
    const issuer = await createDid()
    const [count, claimed] = [20_000, 10_000]
    const from = performance.now()
    const templateId = await createTemplate()
    const free = await create(lines(count), { ...OPTIONS, issuer, context: COURSE })
    const claims = await create(claimLines(claimed), { templateId, issuerDid: issuer, suspendable: 'true' })
    t.log(`uploaded in ${seconds(from)} s`)
    for (const share of [0.15, 0.35, 0.55, 0.75]) {
      await until(free.id, ({ signed }) => signed >= share * count)
      const victim = share === 0.15 || share === 0.55 ? platform.worker : platform.postgres
      await victim.kill()
      t.log(`${victim.name} killed beyond ${share * count} signed rows`)
      await victim.start()
    }
    t.like(await until(free.id, completed), { total: count, signed: count, failed: 0 })
    t.like(await until(claims.id, completed), { total: claimed, signed: claimed, failed: 0 })
    t.log(`done after ${seconds(from)} s with four kills`)
    const [payloads, templated] = [await resultsOf(free.id), await resultsOf(claims.id)]
    const results = [...payloads, ...templated]
    t.is(results.length, count + claimed)
    t.true(results.every(({ row }, index) => row === (index % count) + 1))
    t.true(
      results.every(
        ({ row, credential }) =>
          (credential.credentialSubject as { course?: string }).course === `C-${row}` && 'proof' in credential,
      ),
    )
    t.is(new Set(results.map((result) => result.id)).size, count + claimed)
    const entries = results.flatMap(({ credential }) => [credential.credentialStatus].flat() as { id: string }[])
    t.is(entries.length, count + 2 * claimed, 'a suspendable one has two')
    t.is(new Set(entries.map(({ id }) => id)).size, count + 2 * claimed, 'no status entry is used twice (I4)')
    const { rows } = await platform.dependencies.systemSql.query<{ count: number }>({
      text: 'select count(*)::int as count from credentials c join dids d on d.id = c.did_id where d.did = $1',
      values: [issuer],
    })
    t.is(rows[0]?.count, count + claimed, 'no credential is there that belongs to no row')
  },
)

test.serial('a million rows are taken in a stream, in memory that does not grow with them (D-082)', async (t) => {
  const issuer = await createDid()
  const count = 1_000_000
  let row = 0
  let highest = 0
  const rows = new ReadableStream({
    pull(controller) {
      if (row === count) return controller.close()
      const slice = Array.from({ length: 1_000 }, () => {
        row += 1
        return `{"payload":{"credentialSubject":{"id":"did:example:holder-${row}","name":"Holder ${row}"}}}`
      })
      controller.enqueue(Buffer.from(`${slice.join('\n')}\n`))
      if (row % 50_000 === 0) highest = Math.max(highest, platform.api.memoryBytes())
    },
  })
  const before = platform.api.memoryBytes()
  const from = performance.now()
  const { id, total } = await create(rows, { ...OPTIONS, issuer })
  const seconds = (performance.now() - from) / 1000
  t.is(total, count)
  const grown = (highest - before) / 1024 ** 2
  t.log(
    `${count} rows taken in ${seconds.toFixed(0)} s, ${(count / seconds).toFixed(0)}/s; API memory grew by ${grown.toFixed(0)} MiB`,
  )
  t.true(grown < 300)
  await until(id, ({ signed }) => signed >= 10_000)
  const cancelled = await ask(`${BATCHES}/${id}/cancel`, { method: 'POST' })
  t.is(cancelled.status, 200)
  const left = 'select count(*)::int as count from credential_batch_rows where batch_id = $1 and input is not null'
  const inputs = async () =>
    (await platform.dependencies.systemSql.query<{ count: number }>({ text: left, values: [id] })).rows[0]?.count
  for (let tries = 0; (await inputs()) !== 0 && tries < 600; tries++) await wait(500)
  t.is(await inputs(), 0, 'what was not signed is erased')
})
