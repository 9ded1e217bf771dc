import { setTimeout as wait } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { ownedTables } from '../../../activities/administration/tenants/tables.ts'
import { OPERATOR_SCOPES } from '../../../protocol/tokens-logs/index.ts'
import { tenantsOf } from '../../support/administration.ts'
import { until } from '../../support/credentials/dids.ts'
import { addClient } from '../../support/frame/tenants.ts'
import { openProcesses, type Processes } from '../../support/parts/processes.ts'
import { sampled, thoroughly } from '../../support/parts/thorough.ts'
import { type Ask, type Client, send } from '../../support/world.ts'

let platform: Processes
let tenants: ReturnType<typeof tenantsOf>
const ask = (path: string, question: Ask = {}) => send(`${platform.url}${path}`, question)

async function tokenOf({ clientId, clientSecret }: Pick<Client, 'clientId' | 'clientSecret'>): Promise<string> {
  const body = { clientId, clientSecret, grantType: 'client_credentials' }
  return (await ask('/v1/auth/token', { body })).json<{ access_token: string }>().access_token
}

test.before(async () => {
  platform = await openProcesses()
  const { tenantId } = platform.first
  const { systemSql } = platform.dependencies
  tenants = tenantsOf({ ask }, await tokenOf(await addClient(systemSql, { tenantId, scopes: OPERATOR_SCOPES })))
})
test.after.always(() => platform?.close())

const rows = async <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> =>
  (await platform.dependencies.systemSql.query<Row>({ text, values })).rows

async function restart(): Promise<void> {
  await platform.worker.kill()
  await platform.worker.start()
}

const WANTED = { did: { keyType: 'ed25519' }, iaca: { country: 'NZ' } }

/** What a tenant has of each thing that was asked for with it. */
const made = async (id: string) => ({
  status: (await tenants.read(id)).json().status,
  dids: (await rows('select 1 from dids where tenant_id = $1 and is_default_issuer', id)).length,
  otherDids: (await rows('select 1 from dids where tenant_id = $1 and not is_default_issuer', id)).length,
  iacas: (await rows('select 1 from mobile_iacas where tenant_id = $1', id)).length,
  entries: (await rows(`select 1 from logs where type = 'TENANT_PROVISION_SUCCESS' and metadata ->> 'id' = $1`, id))
    .length,
})

const ONCE = { status: 'ready', dids: 1, otherDids: 0, iacas: 1, entries: 1 }

const becomesReady = (id: string) =>
  until('a ready tenant', async () => (await tenants.read(id)).json().status === 'ready', 120_000)

for (const afterMs of sampled([0, 150, 300], 1))
  test.serial(
    `kill -9 of the worker ${afterMs} ms after a tenant was asked for: all of it is made, once`,
    async (t) => {
      const { id } = await tenants.created(WANTED)
      await wait(afterMs)
      await restart()
      await becomesReady(id)
      t.deepEqual(await made(id), ONCE)
    },
  )

test.serial('kill -9 of the worker between the DID and the IACA of a tenant: all of it is made, once', async (t) => {
  const { id } = await tenants.created(WANTED)
  for (let known = 0; known === 0; ) known = (await rows('select 1 from dids where tenant_id = $1', id)).length
  await restart()
  await becomesReady(id)
  t.deepEqual(await made(id), ONCE)
})

/** A tenant with so much that each step takes a while. */
async function large(): Promise<string> {
  const { id } = await tenants.created()
  await rows(
    `insert into keys (id, tenant_id, key_type) select gen_random_uuid(), $1, 'ed25519' from generate_series(1, 2000)`,
    id,
  )
  await rows(
    `insert into log_pending (tenant_id, entry_id) select $1, gen_random_uuid() from generate_series(1, 5000)`,
    id,
  )
  for (let slice = 0; slice < 20; slice += 1)
    await rows(
      `insert into outbox (id, tenant_id, area, object_id, workflow_type, workflow_id, summary, payload, started_at)
       select gen_random_uuid(), $1::uuid, '', '', '', concat_ws('/', $1::text, n, $2::int), '', '', now() from generate_series(1, 2500) n`,
      id,
      slice,
    )
  return id
}

async function isErased(t: ExecutionContext, id: string): Promise<void> {
  await until('the end of the tenant', async () => (await tenants.deletion(id)).step === 'erased', 240_000)
  const left: string[] = []
  for (const table of await ownedTables(platform.dependencies.systemSql))
    if ((await rows(`select 1 from ${table} where tenant_id = $1 limit 1`, id)).length > 0) left.push(table)
  t.deepEqual(left, [])
  t.deepEqual(await rows('select 1 from tenants where id = $1', id), [])
  const entries = await rows(`select 1 from logs where type = 'TENANT_ERASE_SUCCESS' and metadata ->> 'id' = $1`, id)
  t.is(entries.length, 1)
  t.is((await tenants.deletion(id)).keysDestroyed, 2_000)
}

thoroughly('kill -9 of the worker at each step of a deletion: nothing of the tenant is left', async (t) => {
  const id = await large()
  t.is((await tenants.remove(id)).status, 202)
  for (const step of ['refused', 'keys', 'rows']) {
    await until(`the step ${step}`, async () => (await tenants.deletion(id)).step === step, 120_000)
    await restart()
  }
  await isErased(t, id)
})

thoroughly(
  'kill -9 of the worker between the answer and the start of a deletion: nothing of the tenant is left',
  async (t) => {
    const id = await large()
    platform.worker.pause()
    t.is((await tenants.remove(id)).status, 202)
    t.is((await rows('select 1 from outbox where object_id = $1 and started_at is null', id)).length, 1)
    await restart()
    await isErased(t, id)
  },
)
