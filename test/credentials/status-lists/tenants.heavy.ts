import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { addPublishedLists, markChanged } from '../../support/credentials/status-lists.ts'
import { addTenant } from '../../support/frame/tenants.ts'
import { openProcesses, type Processes } from '../../support/parts/processes.ts'
import { send } from '../../support/world.ts'

const TENANTS = 50
const WINDOW_SECONDS = 10
/** Entries of each list that are set. */
const SET = 10

interface Owner {
  tenantId: string
  did: string
}

let platform: Processes
let owners: Owner[]
test.before(async () => {
  platform = await openProcesses({ STATUS_WINDOW_SECONDS: String(WINDOW_SECONDS) }, { durable: true })
  owners = []
  for (let tenant = 0; tenant < TENANTS; tenant += 1) owners.push(await addOwner())
})
test.after.always(() => platform?.close())

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await platform.dependencies.systemSql.query<Row>({ text, values })).rows

async function addOwner(): Promise<Owner> {
  const { tenantId, clientId, clientSecret } = await addTenant(platform.dependencies.systemSql)
  const body = { clientId, clientSecret, grantType: 'client_credentials' }
  const token = (await send(`${platform.url}/v1/auth/token`, { body })).json<{ access_token: string }>().access_token
  const created = await send(`${platform.url}/v1/dids`, {
    token,
    body: { method: 'KEY', options: { keyType: 'ed25519' } },
  })
  return { tenantId, did: created.json<{ did: string }>().did }
}

/** Lists with revoked entries that nobody published yet. */
async function changedLists(owner: Owner, count: number): Promise<string[]> {
  const { systemSql } = platform.dependencies
  const lists = await addPublishedLists(systemSql, count, owner)
  await query(
    `insert into credentials (id, tenant_id, did_id, credential, proof_type, types, issuance_date, status_list_id,
      status_index, revoked)
     select gen_random_uuid(), l.tenant_id, l.did_id, '{}', l.proof_type, '{}', now(), l.id, entry * 13007, true
     from status_lists l cross join generate_series(0, $2 - 1) as entry where l.id = any($1)`,
    [lists, SET],
  )
  return lists
}

interface Wait {
  waiting: number
  published: number
  /** From the first change to the last signature, and from the first signature to the last. */
  seconds: number | null
  working: number | null
}

/** Waits until all are published; how long it took by the database's clock. */
async function published(lists: string[], since: Date) {
  for (;;) {
    const [state] = await query<Wait>(
      `select (count(*) filter (where changed_since is not null))::int as waiting,
        (count(*) filter (where changed_since is null))::int as published,
        extract(epoch from max(signed_at) - $2)::float8 as seconds,
        extract(epoch from max(signed_at) - min(signed_at))::float8 as working
       from status_lists where id = any($1)`,
      [lists, since],
    )
    if (state?.waiting === 0) return state
    if (Date.now() - since.getTime() > 10 * 60_000) throw new Error(`${state?.waiting} lists were never published`)
    await wait(100)
  }
}

test.serial('1,000 changed lists of 50 tenants are published within a window and 5 s', async (t) => {
  const lists = (await Promise.all(owners.map((owner) => changedLists(owner, 20)))).flat()
  t.is(lists.length, 1_000)
  const since = new Date()
  await markChanged(platform.dependencies.systemSql, lists)
  const { seconds, working } = await published(lists, since)
  t.log({ lists: lists.length, tenants: TENANTS, seconds, working, perSecond: lists.length / (working ?? 1) })
  t.true((seconds ?? 0) <= WINDOW_SECONDS + 5, `${seconds} s`)
})

test.serial(
  'a tenant with 5,000 changed lists holds up nobody’s one: 49 are published within a window and 5 s',
  async (t) => {
    const [large, ...small] = owners
    if (!large) throw new Error('no owner')
    const [many, singles] = [
      await changedLists(large, 5_000),
      (await Promise.all(small.map((owner) => changedLists(owner, 1)))).flat(),
    ]
    const since = new Date()
    await markChanged(platform.dependencies.systemSql, many)
    await wait(50)
    await markChanged(platform.dependencies.systemSql, singles)
    const [ofMany, ofSingles] = await Promise.all([published(many, since), published(singles, since)])
    t.log({ many: many.length, ofMany, singles: singles.length, ofSingles })
    t.true((ofSingles.seconds ?? 0) <= WINDOW_SECONDS + 5, `${ofSingles.seconds} s`)
  },
)
