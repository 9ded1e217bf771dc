import { randomUUID } from 'node:crypto'
import test from 'ava'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { backlogMetrics } from '../../activities/frame/metrics/backlog.ts'
import type { Sql } from '../../entities/orm.ts'
import { createDid, sign } from '../support/credentials/credentials.ts'
import { openDatabase } from '../support/privacy/erasures.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const sql = (text: string, values: unknown[] = []) => world.dependencies.systemSql.query({ text, values })

/** What a scrape reads: gauges by name, with their label. */
async function scrape(query = world.dependencies.systemSql): Promise<Record<string, number>> {
  const registry = new Registry()
  backlogMetrics(registry, query, pino({ level: 'silent' }))
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('countersign_'))
  return Object.fromEntries(lines.map((line) => line.split(' ')).map(([name = '', value]) => [name, Number(value)]))
}

test.serial('what waits is told: outbox, batches and status lists, with their ages (docs/operations.md)', async (t) => {
  const issuer = await createDid(world)
  const { id, credential } = await sign(world, issuer, { revocable: true })
  const list = (credential.credentialStatus as Record<string, string>).statusListCredential ?? ''
  t.is((await world.ask(new URL(list).pathname)).status, 200)
  t.like(await scrape(), {
    countersign_outbox_waiting: 0,
    countersign_batch_stalled_seconds: 0,
    'countersign_batches{state="PROCESSING"}': 0,
    'countersign_batches{state="PAUSED"}': 0,
    countersign_status_lists_waiting: 0,
    countersign_status_lists_oldest_seconds: 0,
    countersign_status_lists_failing: 0,
  })

  const upload = { token: world.token, raw: 'id\ndid:example:ada\n', headers: { 'content-type': 'text/csv' } }
  const path = `/v1/credentials/batches?proofType=eddsa-rdfc-2022&issuer=${encodeURIComponent(issuer)}`
  t.is((await world.ask(path, upload)).status, 201)
  const revoke = { token: world.token, body: { is_revoked: true } }
  t.is((await world.ask(`/v1/credentials/web-semantic/${id}/revocation-status`, revoke)).status, 200)
  await sql(`update credential_batches set resumed_at = now() - interval '1 hour',
    last_progress_at = now() - interval '2 hours'`)
  await sql(`update outbox set created_at = created_at - interval '1 hour'`)
  await sql(`update status_lists set changed_since = changed_since - interval '1 hour', publish_failures = 3`)
  const seen = await scrape()
  t.like(seen, {
    countersign_outbox_waiting: 1,
    'countersign_batches{state="PROCESSING"}': 1,
    'countersign_batches{state="PAUSED"}': 0,
    countersign_status_lists_waiting: 1,
    countersign_status_lists_failing: 1,
  })
  t.true(Math.abs((seen.countersign_outbox_oldest_seconds ?? 0) - 3600) < 60)
  t.true(Math.abs((seen.countersign_batch_stalled_seconds ?? 0) - 3600) < 60)
  t.true(Math.abs((seen.countersign_status_lists_oldest_seconds ?? 0) - 3600) < 60)

  await sql(`update credential_batches set state = 'PAUSED'`)
  t.like(await scrape(), {
    'countersign_batches{state="PROCESSING"}': 0,
    'countersign_batches{state="PAUSED"}': 1,
    countersign_batch_stalled_seconds: 0,
  })
  await sql('update status_lists set did_id = $1', [randomUUID()])
  t.like(await scrape(), { countersign_status_lists_waiting: 0, countersign_status_lists_failing: 0 })
})

test.serial('erasures and retentions that wait are told, with their ages (docs/operations.md)', async (t) => {
  t.like(await scrape(), {
    countersign_erasures: 0,
    countersign_erasures_oldest_seconds: 0,
    countersign_retention_oldest_seconds: 0,
  })
  const { token } = world
  t.is((await world.ask('/v1/privacy/erasures', { token, body: { subjectDid: 'did:example:waits' } })).status, 202)
  await world.ask('/v1/privacy/retention', { method: 'PUT', token, body: { messagesDays: 30 } })
  const database = await openDatabase(world)
  t.teardown(() => database.close())
  await database.rows(
    `update erasures set started_at = now() - interval '1 hour';
     update privacy_retentions set created_at = now() - interval '2 hours'`,
  )
  const seen = await scrape()
  t.is(seen.countersign_erasures, 1)
  t.true(Math.abs((seen.countersign_erasures_oldest_seconds ?? 0) - 3600) < 60)
  t.true(Math.abs((seen.countersign_retention_oldest_seconds ?? 0) - 7200) < 60)
  await world.ask('/v1/privacy/retention', { method: 'PUT', token, body: { messagesDays: null } })
  t.is((await scrape()).countersign_retention_oldest_seconds, 0, 'a tenant that keeps everything waits for nothing')
})

test.serial('while the database is away its gauges are absent, not zero, and the scrape is answered', async (t) => {
  const away: Sql = { query: () => Promise.reject(new Error('away')) }
  t.deepEqual(await scrape(away), {})
})
