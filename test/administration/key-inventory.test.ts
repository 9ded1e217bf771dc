import { randomUUID } from 'node:crypto'
import test from 'ava'
import { pino } from 'pino'
import { createKeyInventory } from '../../activities/administration/key-inventory.ts'
import { storeName } from '../../activities/keys/reference.ts'
import { PLATFORM_TENANT } from '../../activities/keys/rotating.ts'
import { connect } from '../../entities/orm.ts'
import { Unavailable } from '../../protocol/errors.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const asSuperuser = async (text: string): Promise<void> => {
  const orm = await connect(world.superuserUrl, 1)
  await orm.em.getConnection().execute(text)
  await orm.close()
}

interface Line {
  msg: string
  name?: string
  did?: string
}

/** The inventory, and what it logs. */
function inventory(changes: Partial<Parameters<typeof createKeyInventory>[0]> = {}) {
  const lines: Line[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line) as Line) })
  return { lines, ...createKeyInventory({ ...world.dependencies, log, ...changes }) }
}

test.serial('where nothing was restored, every key has its row and every row its key', async (t) => {
  await createDid(world)
  await createDid(world, 'bls12381g2')
  t.deepEqual(await inventory().compareKeys(), { withoutRow: [], withoutKey: [] })
})

test.serial(
  'after a restore the keys are compared once, by themselves; while the store is away, later (D-188)',
  async (t) => {
    const did = await createDid(world)
    const orphan = { tenantId: world.first.tenantId, keyId: randomUUID(), keyType: 'ed25519' } as const
    await world.dependencies.keys.create(orphan)
    await asSuperuser(
      `delete from key_envelopes where key_id = (select k.id from keys k join dids d on d.id = k.did_id where d.did = '${did}')`,
    )

    const before = inventory()
    await before.compareRestoredKeys()
    t.deepEqual(before.lines, [], 'nothing was restored')

    await world.dependencies.epoch.restored()
    const away = inventory({
      keys: { ...world.dependencies.keys, names: () => Promise.reject(new Unavailable('keys', 'sealed')) },
    })
    await away.compareRestoredKeys()
    t.deepEqual(
      away.lines.map(({ msg }) => msg),
      ['the keys of a restored database could not be compared yet'],
    )

    const after = inventory()
    await after.compareRestoredKeys()
    t.deepEqual(
      after.lines.map(({ msg, name, did: of }) => [msg, name ?? of]),
      [
        ['the key store has a key that no row names', storeName(orphan)],
        ['the key store lacks a key of this DID', did],
      ],
    )
    await after.compareRestoredKeys()
    t.is(after.lines.length, 2, 'once')
    t.truthy(await world.dependencies.keys.publicKey(orphan), 'nobody destroys it')
  },
)

test.serial('a key of the platform that the store lacks is told with what it signs', async (t) => {
  const rows = await world.dependencies.systemSql.query<{ id: string }>({
    text: 'select id from webhook_keys',
    values: [],
  })
  const [{ id: keyId } = { id: '' }] = rows.rows
  await world.dependencies.keys.delete({ tenantId: PLATFORM_TENANT, keyId, keyType: 'ed25519' })
  const { withoutKey } = await inventory().compareKeys()
  t.deepEqual(
    withoutKey.filter(({ tenantId }) => tenantId === PLATFORM_TENANT),
    [{ keyId, tenantId: PLATFORM_TENANT, keyType: 'ed25519', did: 'webhooks' }],
  )
  await world.dependencies.epoch.restored()
  const { lines, compareRestoredKeys } = inventory()
  await compareRestoredKeys()
  t.true(lines.some(({ msg }) => msg === 'the key store lacks a key of the platform'))
})
