import test from 'ava'
import { createActivities } from '../../activities/index.ts'
import { Unavailable } from '../../protocol/errors.ts'
import { until } from '../support/credentials/dids.ts'
import { issueElsewhere, makeForeignIaca } from '../support/credentials/mobile.issuers.ts'
import { refusal } from '../support/credentials/templates.ts'
import { type Names, openNames } from '../support/frame/names.ts'
import { type TrustListAnswer, trustListsOf } from '../support/trust-lists/lists.ts'
import { inHours, loteOf, newPath, openListOperator, PID_ISSUANCE } from '../support/trust-lists/lote.ts'
import { openWorld, type World } from '../support/world.ts'

const HOUR_MS = 3_600_000

let names: Names
let world: World
let operator: Awaited<ReturnType<typeof openListOperator>>
let one: Awaited<ReturnType<typeof makeForeignIaca>>
let other: Awaited<ReturnType<typeof makeForeignIaca>>
test.before(async () => {
  names = await openNames()
  world = await openWorld({ env: names.env })
  names.platform.apiPort = world.config.port
  operator = await openListOperator()
  one = await makeForeignIaca()
  other = await makeForeignIaca({ commonName: 'Another' })
})
test.after.always(async () => {
  await world?.close()
  await names?.close()
})

/** The schedule's pass, so many hours from now. */
const pass = (hours: number, parts: Partial<World['dependencies']> = {}) => {
  const now = () => new Date(Date.now() + hours * HOUR_MS)
  return createActivities({ ...world.dependencies, ...parts, now }).refreshTrustLists()
}

/** A tenant of its own with a list from a URL, which the test publishes. */
async function published(scheme: object = {}, source: object = {}) {
  const token = await world.tokenOf(await world.addTenant())
  const lists = trustListsOf(world, token)
  const path = newPath()
  const publish = async (certificates: string[], more: object = {}) =>
    names.elsewhere.set(path, await operator.sign(loteOf([{ certificates }], { ...scheme, ...more })))
  await publish([one.certificatePem])
  const url = `https://elsewhere.test:${names.port}${path}`
  const of = { format: 'ts-119-602', url, signers: [operator.signer], serviceTypes: [PID_ISSUANCE], ...source }
  const reply = await lists.create({ name: 'PID', formats: ['mobile'], source: of })
  if (reply.status !== 201) throw new Error(`no list: ${reply.text}`)
  const { id } = reply.json<TrustListAnswer>()
  const read = async () => (await lists.read(id)).json<TrustListAnswer>()
  const verify = async (iaca: typeof one) => {
    const body = { payload: await issueElsewhere(await iaca.signer()) }
    const answer = await world.ask('/v1/credentials/mobile/verify', { token, body })
    return answer.json<{ verified: boolean; reason: { type: string; message: string }[] }>()
  }
  const logged = async (type: string) => {
    const span = { dateFrom: '2020-01-01T00:00:00Z', dateTo: '2999-01-01T00:00:00Z' }
    const filter = { types: [type], objectIds: [id], ids: [], categories: [], requestIds: [], ...span }
    const found = await world.ask('/v1/analytics/events', { token, body: filter })
    return found
      .json<{ data: { metadata: string }[] }>()
      .data.map(({ metadata }) => JSON.parse(metadata) as { code?: string })
  }
  const codes = (count: number) =>
    until('the entries of failures', async () => {
      const entries = await logged('TRUST_LIST_REFRESH_FAIL')
      // those of requests have none
      const failures = entries.flatMap(({ code }) => code ?? [])
      return failures.length >= count && failures
    })
  return { lists, id, path, publish, read, verify, logged, codes }
}

test.serial('a list is read at once, again when it is due, and what it has then counts', async (t) => {
  const { publish, read, verify, logged } = await published()
  const first = await verify(one)
  t.true(first.verified, JSON.stringify(first))
  t.false((await verify(other)).verified)
  await publish([other.certificatePem], { LoTESequenceNumber: 8 })
  await pass(1)
  t.is((await read()).imported?.sequenceNumber, 7, 'it is not due')
  await pass(7)
  t.like(await read(), { state: 'current', imported: { sequenceNumber: 8 } })
  await until('the next look of the API', async () => (await verify(other)).verified)
  t.false((await verify(one)).verified)
  await until('the entry of the change', async () => (await logged('TRUST_LIST_REFRESH_SUCCESS')).length === 1)
})

test.serial('a list that its operator has emptied trusts nobody, and says so', async (t) => {
  for (const byHand of [false, true]) {
    const { lists, id, publish, read, verify, codes } = await published()
    t.true((await verify(one)).verified)
    await publish([], { LoTESequenceNumber: 8 })
    if (byHand) t.is((await lists.refresh(id)).status, 200)
    else await pass(7)
    const emptied = await read()
    t.like(emptied, { state: 'failing', entryCount: 0, imported: { sequenceNumber: 8 } })
    t.is(emptied.failure?.code, 'trust_list.source_empty')
    await until('the next look of the API', async () => !(await verify(one)).verified)
    await pass(14)
    t.deepEqual((await read()).failure, emptied.failure, 'since the first one')
    t.deepEqual(await codes(1), ['trust_list.source_empty'], 'once')
    t.is((await lists.update(id, { name: 'Former issuers' })).status, 200, 'it can still be changed')
    await publish([one.certificatePem], { LoTESequenceNumber: 9 })
    await pass(21)
    t.like(await read(), { state: 'current', entryCount: 1, failure: null })
  }
})

test.serial('a list whose scheme has ended trusts nobody, and a new one that is closed is refused', async (t) => {
  const { lists, publish, read, verify, codes } = await published()
  await publish([one.certificatePem], { LoTESequenceNumber: 8, NextUpdate: null })
  await pass(7)
  const facts = { sequenceNumber: 8, nextUpdate: null }
  t.like(await read(), { state: 'failing', entryCount: 0, staleAt: null, imported: facts })
  t.deepEqual(await codes(1), ['trust_list.source_closed'])
  await until('the next look of the API', async () => !(await verify(one)).verified)
  const document = JSON.stringify(loteOf([{ certificates: [one.certificatePem] }], { NextUpdate: null }))
  const source = { format: 'ts-119-602', document, serviceTypes: [PID_ISSUANCE] }
  t.is(refusal(await lists.create({ name: 'PID', formats: ['mobile'], source }), 400), 'trust_list.source_closed')
})

test.serial('once its next update is due, a list is read again within 15 minutes', async (t) => {
  const { publish, read } = await published({ NextUpdate: inHours(2) }, { refreshHours: 168 })
  await pass(3)
  t.is((await read()).imported?.sequenceNumber, 7, 'the next one is not there yet')
  await publish([other.certificatePem], { LoTESequenceNumber: 8, NextUpdate: inHours(100) })
  await pass(3.3)
  t.is((await read()).imported?.sequenceNumber, 8)
})

test.serial('a list becomes stale on time, however seldom it is read', async (t) => {
  const { path, read, codes } = await published({ NextUpdate: inHours(2) }, { refreshHours: 168, graceHours: 1 })
  await pass(2.95)
  names.elsewhere.delete(path)
  await pass(3.01)
  t.true((await codes(2)).includes('trust_list.stale'))
  t.is((await read()).failure?.code, 'trust_list.source_unavailable')
})

test.serial('a list that was changed meanwhile is not blamed, nor one for faults of the platform', async (t) => {
  const { lists, id, path, publish, read } = await published()
  await publish([other.certificatePem], { LoTESequenceNumber: 8 })
  const { outbound } = world.dependencies
  const failing = (fault: () => Promise<Error>): typeof outbound => ({
    ...outbound,
    async fetch(request) {
      if (request.url.endsWith(path)) throw await fault()
      return outbound.fetch(request)
    },
  })
  const changed = failing(async () => {
    await lists.update(id, { name: 'Changed' })
    return new TypeError('our own code')
  })
  await pass(7, { outbound: changed })
  t.like(await read(), { name: 'Changed', state: 'current', failure: null })
  const away = failing(async () => new Unavailable('database', 'It is away.'))
  await t.throwsAsync(pass(8, { outbound: away }), { instanceOf: Unavailable })
  t.like(await read(), { state: 'current', failure: null, imported: { sequenceNumber: 7 } })
  await pass(8)
  t.is((await read()).imported?.sequenceNumber, 8)
})

test.serial('a list whose next update is due earlier is read then', async (t) => {
  const { publish, read } = await published({ NextUpdate: inHours(2) }, { refreshHours: 168 })
  await publish([other.certificatePem], { LoTESequenceNumber: 8, NextUpdate: inHours(100) })
  await pass(3)
  t.is((await read()).imported?.sequenceNumber, 8)
})

test.serial(
  'what was read last is kept where a refresh fails; state, log and API say why and since when',
  async (t) => {
    const { lists, id, path, publish, read, verify, codes } = await published()
    names.elsewhere.delete(path)
    await pass(7)
    const failing = await read()
    t.like(failing, { state: 'failing', entryCount: 1, failure: { code: 'trust_list.source_unavailable' } })
    const first = await verify(one)
    t.true(first.verified, JSON.stringify(first))
    t.is(refusal(await lists.refresh(id), 400), 'trust_list.source_unavailable')
    await pass(8)
    t.is((await read()).failure?.since, failing.failure?.since)
    t.deepEqual(await codes(1), ['trust_list.source_unavailable'], 'once for all that failed')
    const forged = await openListOperator()
    names.elsewhere.set(path, await forged.sign(loteOf([{ certificates: [other.certificatePem] }])))
    await pass(9)
    t.like((await read()).failure, { code: 'trust_list.source_signature', since: failing.failure?.since })
    await publish([other.certificatePem], { LoTESequenceNumber: 6 })
    await pass(10)
    t.like(await read(), { state: 'failing', failure: { code: 'trust_list.source_older' } })
    t.deepEqual(await codes(3), [
      'trust_list.source_older',
      'trust_list.source_signature',
      'trust_list.source_unavailable',
    ])
    t.false((await verify(other)).verified)
    await publish([other.certificatePem], { LoTESequenceNumber: 8 })
    t.like((await lists.refresh(id)).json<TrustListAnswer>(), { state: 'current', failure: null })
    t.true((await verify(other)).verified)
  },
)

test.serial(
  'past its next update and its grace a list is stale: nothing of it counts, and the log says so once',
  async (t) => {
    const soon = new Date(Date.now() + 4_000).toISOString()
    const { path, publish, read, verify, codes } = await published({ NextUpdate: soon }, { graceHours: 0 })
    const first = await verify(one)
    t.true(first.verified, JSON.stringify(first))
    names.elsewhere.delete(path)
    const refused = await until('the end of the list', async () => {
      const verdict = await verify(one)
      return !verdict.verified && verdict
    })
    t.deepEqual(
      refused.reason.map(({ type }) => type),
      ['UntrustedIssuer', 'IssuerNotListed'],
    )
    t.regex(refused.reason[1]?.message ?? '', /PID \(stale\)/)
    t.is((await read()).state, 'stale')
    await pass(1)
    await pass(2)
    t.deepEqual([...(await codes(2))].sort(), ['trust_list.source_unavailable', 'trust_list.stale'])
    await publish([one.certificatePem], { LoTESequenceNumber: 8, NextUpdate: inHours(24 * 7) })
    await pass(3)
    t.like(await read(), { state: 'current', failure: null })
    await until('the next look of the API', async () => (await verify(one)).verified)
  },
)

test.serial('a refresh by hand that is refused is kept and shown as one of the schedule is', async (t) => {
  const { lists, id, path, publish, read, verify, codes } = await published()
  names.elsewhere.delete(path)
  t.is(refusal(await lists.refresh(id), 400), 'trust_list.source_unavailable')
  const failing = await read()
  t.like(failing, { state: 'failing', entryCount: 1, failure: { code: 'trust_list.source_unavailable' } })
  t.true((await verify(one)).verified, 'what was read last goes on to count')
  t.is(refusal(await lists.refresh(id), 400), 'trust_list.source_unavailable')
  t.deepEqual((await read()).failure, failing.failure, 'since the first one')
  await publish([other.certificatePem], { LoTESequenceNumber: 6 })
  t.is(refusal(await lists.refresh(id), 400), 'trust_list.source_older')
  t.like((await read()).failure, { code: 'trust_list.source_older', since: failing.failure?.since })
  t.deepEqual(await codes(2), ['trust_list.source_older', 'trust_list.source_unavailable'], 'once for each reason')
  await publish([other.certificatePem], { LoTESequenceNumber: 8 })
  await pass(0.5)
  t.like(await read(), { state: 'current', failure: null }, 'it is tried again within 15 minutes, not 6 hours')
})

test.serial('a list that was changed while it was read by hand keeps the change, and is not blamed', async (t) => {
  const { lists, id, path, publish, read } = await published()
  await publish([other.certificatePem], { LoTESequenceNumber: 8 })
  names.meanwhile.set(path, () => lists.update(id, { name: 'Changed' }))
  t.is(refusal(await lists.refresh(id), 409), 'trust_list.changed')
  t.like(await read(), { name: 'Changed', state: 'current', imported: { sequenceNumber: 7 } })
  names.elsewhere.delete(path)
  t.is(refusal(await lists.refresh(id), 400), 'trust_list.source_unavailable')
  t.like(await read(), { state: 'current', failure: null })
  names.meanwhile.delete(path)
})

test.serial('a list that is too large, missing, or outside of the allowed addresses is refused', async (t) => {
  const { lists, path } = await published()
  const of = { format: 'ts-119-602', signers: [operator.signer], serviceTypes: [PID_ISSUANCE] }
  const big = newPath()
  names.elsewhere.set(big, 'a'.repeat(9 * 1024 * 1024))
  const here = `https://elsewhere.test:${names.port}`
  for (const url of [`${here}${big}`, `${here}/nothing`, 'https://10.0.0.1/list']) {
    const reply = await lists.create({ name: 'PID', formats: ['mobile'], source: { ...of, url } })
    t.is(refusal(reply, 400), 'trust_list.source_unavailable', url)
  }
  // of this machine, in an allowed range (docs/trust-lists.md)
  const source = { ...of, url: `https://localhost:${names.port}${path}` }
  t.is((await lists.create({ name: 'PID', formats: ['mobile'], source })).status, 201)
})

test.serial(
  'a list over which our own code fails keeps nobody else’s from being read, and is tried again',
  async (t) => {
    const broken = await published()
    const others = [await published(), await published()]
    for (const { publish } of others) await publish([other.certificatePem], { LoTESequenceNumber: 8 })
    const { outbound } = world.dependencies
    const fetch: typeof outbound.fetch = async (request) => {
      if (request.url.endsWith(broken.path)) throw new TypeError('Cannot convert object to primitive value')
      return outbound.fetch(request)
    }
    await pass(7, { outbound: { ...outbound, fetch } })
    for (const { read } of others) t.is((await read()).imported?.sequenceNumber, 8)
    t.like(await broken.read(), { state: 'failing', entryCount: 1, failure: { code: 'trust_list.source_invalid' } })
    t.deepEqual(await broken.codes(1), ['trust_list.source_invalid'])
    await broken.publish([other.certificatePem], { LoTESequenceNumber: 8 })
    await pass(8)
    t.like(await broken.read(), { state: 'current', failure: null })
  },
)
