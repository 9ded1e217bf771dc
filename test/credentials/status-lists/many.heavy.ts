import { setTimeout as wait } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { createStatusEntries, LIST_SIZE } from '../../../activities/credentials/status-lists/allocation.ts'
import { decodeList, getBit } from '../../../protocol/status-list/index.ts'
import { openProcesses, type Processes } from '../../support/parts/processes.ts'
import { type Ask, send } from '../../support/world.ts'

const FLIPS = 10_000
const MINUTE_MS = 60_000
const WINDOW_SECONDS = 10
const AT_ONCE = 10_000
/** Requests under way at a time. */
const LANES = 24

let platform: Processes
let token: string
test.before(async () => {
  const env = {
    API_PROCESSES: '2',
    STATUS_WINDOW_SECONDS: String(WINDOW_SECONDS),
    ACCESS_TOKEN_LIFETIME_SECONDS: '7200',
  }
  platform = await openProcesses(env, { durable: true })
  const { clientId, clientSecret } = platform.first
  const body = { clientId, clientSecret, grantType: 'client_credentials' }
  token = (await send(`${platform.url}/v1/auth/token`, { body })).json<{ access_token: string }>().access_token
})
test.after.always(() => platform?.close())

const ask = (path: string, question: Ask = {}) => send(`${platform.url}${path}`, { token, ...question })

const query = <Row extends object>(text: string, values: unknown[] = []) =>
  platform.dependencies.systemSql.query<Row>({ text, values })

interface Entry {
  listId: string
  index: number
}

const BULK = `insert into credentials (id, tenant_id, did_id, credential, proof_type, types, issuance_date,
  status_list_id, status_index)
select gen_random_uuid(), $1, $2, '{"type":["VerifiableCredential"]}', 'eddsa-rdfc-2022', '{}', now(), list, place
from unnest($3::uuid[], $4::integer[]) as e (list, place) returning id, status_list_id, status_index`

interface Row {
  id: string
  status_list_id: string
  status_index: number
}

/** Entries by the function that signing takes them by; the rows at once. As many rows as are flipped are answered. */
async function fill(
  didId: string,
  total: number,
): Promise<{ sample: Row[]; lists: Map<string, Set<number>>; collisions: number }> {
  const { sql, uuid, epoch } = platform.dependencies
  const entries = createStatusEntries({ sql, uuid, epoch })
  const { tenantId } = platform.first
  const kind = 'BitstringStatusList'
  const owner = { tenantId, issuerId: didId, kind, purpose: 'revocation', proofType: 'eddsa-rdfc-2022' } as const
  const sample: Row[] = []
  const lists = new Map<string, Set<number>>()
  let collisions = 0
  for (let done = 0; done < total; done += AT_ONCE) {
    const taken: Entry[] = []
    for (let at = 0; at < AT_ONCE; at += 1) taken.push(await entries.take(owner, 1024))
    for (const { listId, index } of taken) {
      const known = lists.get(listId) ?? new Set<number>()
      if (known.has(index)) collisions += 1
      lists.set(listId, known.add(index))
    }
    const columns = [taken.map(({ listId }) => listId), taken.map(({ index }) => index)]
    for (let from = 0; from < AT_ONCE; from += 2_500) {
      const slice = columns.map((column) => column.slice(from, from + 2_500))
      const { rows } = await query<Row>(BULK, [tenantId, didId, ...slice])
      sample.push(...rows.filter((_, at) => at % (total / FLIPS) === 0))
    }
  }
  return { sample, lists, collisions }
}

interface Published {
  bits: Uint8Array
  etags: Set<string>
}

/** One look of a verifier at a list under the tenant's host, as anybody: nothing is read again while the ETag stands. */
async function look(listId: string, known: Map<string, Published>): Promise<void> {
  const last = known.get(listId)
  const etag = [...(last?.etags ?? [])].at(-1)
  const headers: Record<string, string> = etag ? { 'if-none-match': etag } : {}
  const reply = await send(`http://localhost:${platform.port}/v1/revocation-lists/${listId}`, { headers })
  if (reply.status === 304) return
  if (reply.status !== 200) throw new Error(reply.text)
  const { credentialSubject } = reply.json<{ credentialSubject: { encodedList: string } }>()
  const etags = (last?.etags ?? new Set<string>()).add(reply.headers.get('etag') ?? '')
  known.set(listId, { bits: decodeList(credentialSubject.encodedList), etags })
}

const quantile = (sorted: number[], part: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]

for (const [entries, what] of [
  [1_000_000, '1,000,000 entries in 8 lists'],
  [100_000, '100,000 entries in one hot list'],
] as const)
  test.serial(`${what}, 10,000 flips in a minute: each is published within a window and 5 s`, (t) => flip(t, entries))

async function flip(t: ExecutionContext, entries: number) {
  const created = await ask('/v1/dids', { body: { method: 'KEY', options: { keyType: 'ed25519' } } })
  const { did } = created.json<{ did: string }>()
  const { rows: dids } = await query<{ id: string }>('select id from dids where did = $1', [did])
  const filling = Date.now()
  const { sample, lists, collisions } = await fill(dids[0]?.id ?? '', entries)
  const fillSeconds = (Date.now() - filling) / 1000
  t.is(collisions, 0)
  t.is(
    [...lists.values()].reduce((sum, { size }) => sum + size, 0),
    entries,
  )
  t.is(lists.size, Math.ceil(entries / LIST_SIZE))
  t.is(sample.length, FLIPS)
  await query('analyze credentials')

  const known = new Map<string, Published>()
  for (const listId of lists.keys()) await look(listId, known)
  const signedBefore = new Map([...known].map(([listId, { etags }]) => [listId, etags.size]))
  const waiting = new Map<Row, number>()
  const delays: number[] = []
  let flipping = true
  const watch = async () => {
    while (flipping || waiting.size > 0) {
      for (const listId of lists.keys()) await look(listId, known)
      const now = Date.now()
      for (const [row, at] of waiting) {
        const bits = known.get(row.status_list_id)?.bits
        if (bits && getBit(bits, row.status_index)) {
          delays.push(now - at)
          waiting.delete(row)
        }
      }
      if (!flipping && now - started > 3 * MINUTE_MS) throw new Error(`${waiting.size} flips never showed`)
      await wait(250)
    }
  }
  const started = Date.now()
  const watching = watch()
  // in no order of issuance, as revocations come
  const queue = sample.toSorted((a, b) => (a.id < b.id ? -1 : 1)).entries()
  const answers: number[] = []
  const lane = async () => {
    for (const [at, row] of queue) {
      const due = started + (at * MINUTE_MS * 0.97) / FLIPS
      if (due > Date.now()) await wait(due - Date.now())
      const asked = Date.now()
      const reply = await ask(`/v1/credentials/web-semantic/${row.id}/revocation-status`, {
        body: { is_revoked: true },
      })
      if (reply.status !== 200) throw new Error(reply.text)
      answers.push(Date.now() - asked)
      waiting.set(row, Date.now())
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  const flipSeconds = (Date.now() - started) / 1000
  flipping = false
  await watching
  const watched = (Date.now() - started) / 1000
  for (const numbers of [delays, answers]) numbers.sort((a, b) => a - b)
  const signings = [...known].map(([listId, { etags }]) => etags.size - (signedBefore.get(listId) ?? 0))
  const { rows: kept } = await query<{ count: number }>(
    'select count(*)::int as count from credentials where did_id = $1 and revoked',
    [dids[0]?.id],
  )
  t.log({
    entries,
    lists: lists.size,
    fillSeconds,
    flips: delays.length,
    flipSeconds,
    answerMs: { p50: quantile(answers, 0.5), p99: quantile(answers, 0.99), max: answers.at(-1) },
    visibleMs: { p50: quantile(delays, 0.5), p99: quantile(delays, 0.99), max: delays.at(-1) },
    signingsPerList: signings,
    windows: Math.ceil(watched / WINDOW_SECONDS),
  })
  t.is(kept[0]?.count, FLIPS)
  t.is(delays.length, FLIPS)
  t.true(flipSeconds <= 60, `${flipSeconds} s`)
  t.true((delays.at(-1) ?? Number.POSITIVE_INFINITY) <= (WINDOW_SECONDS + 5) * 1000)
  for (const count of signings)
    t.true(count <= Math.ceil(watched / WINDOW_SECONDS) + 1, `${count} signatures of one list`)
}
