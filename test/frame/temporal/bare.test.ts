import { randomBytes, randomUUID } from 'node:crypto'
import test from 'ava'
import { connectTemporal } from '../../../activities/frame/temporal/index.ts'
import { registerSearchAttributes } from '../../../activities/frame/temporal/registration.ts'
import { codeOf } from '../../support/parts/keys.ts'
import { openTemporal, type TestTemporal } from '../../support/parts/temporal.ts'

const masterKey = randomBytes(32)
let world: TestTemporal
test.before(async () => {
  world = await openTemporal(masterKey)
})
test.after.always(() => world?.close())

const start = (temporal: Pick<TestTemporal['temporal'], 'startWorkflow'>) => {
  const objectId = randomUUID()
  const workflowId = `bare/${objectId}`
  const subject = { tenantId: randomUUID(), area: 'dids', objectId, summary: 'Test' }
  return temporal.startWorkflow({ ...subject, workflowType: 'tick', workflowId, payload: {} })
}

test.serial('a Temporal that lost its database is away until search attributes are registered again', async (t) => {
  t.is(await codeOf(start(world.temporal)), 'unavailable')
  await registerSearchAttributes(world.temporal)
  t.is(await start(world.temporal), 'started')
})

test.serial('and so is one that does not know the namespace', async (t) => {
  const temporal = { ...world.config.temporal, namespace: 'not-there-yet' }
  const client = connectTemporal({ temporal, masterKey })
  t.teardown(() => client.close())
  t.is(await codeOf(start(client)), 'unavailable')
})
