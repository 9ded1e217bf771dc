import anyTest from 'ava'
import { OPERATOR_SCOPES, type Scope } from '../../protocol/tokens-logs/index.ts'
import { addAccount, tokenOfPerson } from '../support/accounts.ts'
import { createDid, sign } from '../support/credentials/credentials.ts'
import { until } from '../support/credentials/dids.ts'
import { addClient } from '../support/frame/tenants.ts'
import { openWorld, type World } from '../support/world.ts'

const test = anyTest.serial

interface Figures {
  outbox: { waiting: number; oldestSeconds: number }
  statusLists: { unpublished: number; oldestSeconds: number; lists?: Record<string, unknown>[] }
  deliveries: { late: number; oldestSeconds: number }
}

interface Health {
  status: string
  parts: { name: string; state: string; code: string | null; remedy: string | null }[]
  tenant: Figures | null
  platform: Figures | null
}

async function healthOf(world: World, token: string): Promise<Health> {
  const reply = await world.ask('/v1/health', { token })
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.json<Health & Record<string, unknown>>()
}

/** As soon as it is so: an answer is up to 2 seconds old. */
const once = (what: string, world: World, token: string, isSo: (health: Health) => boolean, ms?: number) =>
  until(
    what,
    async () => {
      const health = await healthOf(world, token)
      return isSo(health) && health
    },
    ms,
  )

const stateOf = ({ parts }: Health, name: string) => parts.find((part) => part.name === name)?.state

const NOTHING = {
  outbox: { waiting: 0, oldestSeconds: 0 },
  deliveries: { late: 0, oldestSeconds: 0 },
}

test('what waits too long is told to its tenant and to operators, and to no other tenant', async (t) => {
  const world = await openWorld()
  try {
    const change = (text: string, values: unknown[] = []) => world.dependencies.systemSql.query({ text, values })
    const issuer = await createDid(world)
    const { id, credential } = await sign(world, issuer, { revocable: true })
    const list = (credential.credentialStatus as Record<string, string>).statusListCredential ?? ''
    t.is((await world.ask(new URL(list).pathname)).status, 200)
    const before = await healthOf(world, world.token)
    t.is(before.tenant?.statusLists.unpublished, 0)
    t.is(before.platform, null)

    const revoke = { token: world.token, body: { is_revoked: true } }
    t.is((await world.ask(`/v1/credentials/web-semantic/${id}/revocation-status`, revoke)).status, 200)
    const web = { method: 'WEB', options: { url: 'https://issuer.example.org' } }
    t.is((await world.ask('/v1/dids', { token: world.token, body: web })).status, 201)
    await change(`update outbox set created_at = created_at - interval '1 hour'`)
    await change(`update status_lists set changed_since = changed_since - interval '1 hour', publish_failures = 3`)
    const webhook = { url: 'https://receiver.example.com/webhooks', events: ['OpenIdCredentialIssued'] }
    t.is((await world.ask('/v1/webhooks', { token: world.token, body: webhook })).status, 201)
    await change(
      `insert into webhook_events (id, tenant_id, created_at, type) values (gen_random_uuid(), $1, now(), 'WebhookTest')`,
      [world.first.tenantId],
    )
    await change(
      `insert into webhook_deliveries (id, tenant_id, created_at, webhook_id, event_id, event_type, round, state, attempts,
         next_attempt_at)
       select gen_random_uuid(), $1, now(), w.id, e.id, e.type, n, 'PENDING', '[]',
         case n when 0 then now() - interval '10 minutes' when 1 then now() + interval '1 hour' end
       from webhooks w, webhook_events e, generate_series(0, 2) n`,
      [world.first.tenantId],
    )
    const seen = await once('a list', world, world.token, ({ tenant }) => tenant?.statusLists.unpublished === 1)
    t.is(seen.tenant?.outbox.waiting, 1)
    t.true(Math.abs((seen.tenant?.outbox.oldestSeconds ?? 0) - 3600) < 60)
    t.true(Math.abs((seen.tenant?.statusLists.oldestSeconds ?? 0) - 3600) < 60)
    t.is(seen.tenant?.statusLists.lists?.length, 1)
    t.like(seen.tenant?.statusLists.lists?.[0], { issuer, purpose: 'revocation', failures: 3 })
    t.is(seen.tenant?.deliveries.late, 1)
    t.true(Math.abs((seen.tenant?.deliveries.oldestSeconds ?? 0) - 600) < 60)

    const stranger = await healthOf(world, await world.tokenOf(await world.addTenant()))
    t.deepEqual(stranger.tenant, { ...NOTHING, statusLists: { unpublished: 0, oldestSeconds: 0, lists: [] } })
    t.is(stranger.platform, null)

    const operator = await healthOf(
      world,
      await world.tokenOf(
        await addClient(world.dependencies.systemSql, { tenantId: world.first.tenantId, scopes: OPERATOR_SCOPES }),
      ),
    )
    t.is(operator.tenant, null, 'an operator’s client belongs to no tenant')
    t.like(operator.platform, { outbox: { waiting: 1 }, deliveries: { late: 1 } })
    t.is(operator.platform?.statusLists.lists, undefined)

    const granted = async (scope: Scope) => {
      const { systemSql } = world.dependencies
      const client = await addClient(systemSql, { tenantId: world.first.tenantId, scopes: [scope] })
      return (await healthOf(world, await world.tokenOf(client))).platform
    }
    t.is((await granted('platform:read'))?.deliveries.late, 1)
    t.is(await granted('platform:write'), null, 'who may write the platform reads it by another scope')

    const person = await healthOf(world, await tokenOfPerson(world, await addAccount(world)))
    t.deepEqual([person.tenant, person.platform], [null, null], 'a person without a tenant sees the parts alone')
    t.is(stateOf(person, 'database'), 'up')

    // a list of a deleted issuer can be signed no more
    t.is((await world.ask(`/v1/dids/${issuer}`, { token: world.token, method: 'DELETE' })).status, 204)
    const after = await once('no list', world, world.token, ({ tenant }) => tenant?.statusLists.unpublished === 0)
    t.deepEqual(after.tenant?.statusLists.lists, [])
  } finally {
    await world.close()
  }
})

test('a list that has ended is told as one that waits, the one that waits longest first', async (t) => {
  const world = await openWorld()
  try {
    const change = (text: string) => world.dependencies.systemSql.query({ text, values: [] })
    const signed = await sign(world, await createDid(world), { revocable: true })
    const other = await sign(world, await createDid(world), { revocable: true })
    const published = [signed, other].map(({ credential }) => {
      const { statusListCredential } = credential.credentialStatus as Record<string, string>
      return new URL(statusListCredential ?? '').pathname
    })
    for (const path of published) t.is((await world.ask(path)).status, 200)
    t.is((await healthOf(world, world.token)).tenant?.statusLists.unpublished, 0)
    const ids = published.map((path) => path.split('/').at(-1) ?? '')
    const ended = (id: string, hours: number) =>
      change(
        `update status_lists set changed_since = null, valid_until = now() - interval '${hours} hours' where id = '${id}'`,
      )
    await ended(ids[0] ?? '', 1)
    await ended(ids[1] ?? '', 2)
    const { tenant } = await once('lists', world, world.token, (health) => health.tenant?.statusLists.unpublished === 2)
    t.deepEqual(
      tenant?.statusLists.lists?.map(({ id }) => id),
      ids.toReversed(),
    )
    t.true(Math.abs((tenant?.statusLists.oldestSeconds ?? 0) - 7200) < 60)
  } finally {
    await world.close()
  }
})

test('a part that is down is named with a code and what to do, and with nothing of where it runs', async (t) => {
  const world = await openWorld()
  try {
    const health = await healthOf(world, world.token)
    t.is(health.status, 'degraded')
    t.deepEqual(
      health.parts.map(({ name, state, code }) => [name, state, code]),
      [
        ['database', 'up', null],
        ['keys', 'up', null],
        ['temporal', 'down', 'temporal.unavailable'],
        ['worker', 'unknown', 'worker.unknown'],
        ['documents', 'up', null],
      ],
    )
    for (const { state, remedy } of health.parts) t.is(state === 'up', remedy === null)
    const { text } = await world.ask('/v1/health', { token: world.token })
    for (const secret of ['127.0.0.1', 'localhost', world.config.temporal.address, 'ECONNREFUSED', 'postgres:'])
      t.false(text.includes(secret), secret)
    t.is((await world.ask('/v1/health')).status, 401)
    t.is((await world.ask('/v1/health', { token: world.token, body: {} })).status, 405)
    await world.stopDatabase()
    const reply = await until('a refusal', async () => {
      const answer = await world.ask('/v1/health', { token: world.token })
      return answer.status !== 200 && answer
    })
    t.is(reply.status, 503)
    t.is(reply.json().type, '/problems#database.unavailable')
    await world.startDatabase()
  } finally {
    await world.close()
  }
})

test('whether a worker polls is told', async (t) => {
  t.timeout(4 * 60_000)
  const world = await openWorld({ workflows: true })
  try {
    const isWorker = (state: string) => (health: Health) => stateOf(health, 'worker') === state
    const up = await once('a worker', world, world.token, isWorker('up'))
    t.is(up.status, 'up')
    await world.stopWorker()
    const down = await once('no worker', world, world.token, isWorker('down'), 150_000)
    t.is(stateOf(down, 'temporal'), 'up')
    await world.startWorker()
    await once('a worker', world, world.token, isWorker('up'))
  } finally {
    await world.close()
  }
})
