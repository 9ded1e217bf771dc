import test from 'ava'
import { createDid } from '../../support/credentials/credentials.ts'
import { until } from '../../support/credentials/dids.ts'
import { publishesAnew } from '../../support/credentials/status-lists.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  const temporalSettings = ['limit.historyCount.suggestContinueAsNew=40']
  world = await openWorld({ workflows: true, env: { STATUS_WINDOW_SECONDS: '1' }, temporalSettings })
})
test.after.always(() => world?.close())

test('before its history grows long, the run of the windows continues as another one, which publishes too', async (t) => {
  const { dependencies } = world
  const runs = async () => {
    const names: string[] = []
    for await (const { status } of dependencies.temporal.client.workflow.list({
      query: `WorkflowType = 'publishStatusLists'`,
    }))
      names.push(status.name)
    return names
  }
  const names = await until('three runs', async () => {
    const seen = await runs()
    return seen.length >= 3 && seen.includes('RUNNING') && seen
  })
  t.deepEqual([...new Set(names)].toSorted(), ['CONTINUED_AS_NEW', 'RUNNING'])
  t.is(names.filter((name) => name === 'RUNNING').length, 1)
  t.true(await publishesAnew(world, await createDid(world)))
})
