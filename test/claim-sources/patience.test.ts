import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { createActivities } from '../../activities/index.ts'
import type { ClaimsOutcome, ClaimsSubject } from '../../protocol/claim-sources/outcome.ts'
import { Unavailable } from '../../protocol/errors.ts'
import { claimSource, claimSourcesOf } from '../support/claim-sources.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { makeIaca, makeSigner } from '../support/credentials/mobile.ts'
import { createMobileTemplate, sessionsOf } from '../support/openid/wallet.ts'
import { openWorldBeside, type WorldBeside } from '../support/parts/elsewhere.ts'
import { answer, createReceiver, status } from '../support/receiver.ts'
import { connected } from '../support/stack/backup.ts'

const CLAIMS = { given_name: 'Ada' }
const JSON_TYPE = 'application/json'

const receiver = createReceiver()
let beside: WorldBeside
let activities: ReturnType<typeof createActivities>
test.before(async () => {
  const env = {
    CLAIM_SOURCE_ALLOW_PRIVATE: 'true',
    CLAIM_SOURCE_TIMEOUT_MS: '20000',
    CLAIM_SOURCE_PATIENCE_MS: '25000',
    CLAIM_SOURCE_RETRY_SECONDS: '0.02,0.05',
  }
  beside = await openWorldBeside('claims.acme.test', receiver.listener, { env })
  activities = createActivities(beside.world.dependencies)
})
test.after.always(() => beside?.close())

const source = (path: string, token = beside.world.token) =>
  claimSourcesOf(beside.world, token).created(claimSource({ url: beside.urlOf(path), request_method: 'POST' }))

const fetchFrom = (claimSourceId: string, more: Partial<ClaimsSubject> = {}): Promise<ClaimsOutcome> =>
  activities.fetchClaims({
    tenantId: beside.world.first.tenantId,
    clientId: beside.world.first.clientId,
    ...{ claimSourceId, requestId: randomUUID(), claims: { sub: 'ada' } },
    ...more,
  })

const fetched = { state: 'fetched', attempts: 1, claims: CLAIMS } as const
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()

test.serial('a session says until when its wallet waits: from the request on, not from each look', async (t) => {
  const { world } = beside
  await createDid(world, 'ed25519', world.token, true)
  await makeIaca(world)
  await makeSigner(world, { active: true })
  const { id: claimSourceId } = await source('waits')
  const template = await createMobileTemplate(world, { claim_source_id: claimSourceId })
  const { id: sessionId } = await sessionsOf(world).offer({ credentials: [template], claims: { given_name: 'Ada' } })
  const at = new Date(Date.now() - 1_000)
  const text = `update openid_issuances set state = 'PENDING', updated_at = $2 where session_id = $1`
  await connected(world.superuserUrl, (client) => client.query(text, [sessionId, at]))
  const { tenantId } = world.first
  const look = await activities.lookAtOpenIdSession({ tenantId, sessionId })
  t.is(look.pending[0]?.source?.until, new Date(at.getTime() + 25_000).toISOString())
})

test.serial('whoever comes when nobody waits any more, after an outage, makes one attempt', async (t) => {
  const good = answer(200, JSON_TYPE, JSON.stringify(CLAIMS))
  receiver.script('/late', (nth, response) => (nth === 0 ? status(503) : good)(nth, response))
  const { id } = await source('late')
  const until = inMs(-60_000)
  t.like(await fetchFrom(id, { until }), { state: 'failed', attempts: 1, failure: { code: 'answer' } })
  t.deepEqual(await fetchFrom(id, { until }), fetched)
})

test.serial('a slow source takes few places of the worker, and some at its host; the others come again', async (t) => {
  const open: (() => void)[] = []
  const good = answer(200, JSON_TYPE, JSON.stringify(CLAIMS))
  receiver.script('/holds', (nth, response) => void open.push(() => good(nth, response)))
  receiver.script('/quick', good)
  const { id } = await source('holds')
  const until = inMs(20_000)
  const all = Promise.allSettled(Array.from({ length: 40 }, () => fetchFrom(id, { until })))
  await wait(2_000) // those without a turn have gone
  t.is(open.length, 6)
  const other = await beside.world.addTenant()
  const quick = await source('quick', await beside.world.tokenOf(other))
  t.deepEqual(await fetchFrom(quick.id, { tenantId: other.tenantId, clientId: other.clientId }), fetched)
  const busy = { state: 'failed' as const, attempts: 0, failure: { code: 'busy', mayPass: true } }
  t.like(await fetchFrom(id, { until: inMs(200) }), busy, 'nobody waits long enough')
  for (const end of open) end()
  const outcomes = await all
  const sentAway = outcomes.filter((each) => each.status === 'rejected')
  t.is(sentAway.length, 34)
  for (const { reason } of sentAway)
    t.true(reason instanceof Unavailable && reason.retryAfterSeconds > 0 && reason.retryAfterSeconds <= 10)
})
