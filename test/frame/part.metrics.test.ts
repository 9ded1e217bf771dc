import { randomBytes } from 'node:crypto'
import test from 'ava'
import { Registry, register } from 'prom-client'
import { databaseMetrics } from '../../activities/frame/metrics/database.ts'
import { createLocalKeyStore } from '../../activities/keys/local.ts'
import { keyStoreMetrics } from '../../activities/keys/metrics.ts'
import { createVaultKeyStore } from '../../activities/keys/vault/index.ts'
import { asSystem, connect, sqlOf } from '../../entities/orm.ts'
import { roleUrl } from '../../entities/roles.ts'
import { dismissGuard } from '../../stack/parts/part.ts'
import { createDid, sign } from '../support/credentials/credentials.ts'
import { until } from '../support/credentials/dids.ts'
import { codeOf, memoryEnvelopes, newRef } from '../support/parts/keys.ts'
import { createAppRole, openVault, vaultConfig } from '../support/parts/vault.ts'
import { needs } from '../support/parts.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(async () => {
  await world?.close()
  await dismissGuard()
})

/** Samples of a scrape by name and labels. */
async function scrape(registry: Registry): Promise<Map<string, number>> {
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('countersign_'))
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))] as const),
  )
}

test.serial("the API's scrape tells calls of the key store, statements by name, and connections by role", async (t) => {
  const issuer = await createDid(world)
  const signs = 'countersign_key_store_seconds_count{operation="sign",outcome="done"}'
  const records = 'countersign_database_query_seconds_count{statement="record-credentials"}'
  await sign(world, issuer)
  const before = await scrape(register)
  for (let nth = 0; nth < 3; nth += 1) await sign(world, issuer)
  const after = await scrape(register)
  for (const name of [signs, records]) t.is((after.get(name) ?? 0) - (before.get(name) ?? 0), 3, name)
  for (const role of ['app', 'system']) {
    const idle = after.get(`countersign_database_connections{role="${role}",state="idle"}`) ?? 0
    t.true(idle >= 1 && idle <= 8, `${idle} idle connections of ${role}`)
    t.is(after.get(`countersign_database_waiting{role="${role}"}`), 0)
    t.true((after.get(`countersign_database_wait_seconds_count{role="${role}"}`) ?? 0) > 0)
  }
  t.is(after.get('countersign_key_store_login_wait_seconds'), 0)
})

test.serial('a statement is told by its name or its verb: no text of it becomes a label', async (t) => {
  await world.ask('/v1/dids?limit=3', { token: world.token })
  await world.ask('/v1/analytics/events?limit=3', {
    token: world.token,
    body: {
      categories: [],
      types: [],
      ids: [],
      requestIds: [],
      dateFrom: '2020-01-01T00:00:00Z',
      dateTo: '2100-01-01T00:00:00Z',
    },
  })
  const names = [...(await scrape(register)).keys()].flatMap(
    (name) => /_count\{statement="(.*)"\}/.exec(name)?.[1] ?? [],
  )
  t.true(names.includes('select') && names.includes('commit'))
  for (const name of names) t.regex(name, /^[a-z:_-]{4,40}$/)
})

test.serial('times that are over are counted by their kind', async (t) => {
  const metrics = new Registry()
  const { config } = world
  const url = roleUrl(config.database.url, config.masterKey, 'system')
  const orm = await connect(url, 2, 500, databaseMetrics(metrics)('system'))
  t.teardown(() => orm.close())
  const sql = await sqlOf(orm)
  const lock = 'select * from environments for update'
  await asSystem(orm, async (em) => {
    await em.execute(lock)
    await t.throwsAsync(
      asSystem(orm, (other) => other.execute(lock)),
      undefined,
      'waits for a lock for 2 s',
    )
    const second = sql.query({ text: 'select pg_sleep(1)', values: [] })
    await t.throwsAsync(sql.query({ text: 'select 1', values: [] }), { message: /timeout exceeded/ })
    await second
  })
  await t.throwsAsync(sql.query({ text: 'select pg_sleep(6)', values: [] }), undefined, 'a statement has 5 s')
  const found = await scrape(metrics)
  for (const kind of ['lock', 'connection', 'statement'])
    t.is(found.get(`countersign_database_timeouts_total{kind="${kind}"}`), 1, kind)
  for (const [name, count] of [
    ['55', 1],
    ['57', 1],
    ['connection', 1],
  ] as const)
    t.is(found.get(`countersign_database_errors_total{class="${name}"}`), count, name)
})

test.serial('a call of the key store is measured by what came of it', async (t) => {
  const metrics = new Registry()
  const store = keyStoreMetrics(metrics).measured(
    createLocalKeyStore({ envelopes: memoryEnvelopes(), masterKey: randomBytes(32) }),
  )
  t.teardown(() => store.close())
  const ref = newRef('ed25519')
  await store.create(ref)
  await store.sign(ref, randomBytes(8))
  t.is(await codeOf(store.sign(newRef('ed25519'), randomBytes(8))), 'key.not_found')
  const found = await scrape(metrics)
  const count = (operation: string, outcome: string) =>
    found.get(`countersign_key_store_seconds_count{operation="${operation}",outcome="${outcome}"}`)
  t.is(count('create', 'done'), 1)
  t.is(count('sign', 'done'), 1)
  t.is(count('sign', 'refused'), 1)
})

const whereVaultIs = needs('Vault', test.serial)

whereVaultIs('logins to Vault, the wait after a refused one and an open breaker are told', async (t) => {
  const vault = await openVault()
  t.teardown(() => vault.stop())
  const role = await createAppRole(vault)
  const open = (secretId: string) => {
    const metrics = new Registry()
    const observer = keyStoreMetrics(metrics)
    const store = observer.measured(createVaultKeyStore(vaultConfig(vault, { ...role, secretId }), { observer }))
    t.teardown(() => store.close())
    return { store, metrics }
  }
  const wrong = open('wrong')
  t.is(await codeOf(wrong.store.create(newRef('p256'))), 'unavailable')
  const refusals = 'countersign_key_store_logins_total{outcome="refused"}'
  await until('a second login', async () => (await scrape(wrong.metrics)).get(refusals) === 2, 5_000)
  const wait = (await scrape(wrong.metrics)).get('countersign_key_store_login_wait_seconds') ?? 0
  t.true(wait > 290 && wait <= 360, `${wait} s`)

  const { store, metrics } = open(role.secretId)
  const ref = newRef('p256')
  await store.create(ref)
  t.is((await scrape(metrics)).get('countersign_key_store_logins_total{outcome="done"}'), 1)
  await vault.seal()
  for (let nth = 0; nth < 3; nth += 1) t.is(await codeOf(store.sign(ref, randomBytes(8))), 'unavailable')
  t.is((await scrape(metrics)).get('countersign_key_store_breaker_open'), 1)
  await vault.unseal()
  await store.ready()
  t.is((await scrape(metrics)).get('countersign_key_store_breaker_open'), 0)
  const away = 'countersign_key_store_seconds_count{operation="sign",outcome="unavailable"}'
  t.is((await scrape(metrics)).get(away), 3)
})
