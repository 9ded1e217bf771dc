import test from 'ava'
import { type Logs, logsOf } from '../../support/log-chain.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let logs: Logs
test.before(async () => {
  world = await openWorld()
  logs = logsOf(world)
})
test.after.always(() => world?.close())

/** Entries up to a place become so much older, as if the platform had written them then. */
const age = (tenantId: string, position: number, days: number) =>
  logs.attack(
    `update log_chain set chained_at = chained_at - make_interval(days => $3) where tenant_id = $1 and position <= $2`,
    [tenantId, position, days],
  )

const remove = () => logs.activitiesAt(new Date()).removeOldLogEntries({ keyId: world.dependencies.uuid() })

test('a tenant whose entries cannot be removed holds up no other one; they are removed slice by slice along an index', async (t) => {
  const [one, two] = [await logs.tenantWith(8), await logs.tenantWith(8)]
  await logs.settle()
  for (const { tenantId } of [one, two]) {
    await logs.attack('update tenants set log_retention_days = 10 where id = $1', [tenantId])
    await age(tenantId, 6, 11)
  }
  const [first, second] = [one, two].toSorted((a, b) => (a.tenantId < b.tenantId ? -1 : 1))
  if (!first || !second) throw new Error('there are two')
  for (const text of [
    'create table removals (statement text, plans text)',
    `create function watch_removal() returns trigger language plpgsql security definer as $$ begin
        insert into removals values (current_query(), current_setting('enable_hashjoin') || current_setting('enable_seqscan'));
        return null; end $$`,
    'create trigger watch_removal after delete on logs for each statement execute function watch_removal()',
    'create trigger watch_removal after delete on log_chain for each statement execute function watch_removal()',
    `create function stop_removal() returns trigger language plpgsql as $$ begin raise 'stopped'; end $$`,
    `create trigger stop_removal before delete on logs for each row when (old.tenant_id = '${first.tenantId}')
       execute function stop_removal()`,
  ])
    await logs.attack(text)
  await t.throwsAsync(remove(), { message: new RegExp(first.tenantId) })
  const count = 'select count(*)::int from log_chain where tenant_id = $1'
  t.deepEqual(await logs.ask(count, [first.tenantId]), [{ count: 8 }])
  t.deepEqual(await logs.ask(count, [second.tenantId]), [{ count: 2 }])
  const removals = await logs.attack('select statement, plans from removals')
  t.is(removals.length, 2)
  for (const { statement, plans } of removals) {
    t.is(plans, 'offoff')
    t.regex(statement, /position > /, 'what is below was removed before')
  }
  await logs.attack('drop function stop_removal cascade')
  await logs.attack('drop function watch_removal cascade')
  await logs.attack('drop table removals')
  t.deepEqual(await remove(), { removed: 0, broken: 0 })
  t.deepEqual(await logs.ask(count, [first.tenantId]), [{ count: 2 }], 'what the pass before had left')
})
