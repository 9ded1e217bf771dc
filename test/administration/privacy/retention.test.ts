import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createExpiry } from '../../../activities/administration/privacy/expiry.ts'
import { COURSE, create, lines, results, until as untilBatch } from '../../support/credentials/batches.ts'
import { createDid, payload } from '../../support/credentials/credentials.ts'
import { until } from '../../support/credentials/dids.ts'
import { type Database, openDatabase } from '../../support/privacy/erasures.ts'
import { addNewTenant, addSessionOf, keepFor, readKept } from '../../support/privacy/retention.ts'
import { type Client, openWorld, type World } from '../../support/world.ts'

let world: World
let database: Database
test.before(async () => {
  world = await openWorld({ workflows: true })
  database = await openDatabase(world)
})
test.after.always(async () => {
  await database?.close()
  await world?.close()
})

const keep = (token: string, body: object) => keepFor(world, token, body)
const keptOf = (token: string) => readKept(world, token)
const newTenant = () => addNewTenant(world)
const addSession = (client: Client, userId: string | null, endedDays: number | null) =>
  addSessionOf(database, client, userId, endedDays)

const DAY_MS = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS)

/** The pass of one tenant, as if it ran at another time. */
async function pass({ tenantId }: Pick<Client, 'tenantId'>, at = new Date()): Promise<void> {
  const { eraseExpiredOf } = createExpiry({ ...world.dependencies, now: () => at })
  while (!(await eraseExpiredOf({ tenantId })).done);
}

const NOTHING = { users: 0, credentials: 0, messages: 0, sessions: 0, batches: 0 }

/** A user of a provider, who logged in so many days ago. */
async function addUser({ tenantId }: Client, days: number): Promise<string> {
  const [provider, id] = [randomUUID(), randomUUID()]
  await database.rows(
    `insert into authentication_providers (id, tenant_id, url, client_id, scope, claims_to_persist, forwarded_parameters,
       static_parameters, auth_method) values ($1, $2, $3, 'c', '{}', '{}', '{}', '{}', '')`,
    ...[provider, tenantId, `https://${provider}.test`],
  )
  await database.rows(
    `insert into openid_users (id, tenant_id, provider_id, subject_index, content, updated_at)
     values ($1, $2, $3, 'x', 'x', now() - make_interval(days => $4))`,
    ...[id, tenantId, provider, days],
  )
  return id
}

/** A login with a wallet that is under way. */
const addLogin = ({ tenantId }: Client, userId: string) =>
  database.rows(
    `insert into openid_wallet_logins (id, tenant_id, user_id, state, content, expires_at)
     values ($1, $2, $3, 'LOGIN', 'x', now() + interval '5 minutes')`,
    ...[randomUUID(), tenantId, userId],
  )

const isThere = async (table: string, id: string) =>
  (await database.rows(`select 1 from ${table} where id = $1`, id)).length === 1

test('users go who have not logged in for so long, except those with a session under way', async (t) => {
  const tenant = await newTenant()
  const [old, young, busy] = [await addUser(tenant, 31), await addUser(tenant, 29), await addUser(tenant, 400)]
  await addSession(tenant, busy, null)
  await pass(tenant)
  t.true(await isThere('openid_users', old), 'nothing was asked for')
  await keep(tenant.token, { inactiveUsersDays: 30 })
  await pass(tenant)
  t.deepEqual(await Promise.all([old, young, busy].map((id) => isThere('openid_users', id))), [false, true, true])
  t.like(await keptOf(tenant.token), { lastPass: { erased: { ...NOTHING, users: 1 } } })
  await pass(tenant)
  t.like(await keptOf(tenant.token), { lastPass: { erased: NOTHING } })
  const entries = await database.rows<{ metadata: object }>(
    `select metadata from logs where tenant_id = $1 and type = 'PRIVACY_RETENTION_COMPLETE_SUCCESS'`,
    tenant.tenantId,
  )
  t.is(entries.length, 1, 'a pass that erases nothing has no entry')
  t.like(entries[0]?.metadata, { users: 1, credentials: 0 })
})

test('a user who logs in with a wallet at this moment stays, however long ago they logged in before', async (t) => {
  const tenant = await newTenant()
  const [gone, busy] = [await addUser(tenant, 400), await addUser(tenant, 400)]
  await addLogin(tenant, busy)
  await keep(tenant.token, { inactiveUsersDays: 30 })
  await pass(tenant)
  t.deepEqual(await Promise.all([gone, busy].map((id) => isThere('openid_users', id))), [false, true])
})

test('ended sessions of wallets go when the tenant says so, long before the platform deletes them', async (t) => {
  const tenant = await newTenant()
  const [old, young, open] = [
    await addSession(tenant, null, 8),
    await addSession(tenant, null, 6),
    await addSession(tenant, null, null),
  ]
  await keep(tenant.token, { endedSessionsDays: 7 })
  await pass(tenant)
  t.deepEqual(await Promise.all([old, young, open].map((id) => isThere('openid_sessions', id))), [false, true, true])
})

test('claims of an expired credential go, and those of one that lives stay; its status goes on', async (t) => {
  const tenant = await newTenant()
  const issuer = await createDid(world, 'ed25519', tenant.token, true)
  const marker = `did:example:${randomUUID()}`
  const signed = async (validUntil?: string) => {
    const more = { validFrom: '2020-01-01T00:00:00Z', ...(validUntil && { validUntil }) }
    const body = {
      payload: { ...payload(issuer), credentialSubject: { id: marker, course: 'C' }, ...more },
      ...{ proofType: 'eddsa-rdfc-2022', revocable: true, tag: marker },
    }
    const reply = await world.ask('/v1/credentials/web-semantic/sign', { token: tenant.token, body })
    if (reply.status !== 200) throw new Error(reply.text)
    return reply.json<{ id: string }>().id
  }
  const [soon, later, never] = [
    await signed(inDays(10).toISOString()),
    await signed(inDays(12).toISOString()),
    await signed(),
  ]
  await keep(tenant.token, { expiredCredentialsDays: 30 })
  await pass(tenant, inDays(39))
  const read = (id: string) => world.ask(`/v1/credentials/web-semantic/${id}`, { token: tenant.token })
  t.is((await read(soon)).status, 200, 'expired, and kept for 30 days')
  await pass(tenant, inDays(41))
  t.deepEqual([(await read(soon)).status, (await read(later)).status, (await read(never)).status], [404, 200, 200])
  const path = `/v1/credentials/web-semantic/${soon}/revocation-status`
  t.is((await world.ask(path, { token: tenant.token, body: { is_revoked: true } })).status, 200)
  t.like((await world.ask(path, { token: tenant.token })).json(), { isRevoked: true })
  await keep(tenant.token, { expiredCredentialsDays: 1 })
  await pass(tenant, inDays(40_000))
  t.is((await read(never)).status, 200, 'what does not expire stays')
})

test('messages go after their days, and those on their way stay', async (t) => {
  const tenant = await newTenant()
  const inbox = randomUUID()
  await database.rows(`insert into inboxes (id, tenant_id, name) values ($1, $2, 'i')`, inbox, tenant.tenantId)
  const add = async (days: number) => {
    const id = randomUUID()
    await database.rows(
      `insert into inbox_messages (id, tenant_id, inbox_id, payload, size, created_at)
       values ($1, $2, $3, 'x', 1, now() - make_interval(days => $4))`,
      ...[id, tenant.tenantId, inbox, days],
    )
    return id
  }
  const issuer = await createDid(world, 'ed25519', tenant.token, true)
  const body = { payload: payload(issuer), proofType: 'eddsa-rdfc-2022', revocable: true }
  const { id: credential } = (
    await world.ask('/v1/credentials/web-semantic/sign', { token: tenant.token, body })
  ).json<{ id: string }>()
  const notify = async (endedDays: number | null) => {
    const id = randomUUID()
    await database.rows(
      `insert into credential_notifications (id, tenant_id, credential_id, recipient, status_change, sender, message, state,
         request_id, client_id, ended_at)
       values ($1, $2, $3, 'did:example:x', null, '', '{}', $5, $1, 'c', now() - make_interval(days => $4))`,
      ...[id, tenant.tenantId, credential, endedDays, endedDays === null ? 'PENDING' : 'SENT'],
    )
    return id
  }
  const messages = [await add(8), await add(6)]
  const told = [await notify(8), await notify(6), await notify(null)]
  await keep(tenant.token, { messagesDays: 7 })
  await pass(tenant)
  t.deepEqual(await Promise.all(messages.map((id) => isThere('inbox_messages', id))), [false, true])
  t.deepEqual(await Promise.all(told.map((id) => isThere('credential_notifications', id))), [false, true, true])
  t.like(await keptOf(tenant.token), { lastPass: { erased: { messages: 2 } } })
})

test('content of a finished batch goes, also more than one slice of it; its rows and its revocation stay', async (t) => {
  const tenant = await newTenant()
  const issuer = await createDid(world, 'ed25519', tenant.token, true)
  const marker = `did:example:${randomUUID()}`
  const bad = `{"payload":{"credentialSubject":{"id":"${marker}"}},"${marker}":1}`
  const text = `${lines(700, () => ({ payload: { credentialSubject: { id: marker, course: 'C' } } }))}\n${bad}`
  const { id } = await create(
    world,
    text,
    { proofType: 'eddsa-rdfc-2022', revocable: 'true', issuer, context: COURSE },
    { token: tenant.token },
  )
  const asTenant = { ...world, token: tenant.token }
  const batch = await untilBatch(asTenant, id, ({ status }) => status === 'COMPLETED', 120_000)
  t.like(batch, { signed: 700, failed: 1 })
  await keep(tenant.token, { finishedBatchesDays: 5 })
  await pass(tenant, inDays(4))
  t.is((await results(asTenant, id)).length, 700)
  await pass(tenant, inDays(6))
  t.is((await results(asTenant, id)).length, 0)
  t.deepEqual(await database.placesOf(marker), [])
  t.like(await keptOf(tenant.token), { lastPass: { erased: { credentials: 700, batches: 1 } } })
  const body = { by: 'batch', id, is_revoked: true }
  const revoked = await world.ask('/v1/credentials/web-semantic/revocations', { token: tenant.token, body })
  t.is(revoked.status, 202, revoked.text)
  await untilBatch(asTenant, id, ({ revocation }) => revocation?.status === 'REVOKED', 60_000)
  t.like((await untilBatch(asTenant, id, () => true)).revocation, { revoked: 700 })
})

test('reasons of a batch go with its content when it was cancelled too, and stay while it is at work', async (t) => {
  const tenant = await newTenant()
  const add = async (state: string, endedDays: number | null) => {
    const id = randomUUID()
    await database.rows(
      `insert into credential_batches (id, tenant_id, attempt, format, source, state, options, request_id, client_id, total,
         last_progress_at, ended_at)
       values ($1, $2, $1, 'web-semantic', 'jsonl', $3, '{}', $1, $1, 1, now(), now() - make_interval(days => $4))`,
      ...[id, tenant.tenantId, state, endedDays],
    )
    await database.rows(
      `insert into credential_batch_rows (batch_id, row_number, tenant_id, state, errors)
       values ($1, 1, $2, 'failed', '[{"path":"a name"}]')`,
      ...[id, tenant.tenantId],
    )
    return id
  }
  const batches = [await add('CANCELLED', 6), await add('CANCELLED', 4), await add('PAUSED', null)]
  await keep(tenant.token, { finishedBatchesDays: 5 })
  await pass(tenant)
  const left = await database.rows<{ id: string }>(
    `select batch_id as id from credential_batch_rows where batch_id = any($1) and errors::text <> '[]'`,
    batches,
  )
  t.deepEqual(left.map(({ id }) => id).sort(), batches.slice(1).sort())
  t.like(await keptOf(tenant.token), { lastPass: { erased: { batches: 1 } } })
})

test('two passes at once erase each row once', async (t) => {
  const tenant = await newTenant()
  for (let nth = 0; nth < 20; nth += 1) await addSession(tenant, null, 50)
  await keep(tenant.token, { endedSessionsDays: 7 })
  await Promise.all([pass(tenant), pass(tenant), pass(tenant)])
  const entries = await database.rows<{ sessions: number }>(
    `select (metadata ->> 'sessions')::int as sessions from logs
     where tenant_id = $1 and type = 'PRIVACY_RETENTION_COMPLETE_SUCCESS'`,
    tenant.tenantId,
  )
  t.is(
    entries.reduce((sum, { sessions }) => sum + sessions, 0),
    20,
  )
})

test.serial(
  'the schedule goes through all tenants that keep less, and no tenant erases what another keeps',
  async (t) => {
    const [mine, theirs] = [await newTenant(), await newTenant()]
    const [gone, stays] = [await addSession(mine, null, 50), await addSession(theirs, null, 50)]
    await keep(mine.token, { endedSessionsDays: 7 })
    await keep(theirs.token, { messagesDays: 7 })
    const handle = world.dependencies.temporal.client.schedule.getHandle('erase-expired')
    await handle.trigger()
    await until('the pass', async () => !(await isThere('openid_sessions', gone)), 60_000)
    await until('the end', async () => (await keptOf(theirs.token)).lastPass !== null, 60_000)
    t.true(await isThere('openid_sessions', stays))
  },
)

test.serial('a tenant that is being deleted is passed over, and its settings go with it', async (t) => {
  const tenant = await newTenant()
  await keep(tenant.token, { endedSessionsDays: 7 })
  const { findRetentions } = createExpiry(world.dependencies)
  const all = async () => (await findRetentions({})).tenantIds
  t.true((await all()).includes(tenant.tenantId))
  t.false((await findRetentions({ after: tenant.tenantId })).tenantIds.includes(tenant.tenantId))
  await database.rows('update tenants set deleted_at = now() where id = $1', tenant.tenantId)
  t.false((await all()).includes(tenant.tenantId))
  await database.rows('delete from privacy_retentions where tenant_id = $1', tenant.tenantId)
  t.deepEqual(await createExpiry(world.dependencies).eraseExpiredOf({ tenantId: tenant.tenantId }), { done: true })
})
