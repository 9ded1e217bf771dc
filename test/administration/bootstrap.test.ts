import { randomBytes } from 'node:crypto'
import test from 'ava'
import { bootstrap } from '../../activities/administration/bootstrap.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { openWorld } from '../support/world.ts'

const silent = () => undefined

test('a start with another master key than the database was set up with is refused, naming the variable', async (t) => {
  const world = await openWorld()
  t.teardown(() => world.close())
  const error = await t.throwsAsync(bootstrap({ ...world.config, masterKey: randomBytes(32) }, silent))
  t.regex(error?.message ?? '', /KEY_STORE_MASTER_KEY/)
  const again = await bootstrap(world.config, silent)
  t.is(again.clientId, world.first.clientId)
  t.regex(await createDid(world), /^did:key:/)
})
