import { randomUUID } from 'node:crypto'
import test from 'ava'
import pg from 'pg'
import { COURSE, create, lines, until as untilBatch } from '../../support/credentials/batches.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { until } from '../../support/credentials/dids.ts'
import { openProcesses, type Processes } from '../../support/parts/processes.ts'
import { thoroughly } from '../../support/parts/thorough.ts'
import { type Database, type Erasure, ended, erase, openDatabase } from '../../support/privacy/erasures.ts'
import { type Ask, send, type World } from '../../support/world.ts'

let platform: Processes
let world: Pick<World, 'ask' | 'token'>
let database: Database
let issuer: string
test.before(async () => {
  platform = await openProcesses()
  const ask = (path: string, question: Ask = {}) => send(`${platform.url}${path}`, question)
  const { clientId, clientSecret } = platform.first
  const body = { clientId, clientSecret, grantType: 'client_credentials' }
  world = { ask, token: (await ask('/v1/auth/token', { body })).json<{ access_token: string }>().access_token }
  database = await openDatabase(platform)
  issuer = await createDid(world as World, 'ed25519', world.token, true)
})
test.after.always(async () => {
  await database?.close()
  await platform?.close()
})

async function restart(): Promise<void> {
  await platform.worker.kill()
  await platform.worker.start()
}

/** Nobody writes the table before `release`: a step that does so is under way until then. */
async function hold(table: string): Promise<{ release(): Promise<void> }> {
  const client = new pg.Client(platform.superuserUrl)
  await client.connect()
  await client.query('begin')
  await client.query(`lock table ${table} in exclusive mode`)
  return {
    async release() {
      await client.query('rollback')
      await client.end()
    },
  }
}

const stepOf = async (id: string): Promise<string | null> =>
  (await world.ask(`/v1/privacy/erasures/${id}`, { token: world.token })).json<Erasure>().step

const entriesOf = (id: string) =>
  database.rows(`select 1 from logs where type = 'PRIVACY_ERASURE_COMPLETE_SUCCESS' and metadata ->> 'id' = $1`, id)

/** Kills the worker while it is at the step, twice: when nothing of the step was done, and in the moment that it goes on. */
async function killAt(id: string, step: string, table: string): Promise<void> {
  const held = await hold(table)
  try {
    await until(`the step ${step}`, async () => (await stepOf(id)) === step, 120_000)
    await restart()
  } finally {
    await held.release()
  }
}

const LOCKED = { batches: 'credential_batches', credentials: 'credentials', rest: 'inbox_dids' }

thoroughly(
  'kill -9 of the worker at each step of the erasure of a subject: nothing of it is left, and each counts once',
  async (t) => {
    const holder = `did:example:holder-${randomUUID()}`
    const batch = (count: number) =>
      create(
        world as World,
        lines(count, () => ({ payload: { credentialSubject: { id: holder, course: 'C' } } })),
        {
          ...{ proofType: 'eddsa-rdfc-2022', revocable: 'true', issuer, context: COURSE },
        },
      )
    const { id: signed } = await batch(600)
    await untilBatch(world as World, signed, ({ status }) => status === 'COMPLETED', 120_000)
    platform.worker.pause()
    const { id: unsigned } = await batch(100)
    const reply = await erase(world as World, { subjectDid: holder, credentialStatus: 'revoke' })
    t.is(reply.status, 202, reply.text)
    const { id } = reply.json<Erasure>()
    const first = await hold(LOCKED.batches)
    await restart()
    try {
      await until('the workflow', async () => (await stepOf(id)) === 'batches')
      await restart()
    } finally {
      await first.release()
    }
    for (const step of ['credentials', 'rest'] as const) await killAt(id, step, LOCKED[step])
    const done = await ended(world as World, id, 240_000)
    const { rows = 0, credentials = 0, revoked = 0 } = done.erased
    t.is(rows + credentials, 700)
    t.is(revoked, credentials)
    t.is((await entriesOf(id)).length, 1)
    t.deepEqual(await database.placesOf(holder), [])
    const [left] = await database.rows<{ count: number }>(
      'select count(*)::int as count from credentials where batch_id = any($1) and (erased_at is null or not revoked)',
      [signed, unsigned],
    )
    t.is(left?.count, 0)
    const ended_ = await untilBatch(world as World, unsigned, ({ status }) => status === 'COMPLETED', 120_000)
    t.is(ended_.signed + ended_.failed, 100)
    const [lists] = await database.rows<{ differ: number }>(
      `select count(*)::int as differ from status_lists l where l.changes <>
       (select count(*) from credential_status_changes h join credentials c on c.id = h.credential_id
        where case h.purpose when 'revocation' then c.status_list_id else c.suspension_list_id end = l.id)`,
    )
    t.is(lists?.differ, 0, 'each change of a status counts once')
  },
)

thoroughly('kill -9 of the worker at each step of the erasure of a user: nothing of them is left', async (t) => {
  const { tenantId } = platform.first
  const [provider, userId] = [randomUUID(), randomUUID()]
  const { id: batchId } = await create(world as World, lines(50), {
    ...{ proofType: 'eddsa-rdfc-2022', revocable: 'true', issuer, context: COURSE },
  })
  await untilBatch(world as World, batchId, ({ status }) => status === 'COMPLETED', 120_000)
  await database.rows(
    `insert into authentication_providers (id, tenant_id, url, client_id, scope, claims_to_persist, forwarded_parameters,
       static_parameters, auth_method) values ($1, $2, 'https://provider.test', 'c', '{}', '{}', '{}', '{}', '')`,
    provider,
    tenantId,
  )
  await database.rows(
    `insert into openid_users (id, tenant_id, provider_id, subject_index, content) values ($1, $2, $3, 'x', 'x')`,
    userId,
    tenantId,
    provider,
  )
  await database.rows(
    `insert into credential_holders (tenant_id, holder_id, credential_id)
     select $1, $2, id from credentials where batch_id = $3`,
    tenantId,
    userId,
    batchId,
  )
  const held = await hold('openid_users')
  let id = ''
  try {
    id = (await erase(world as World, { userId, credentialStatus: 'revoke' })).json<Erasure>().id
    await until('the step person', async () => (await stepOf(id)) === 'person')
    await restart()
  } finally {
    await held.release()
  }
  await killAt(id, 'credentials', 'credentials')
  await killAt(id, 'rest', 'credential_holders')
  const done = await ended(world as World, id, 240_000)
  t.like(done.erased, { users: 1, credentials: 50, revoked: 50 })
  t.is((await entriesOf(id)).length, 1)
  for (const [table, column] of [
    ['openid_users', 'id'],
    ['credential_holders', 'holder_id'],
  ])
    t.deepEqual(await database.rows(`select 1 from ${table} where ${column} = $1`, userId), [], table)
})

test.serial(
  'kill -9 of the worker between the answer and the start, and of one credential: erased, once',
  async (t) => {
    const holder = `did:example:holder-${randomUUID()}`
    const body = {
      payload: {
        '@context': ['https://www.w3.org/ns/credentials/v2'],
        type: ['VerifiableCredential'],
        issuer: { id: issuer },
        credentialSubject: { id: holder },
      },
      ...{ proofType: 'eddsa-rdfc-2022', revocable: true },
    }
    const sign = await world.ask('/v1/credentials/web-semantic/sign', { token: world.token, body })
    const { id: credentialId } = sign.json<{ id: string }>()
    platform.worker.pause()
    const { id } = (await erase(world as World, { credentialId, credentialStatus: 'revoke' })).json<Erasure>()
    t.is((await database.rows('select 1 from outbox where object_id = $1 and started_at is null', id)).length, 1)
    await restart()
    const held = await hold('credentials')
    try {
      await until('the step credentials', async () => ['credentials', null].includes(await stepOf(id)))
      await restart()
    } finally {
      await held.release()
    }
    t.like((await ended(world as World, id, 120_000)).erased, { credentials: 1, revoked: 1 })
    t.is((await entriesOf(id)).length, 1)
    t.deepEqual(await database.placesOf(holder), [])
  },
)

test.serial('an erasure whose workflow Temporal has lost is started again by the reconciliation', async (t) => {
  const holder = `did:example:holder-${randomUUID()}`
  platform.worker.pause()
  const { id } = (await erase(world as World, { subjectDid: holder })).json<Erasure>()
  // the outbox believes that it was started
  await database.rows(`update outbox set started_at = now() where object_id = $1`, id)
  await database.rows(`update erasures set started_at = started_at - interval '2 minutes' where id = $1`, id)
  await restart()
  t.is((await ended(world as World, id, 120_000)).state, 'ERASED')
  const jobs = platform.dependencies.temporal.client.schedule
  t.is((await jobs.getHandle('erase-expired').describe()).scheduleId, 'erase-expired')
})
