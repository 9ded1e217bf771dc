import { randomUUID } from 'node:crypto'
import test from 'ava'
import { type Logs, logsOf } from '../../support/log-chain.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let logs: Logs
test.before(async () => {
  world = await openWorld({ env: { LOG_LEVEL: 'error' } })
  logs = logsOf(world)
})
test.after.always(() => world?.close())

/** A tenant with ten entries that are chained and signed. */
async function tenant() {
  const made = await logs.tenantWith(10)
  await logs.settle()
  await logs.sign()
  return made
}

test.serial('an entry that stands beside the chain is found', async (t) => {
  const { tenantId, token } = await tenant()
  const id = randomUUID()
  await logs.attack(
    `insert into logs (id, tenant_id, category, type, timestamp, request_id, data, metadata)
     values ($1, $2, 'did', 'DID_DELETE_SUCCESS', '2020-01-01', gen_random_uuid(), '{}', '{}')`,
    [id, tenantId],
  )
  t.deepEqual((await logs.verify(token)).fault, { kind: 'unchained', position: null, id })
})

test.serial(
  'a check from a place looks beside the chain since the entry of that place, and each part of it once',
  async (t) => {
    const { tenantId, token } = await tenant()
    await logs.attack(
      `insert into logs (id, tenant_id, category, type, timestamp, request_id, data, metadata)
     select gen_random_uuid(), l.tenant_id, l.category, l.type, l.timestamp + interval '1 microsecond', gen_random_uuid(), '{}', '{}'
     from log_chain c join logs l on l.id = c.entry_id where c.tenant_id = $1 and c.position = 3`,
      [tenantId],
    )
    const kindFrom = async (from: number) => (await logs.verify(token, { from })).fault?.kind
    t.deepEqual([await kindFrom(1), await kindFrom(5)], ['unchained', undefined])
  },
)
