import { createHash, randomUUID } from 'node:crypto'
import test from 'ava'
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { createSequencer } from '../../../activities/frame/log-sequencer.ts'
import { createPlatform } from '../../../activities/index.ts'
import { createLogKeys } from '../../../activities/tokens-logs/logs/keys.ts'
import { verdictToWire } from '../../../api/tokens-logs/chain.wire.ts'
import { connect, inTenant, sqlOf } from '../../../entities/orm.ts'
import { roleUrl } from '../../../entities/roles.ts'
import { canonical } from '../../../protocol/tokens-logs/chain.ts'
import { createDid, sign } from '../../support/credentials/credentials.ts'
import { type Logs, logsOf } from '../../support/log-chain.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let logs: Logs
test.before(async () => {
  world = await openWorld()
  logs = logsOf(world)
})
test.after.always(() => world?.close())

interface Line {
  id: string
  type: string
  category: string
  position: number
  hash: string
  previousHash: string
  timestamp: string
  requestId: string
  metadata: string
  objectIds: string[] | null
}

const EVERYTHING = {
  ...{ categories: [], types: [], ids: [], requestIds: [] },
  ...{ dateFrom: '2020-01-01T00:00:00Z', dateTo: '2999-01-01T00:00:00Z' },
}

async function exported(token: string, filter: object = {}): Promise<Line[]> {
  const reply = await world.ask('/v1/analytics/events/export', { token, body: { ...EVERYTHING, ...filter } })
  if (reply.status !== 200) throw new Error(reply.text)
  if (!/^application\/jsonl/.test(reply.headers.get('content-type') ?? '')) throw new Error('not JSON lines')
  return reply.text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

/** What docs/logs.md tells an auditor to do, without a line of ours: names of JSON in order, and no white space. */
const sha256OfLine = ({ hash: _, ...rest }: Line) => {
  const members = Object.entries(rest).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(members)))
    .digest('hex')
}

test.serial('an auditor follows the chain from the export alone (issue 12, Logs)', async (t) => {
  const { token, tenantId } = await logs.tenantWith(3)
  const did = await createDid(world, 'ed25519', token)
  const { id } = await sign(world, did, { token, revocable: true })
  t.is((await world.ask(`/v1/dids/${randomUUID()}`, { token })).status, 404)
  await world.ask(`/v1/credentials/web-semantic/${id}/revocation-status`, { token, body: { is_revoked: true } })
  const lines = await exported(token)
  t.true(lines.length >= 6)
  let previousHash = '0'.repeat(64)
  for (const [index, line] of lines.entries()) {
    t.is(line.position, index + 1)
    t.is(line.previousHash, previousHash)
    t.is(sha256OfLine(line), line.hash, line.type)
    previousHash = line.hash
  }
  await logs.sign()
  const head = (await world.ask('/v1/analytics/head', { token })).json<{
    head: { position: number; hash: string; jws: string }
    checkpoint: null
    keys: JSONWebKeySet['keys']
  }>()
  const { payload } = await compactVerify(head.head.jws, createLocalJWKSet({ keys: head.keys }))
  const { position, hash } = head.head
  t.like(JSON.parse(new TextDecoder().decode(payload)), { kind: 'head', tenantId, position, hash })
  t.is(hash, (await exported(token)).find((line) => line.position === position)?.hash ?? '')
  const listed = (await world.ask('/v1/analytics/events?limit=1000', { token, body: EVERYTHING })).json<{
    data: { id: string; position: number | null; hash: string | null }[]
  }>()
  for (const { id: entry, position: place, hash: digest } of listed.data.filter((each) => each.position !== null))
    t.like(lines.find((line) => line.id === entry) ?? { position: place, hash: digest }, {
      position: place,
      hash: digest,
    })
})

test.serial('the export has the filters of the list, and the entries of the tenant alone', async (t) => {
  const { token } = await logs.tenantWith(40)
  const did = await createDid(world, 'ed25519', token)
  await sign(world, did, { token })
  const all = await exported(token)
  const [signed] = all.filter(({ type }) => type.endsWith('WEB_SEMANTIC_SIGN_SUCCESS'))
  t.truthy(signed)
  const same = async (filter: object, wanted: (line: Line) => boolean) => {
    const found = (await exported(token, filter)).filter(({ position }) => position <= all.length)
    t.deepEqual(found, all.filter(wanted), JSON.stringify(filter))
    t.true(found.length > 0)
  }
  await same({ categories: ['did'] }, ({ category }) => category === 'did')
  await same({ categories: ['did'], types: [signed?.type] }, (l) => l.category === 'did' || l.type === signed?.type)
  await same({ ids: [signed?.id] }, ({ id }) => id === signed?.id)
  await same({ requestIds: [signed?.requestId.toUpperCase()] }, ({ requestId }) => requestId === signed?.requestId)
  // the processes write milliseconds, the database microseconds
  const from = all.find(({ timestamp }) => timestamp.endsWith('000Z'))?.timestamp ?? t.fail()
  await same({ dateFrom: from }, ({ timestamp }) => timestamp >= from)
  await same({ objectIds: signed?.objectIds }, (l) => (l.objectIds ?? []).some((id) => signed?.objectIds?.includes(id)))
  await same(
    { dateTo: signed?.timestamp },
    ({ timestamp }) => timestamp.slice(0, 23) <= (signed?.timestamp ?? '').slice(0, 23),
  )
  await same({ dateTo: '9999-12-31T23:59:59.999999999Z' }, () => true)
  t.deepEqual(await exported(token, { types: ['NO_SUCH', `x','y`, '{"'] }), [])
  const others = await exported(world.token)
  t.false(others.some(({ id }) => all.some((line) => line.id === id)))
  for (const bad of [{ ids: ['x'] }, { dateFrom: 'yesterday' }, { categories: 'did' }, { position: 1 }]) {
    const body = { ...EVERYTHING, ...bad }
    t.is((await world.ask('/v1/analytics/events/export', { token, body })).status, 400, JSON.stringify(bad))
  }
})

test.serial('what a type or a category says is quoted as RFC 8785 quotes it, in SQL and here', async (t) => {
  const { token, tenantId } = await logs.tenantWith(1)
  const hostile = `"\\/\b\f\n\r\t\u0001\u001f\u007f\u2028é😀`
  await logs.ask(
    `insert into logs (id, tenant_id, category, type, timestamp, request_id, data, metadata, object_ids)
     values (gen_random_uuid(), $1, $2, $2, now(), gen_random_uuid(), $3, '{ "a" : 1e400, "a": 12345678901234567890 }', '{}'),
       (gen_random_uuid(), $1, '', '', '1999-12-31T23:59:59.9Z', gen_random_uuid(), 'null', '[]', null)`,
    [tenantId, hostile, JSON.stringify({ [hostile]: hostile })],
  )
  const verdict = await logs.verify(token)
  t.like(verdict, { intact: true, fault: null })
  const lines = await exported(token)
  t.true(lines.some(({ type }) => type === hostile))
  for (const line of lines) t.is(sha256OfLine(line), line.hash)
  t.is(canonical({ b: hostile, a: 1 }), `{"a":1,"b":${JSON.stringify(hostile)}}`)
})

test.serial(
  'several sequencers beside writers whose transactions end in another order give each entry one place',
  async (t) => {
    const { tenantId, token } = await logs.tenantWith(1)
    const { database, systemSql, log } = world.dependencies
    const sequencers = Array.from({ length: 3 }, () => createSequencer({ sql: systemSql, log }))
    for (const sequencer of sequencers) sequencer.start()
    let open = 0
    await Promise.all(
      Array.from({ length: 24 }, (_, nth) =>
        inTenant(database.tenants, tenantId, async (em) => {
          await em.execute(
            `insert into logs (id, tenant_id, category, type, timestamp, request_id, data, metadata)
           select gen_random_uuid(), ?, 'did', 'DID_CREATE_SUCCESS', now(), gen_random_uuid(), '{}', '{}' from generate_series(1, 25)`,
            [tenantId],
          )
          open += 1
          if (nth % 3 === 0) await em.execute('select pg_sleep(0.3)')
          if (nth % 8 === 0) throw new Error('rolled back')
        }).catch((error: Error) => t.is(error.message, 'rolled back')),
      ),
    )
    await Promise.all(sequencers.map((sequencer) => sequencer.stop()))
    t.is(open, 24)
    await logs.settle()
    t.like(await logs.verify(token), { intact: true, waiting: 0 })
    const [counts] = await logs.ask<{ entries: number; places: number; last: number; waiting: number }>(
      `select (select count(*)::int from logs where tenant_id = $1) as entries,
      (select count(*)::int from log_chain where tenant_id = $1) as places,
      (select max(position)::int from log_chain where tenant_id = $1) as last,
      (select count(*)::int from log_pending where tenant_id = $1) as waiting`,
      [tenantId],
    )
    t.true((counts?.entries ?? 0) >= 21 * 25)
    t.is(counts?.places, counts?.last ?? 0)
    t.is((counts?.entries ?? 0) - (counts?.waiting ?? 0), counts?.places ?? 0)
  },
)

test.serial('an entry that waits twice, or that was never written, costs no place', async (t) => {
  const { tenantId, token } = await logs.tenantWith(2)
  await logs.ask(`insert into log_pending (tenant_id, entry_id) select tenant_id, id from logs where tenant_id = $1`, [
    tenantId,
  ])
  await logs.ask('insert into log_pending (tenant_id, entry_id) values ($1, $2)', [tenantId, randomUUID()])
  t.like(await logs.verify(token), { intact: true, checked: { from: 1, to: 2 } })
  await logs.ask(`insert into log_pending (tenant_id, entry_id) select tenant_id, id from logs where tenant_id = $1`, [
    tenantId,
  ])
  t.like(await logs.verify(token), { intact: true, waiting: 0 })
})

test.serial(
  'no role of the platform changes an entry or its place; the API does not chain, sign or remove',
  async (t) => {
    const { tenantId, token } = await logs.tenantWith(3)
    await logs.settle()
    const open = async (role: 'app' | 'system') =>
      connect(roleUrl(world.config.database.url, world.config.masterKey, role), 1)
    const [app, system] = [await open('app'), await open('system')]
    const refused = async (orm: typeof app, text: string) => {
      const work = inTenant(orm, tenantId, (em) => em.execute(text))
      t.like(await t.throwsAsync(work), { code: '42501' }, text)
    }
    try {
      for (const orm of [app, system])
        for (const table of ['logs', 'log_chain', 'log_seals', 'log_keys', 'log_pending']) {
          if (table !== 'log_keys') await refused(orm, `update ${table} set tenant_id = tenant_id`)
          await refused(orm, `truncate ${table}`)
        }
      await refused(app, `select chain_log_entries(10)`)
      for (const table of ['logs', 'log_chain', 'log_seals', 'log_pending']) await refused(app, `delete from ${table}`)
      await refused(app, `insert into log_chain select * from log_chain limit 1`)
      await refused(app, `insert into log_seals select * from log_seals limit 1`)
      await refused(system, 'delete from logs')
      await refused(system, 'delete from log_chain')
      await refused(system, 'delete from log_keys')
      await refused(system, `update log_keys set public_key = ''`)
    } finally {
      await Promise.all([app.close(), system.close()])
    }
    t.true((await logs.verify(token)).intact)
  },
)

test.serial(
  'a pass signs each chain that has grown once, and another key takes over when the first is old',
  async (t) => {
    const { tenantId, token } = await logs.tenantWith(3)
    await logs.settle()
    const { signed } = await logs.sign()
    t.true(signed > 0)
    t.deepEqual(await logs.sign(), { signed: 0, broken: 0 })
    const heads = () => logs.ask<{ key_id: string }>('select key_id from log_seals where tenant_id = $1', [tenantId])
    t.is((await heads()).length, 1)
    const { systemSql, keys } = world.dependencies
    await logs.attack(`update log_keys set created_at = created_at - interval '366 days'`)
    await logs.write(tenantId, 1)
    await logs.settle()
    await logs.sign()
    t.is(new Set((await heads()).map(({ key_id }) => key_id)).size, 2)
    t.like(await logs.verify(token), { intact: true })
    const never = createLogKeys({ systemSql, keys, config: { logKeyDays: 0 }, log: world.dependencies.log })
    await logs.attack(`update log_keys set created_at = created_at - interval '9999 days'`)
    const unwanted = randomUUID()
    t.not(await never.current(unwanted), unwanted)
    t.is(
      (await (await sqlOf(world.dependencies.database.system)).query({ text: 'select 1 from log_keys', values: [] }))
        .rows.length,
      2,
    )
  },
)

test.serial('one verification of a tenant runs at a time; others are told when to come again', async (t) => {
  const [mine, other] = [await logs.tenantWith(3_000), await logs.tenantWith(1)]
  const verify = (token: string) => world.ask('/v1/analytics/verify', { token, body: {} })
  await logs.settle()
  const replies = await Promise.all([...Array.from({ length: 5 }, () => verify(mine.token)), verify(other.token)])
  t.is(replies.pop()?.status, 200, 'another tenant is not held up')
  t.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 429, 429, 429, 429])
  const refused = replies.find(({ status }) => status === 429)
  t.like(refused?.json(), { type: '/problems#log.being_verified' })
  t.is(refused?.headers.get('retry-after'), '3')
  t.like(await logs.verify(mine.token), { intact: true, complete: true })
  t.is((await world.ask('/v1/analytics/verify', { token: mine.token, body: { head: 'x' } })).status, 400)
  t.like(await logs.verify(mine.token), { intact: true }, 'one that is refused leaves its place')
})

test.serial('a long log is verified in parts, each of which says where to go on', async (t) => {
  const { tenantId, token } = await logs.tenantWith(1_200)
  await logs.settle()
  await logs.sign()
  const { tokensLogs } = createPlatform(world.dependencies)
  const parts = []
  for (let from: number | undefined = 1; from !== undefined; ) {
    const verdict = await tokensLogs.verifyLog(tenantId, { from, most: 500 })
    t.true(verdict.intact)
    parts.push(verdict.checked)
    from = verdictToWire(verdict).next ?? undefined
    t.is(from === undefined, verdict.complete)
  }
  t.deepEqual(parts, [
    { from: 1, to: 500 },
    { from: 501, to: 1000 },
    { from: 1001, to: 1200 },
  ])
  const lines = await exported(token, { types: ['DID_CREATE_SUCCESS'] })
  t.is(lines.length, 1_199, 'the export goes on behind its first slice')
  const ids = lines.slice(0, 700).map(({ id }) => id)
  t.deepEqual(await exported(token, { ids }), lines.slice(0, 700))
})
