import test from 'ava'
import { connect } from '../../../entities/orm.ts'
import { until } from '../../support/credentials/dids.ts'
import { type Database, openDatabase } from '../../support/privacy/erasures.ts'
import { addNewTenant, addSessionOf, keepFor } from '../../support/privacy/retention.ts'
import { openWorld, type World } from '../../support/world.ts'

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

const reasonOf = (error: unknown): string => `${error} ${error instanceof Error ? reasonOf(error.cause) : ''}`

test.serial(
  'a tenant whose erasing fails each time holds up no other one, and the pass fails with its id',
  async (t) => {
    const tenants = [await addNewTenant(world), await addNewTenant(world)].sort((a, b) =>
      a.tenantId < b.tenantId ? -1 : 1,
    )
    const [broken, other] = tenants as [(typeof tenants)[0], (typeof tenants)[0]]
    const gone = await addSessionOf(database, other, null, 50)
    for (const { token } of tenants) await keepFor(world, token, { endedSessionsDays: 7 })
    const owner = await connect(world.config.database.url, 1)
    await owner.em.execute(`create function refuse_pass() returns trigger language plpgsql as $$ begin raise exception 'a fault of one tenant'; end $$;
    create trigger refuse_pass before update on privacy_retentions for each row when (new.tenant_id = '${broken.tenantId}')
      execute function refuse_pass()`)
    try {
      await world.dependencies.temporal.client.schedule.getHandle('erase-expired').trigger()
      await until(
        'the pass',
        async () => !((await database.rows('select 1 from openid_sessions where id = $1', gone)).length > 0),
        120_000,
      )
      const failure = async () => {
        for await (const { workflowId, runId } of world.dependencies.temporal.client.workflow.list({
          query: `WorkflowType = 'eraseExpired' and ExecutionStatus = 'Failed'`,
        }))
          return world.dependencies.temporal.client.workflow.getHandle(workflowId, runId).result().catch(reasonOf)
        return undefined
      }
      await until('the end', async () => (await failure()) !== undefined, 60_000)
      t.regex((await failure()) ?? '', new RegExp(`not erased of: ${broken.tenantId}`))
    } finally {
      await owner.em.execute('drop trigger refuse_pass on privacy_retentions; drop function refuse_pass()')
      await owner.close()
    }
  },
)
