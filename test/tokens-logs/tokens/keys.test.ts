import { randomBytes, randomUUID } from 'node:crypto'
import test from 'ava'
import type { KeyRef } from '../../../activities/keys/index.ts'
import { unknownKey } from '../../../activities/keys/reference.ts'
import { createTokenKeyRotation, createTokenKeys } from '../../../activities/tokens-logs/keys.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import { openDatabase, type TestDatabase } from '../../support/parts/database.ts'
import { connected } from '../../support/stack/backup.ts'

let database: TestDatabase
test.before(async () => {
  database = await openDatabase(randomBytes(32))
})
test.after.always(() => database?.close())
test.afterEach.always(() => run('delete from platform_keys; delete from unlisted_keys'))

const run = (text: string) => connected(database.superuserUrl, (client) => client.query(text))

/** As if all keys had been made so much earlier. */
const age = (interval: string) => run(`update platform_keys set created_at = created_at - interval '${interval}'`)

const stored = async () => {
  const { rows } = await database.systemSql.query<{ id: string }>({
    text: 'select id from platform_keys order by created_at',
    values: [],
  })
  return rows.map(({ id }) => id)
}

/** Changes of keys, beside a key store that holds what is named in `held`. */
function rotation(tokenKeyDays = 90) {
  const held = new Set<string>()
  /** Called before each deletion, and after each creation. */
  const faults: Partial<Record<'create' | 'delete', () => void>> = {}
  const keys = {
    async create({ keyId }: KeyRef) {
      held.add(keyId)
      faults.create?.()
      return { publicKey: randomBytes(32), custody: 'software' as const }
    },
    async delete({ keyId }: KeyRef) {
      faults.delete?.()
      held.delete(keyId)
    },
  }
  return { held, faults, ...createTokenKeyRotation({ systemSql: database.systemSql, keys, config: { tokenKeyDays } }) }
}

const tokenKeys = () => createTokenKeys({ systemSql: database.systemSql, now: () => new Date() })

test.serial('a platform gets its first key once, and further ones when they are asked for, each once', async (t) => {
  const { held, ensureTokenKey, addTokenKey } = rotation()
  const [first, second] = [randomUUID(), randomUUID()]
  await t.throwsAsync(tokenKeys().current(), { message: /^There is no token key yet/ })
  await ensureTokenKey(first)
  await ensureTokenKey(randomUUID())
  t.deepEqual(await stored(), [first])
  await addTokenKey(second)
  await addTokenKey(second)
  t.deepEqual(await stored(), [first, second])
  t.deepEqual([...held], [first, second])
})

test.serial('a new key signs ten minutes after it was published (D-142)', async (t) => {
  const { addTokenKey } = rotation()
  const [first, second] = [randomUUID(), randomUUID()]
  await addTokenKey(first)
  t.is((await tokenKeys().current()).signing.keyId, first, 'the first of all at once')
  await age('1 minute')
  await addTokenKey(second)
  t.is((await tokenKeys().current()).signing.keyId, first)
  await age('9 minutes 30 seconds')
  t.is((await tokenKeys().current()).signing.keyId, first)
  await age('1 minute')
  t.is((await tokenKeys().current()).signing.keyId, second)
})

test.serial('a key is replaced with all that it signed: no other is left, here or in the key store', async (t) => {
  const { held, addTokenKey, replaceTokenKeys } = rotation()
  const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()]
  await addTokenKey(first)
  await addTokenKey(second)
  await replaceTokenKeys(third)
  t.deepEqual(await stored(), [third])
  t.deepEqual([...held], [third])
})

test.serial('a key goes 25 hours after its successor came, in the store too, and not before (D-142)', async (t) => {
  const { held, addTokenKey, rotateTokenKeys } = rotation()
  const [first, second] = [randomUUID(), randomUUID()]
  await addTokenKey(first)
  await age('1 hour')
  await addTokenKey(second)
  await age('24 hours 50 minutes')
  t.deepEqual(await rotateTokenKeys({ keyId: randomUUID() }), { added: 0, removed: 0 })
  await age('15 minutes')
  t.deepEqual(await rotateTokenKeys({ keyId: randomUUID() }), { added: 0, removed: 1 })
  t.deepEqual([await stored(), [...held]], [[second], [second]])
})

test.serial('a key gets a successor when it is as old as configured, and none where 0 is (D-142)', async (t) => {
  const first = randomUUID()
  await rotation().addTokenKey(first)
  const rotate = (days: number, keyId: string) => rotation(days).rotateTokenKeys({ keyId })
  await age('23 hours')
  t.deepEqual(await rotate(1, randomUUID()), { added: 0, removed: 0 })
  await age('2 hours')
  t.deepEqual(await rotate(0, randomUUID()), { added: 0, removed: 0 })
  const second = randomUUID()
  t.deepEqual(await rotate(1, second), { added: 1, removed: 0 })
  t.deepEqual(await rotate(1, second), { added: 0, removed: 0 })
  t.deepEqual(await stored(), [first, second])
})

const away = () => {
  throw new Unavailable('keys', 'sealed')
}

test.serial(
  'keys that were replaced while the key store was away are trusted no more, and a repetition destroys them',
  async (t) => {
    for (const repeat of ['replace', 'rotate'] as const) {
      const { held, faults, addTokenKey, replaceTokenKeys, rotateTokenKeys } = rotation()
      for (const id of [randomUUID(), randomUUID()]) await addTokenKey(id)
      const [third, fourth] = [randomUUID(), randomUUID()]
      faults.delete = away
      await t.throwsAsync(replaceTokenKeys(third), { instanceOf: Unavailable })
      t.deepEqual((await tokenKeys().current()).keySet.keys.length, 1)
      t.deepEqual(await stored(), [third])
      t.is(held.size, 3)
      delete faults.delete
      if (repeat === 'replace') await replaceTokenKeys(fourth)
      else await rotateTokenKeys({ keyId: fourth })
      const last = repeat === 'replace' ? fourth : third
      t.deepEqual([await stored(), [...held]], [[last], [last]])
      await run('delete from platform_keys')
    }
  },
)

test.serial('a key that was made for a row that was never written is destroyed, after ten minutes', async (t) => {
  const { held, faults, addTokenKey, rotateTokenKeys } = rotation()
  const [first, second] = [randomUUID(), randomUUID()]
  await addTokenKey(first)
  faults.create = away // as if the process had ended here
  await t.throwsAsync(addTokenKey(second), { instanceOf: Unavailable })
  delete faults.create
  await rotateTokenKeys({ keyId: randomUUID() })
  t.deepEqual([...held], [first, second], 'somebody may be about to write the row')
  await run(`update unlisted_keys set created_at = created_at - interval '11 minutes'`)
  await rotateTokenKeys({ keyId: randomUUID() })
  t.deepEqual([await stored(), [...held]], [[first], [first]])
  await addTokenKey(second)
  t.deepEqual(
    [await stored(), [...held]],
    [
      [first, second],
      [first, second],
    ],
  )
})

test.serial(
  'a signing key that the key store has lost is a fault of the key store, and read anew before',
  async (t) => {
    const { addTokenKey } = rotation()
    await addTokenKey(randomUUID())
    const keys = tokenKeys()
    let asked = 0
    const sign = () => {
      asked += 1
      return Promise.reject(unknownKey())
    }
    const error = await t.throwsAsync(keys.signWith(sign), { instanceOf: Unavailable })
    t.deepEqual([asked, error?.part], [2, 'keys'])
  },
)
