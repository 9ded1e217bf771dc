import { randomBytes } from 'node:crypto'
import test from 'ava'
import { bootstrap } from '../../activities/administration/bootstrap.ts'
import { connect } from '../../entities/orm.ts'
import { roleUrl } from '../../entities/roles.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { connected } from '../support/stack/backup.ts'
import { openWorld, type World } from '../support/world.ts'

const asSuperuser = ({ superuserUrl }: World, text: string) => connected(superuserUrl, (client) => client.query(text))
const silent = () => undefined

test('a start with another master key than the database was set up with is refused, naming the variable', async (t) => {
  const world = await openWorld()
  t.teardown(() => world.close())
  const error = await t.throwsAsync(bootstrap({ ...world.config, masterKey: randomBytes(32) }, silent))
  t.regex(error?.message ?? '', /KEY_STORE_MASTER_KEY is not the one/)
  // as with Vault, where no row of a key tells it
  await asSuperuser(world, `alter table key_envelopes rename to put_away`)
  const { message } = (await t.throwsAsync(bootstrap({ ...world.config, masterKey: randomBytes(32) }, silent))) ?? {}
  t.regex(message ?? '', /KEY_STORE_MASTER_KEY is not the one/)
  await asSuperuser(world, `alter table put_away rename to key_envelopes`)
  // the roles have their passwords still: a running platform gets new connections
  const system = await connect(roleUrl(world.config.database.url, world.config.masterKey, 'system'), 1)
  await t.notThrowsAsync(system.em.getConnection().execute('select 1'))
  await system.close()
  const again = await bootstrap(world.config, silent)
  t.is(again.clientId, world.first.clientId)
  t.regex(await createDid(world), /^did:key:/)
})
