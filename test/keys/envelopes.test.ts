import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { MikroORM } from '@mikro-orm/postgresql'
import anyTest, { type TestFn } from 'ava'
import { createEnvelopeRows } from '../../activities/keys/envelopes.ts'
import { KEY_TYPES, type KeyRef } from '../../activities/keys/index.ts'
import { createLocalKeyStore } from '../../activities/keys/local.ts'
import { dismissGuard } from '../../stack/parts/part.ts'
import { openDatabase, type TestDatabase } from '../support/parts/database.ts'
import { codeOf, newRef } from '../support/parts/keys.ts'

const masterKey = randomBytes(32)

const test = anyTest as TestFn<{ database: TestDatabase }>

test.before(async (t) => {
  t.context = { database: await openDatabase(masterKey) }
})

test.after.always(async ({ context: { database } }) => {
  await database.close()
  await dismissGuard()
})

interface Row {
  tenant_id: string
  key_id: string
  key_type: string
  public_key: Buffer
  envelope: Buffer
}

const sql = <Result extends object>(orm: MikroORM, text: string, values: unknown[] = []) =>
  orm.em.getConnection().execute<Result[]>(text, values)

test.serial('in PostgreSQL, as the fenced role, every type is made, used and deleted', async (t) => {
  const store = createLocalKeyStore({ envelopes: createEnvelopeRows(t.context.database.tenants), masterKey })
  t.teardown(() => store.close())
  for (const keyType of KEY_TYPES) {
    const ref = newRef(keyType)
    const { publicKey } = await store.create(ref)
    t.deepEqual(Buffer.from((await store.create(ref)).publicKey), Buffer.from(publicKey))
    t.deepEqual(Buffer.from(await store.publicKey(ref)), Buffer.from(publicKey))
    t.is(await codeOf(store.publicKey({ ...ref, tenantId: newRef(keyType).tenantId })), 'key.not_found')
    const rows = () => sql<Row>(t.context.database.system, 'select * from key_envelopes where key_id = ?', [ref.keyId])
    t.is((await rows()).length, 1)
    await store.delete(ref)
    await store.delete(ref)
    t.is((await rows()).length, 0)
    t.is(await codeOf(store.publicKey(ref)), 'key.not_found')
  }
})

test.serial('a key id that is taken, by another type or tenant, makes no second key', async (t) => {
  const store = createLocalKeyStore({ envelopes: createEnvelopeRows(t.context.database.tenants), masterKey })
  t.teardown(() => store.close())
  const ref = newRef('ed25519')
  await store.create(ref)
  t.is(await codeOf(store.create({ ...ref, keyType: 'p256' })), 'key.unsupported')
  t.is(await codeOf(store.create({ ...ref, tenantId: newRef('ed25519').tenantId })), 'key.unsupported')
  t.is(await codeOf(store.sign(ref, randomBytes(8))), 'none')
})

test.serial('of 100 envelopes moved to another row none opens', async (t) => {
  const { tenants, system } = t.context.database
  const store = createLocalKeyStore({ envelopes: createEnvelopeRows(tenants), masterKey, cacheSeconds: 0.001 })
  t.teardown(() => store.close())
  const { tenantId } = newRef('ed25519')
  const refs = Array.from({ length: 100 }, (_, n) => newRef('ed25519', n % 2 ? tenantId : undefined))
  await Promise.all(refs.map((ref) => store.create(ref)))
  const ids = refs.map(({ keyId }) => keyId)
  const rows = await sql<Row>(system, 'select * from key_envelopes where key_id = any(?)', [`{${ids.join(',')}}`])
  const of = new Map(rows.map((row) => [row.key_id, row]))
  const move = (to: KeyRef, from: KeyRef, columns: ('envelope' | 'public_key')[]) =>
    sql(system, `update key_envelopes set ${columns.map((column) => `${column} = ?`).join(', ')} where key_id = ?`, [
      ...columns.map((column) => of.get(from.keyId)?.[column]),
      to.keyId,
    ])
  await wait(5)
  const codes: string[] = []
  for (const [n, ref] of refs.entries()) {
    const from = refs[(n + (n % 3) + 1) % refs.length] ?? ref
    // with and without the public key, within a tenant and across tenants; then the public key alone
    await move(
      ref,
      from,
      [['envelope' as const], ['envelope' as const, 'public_key' as const], ['public_key' as const]][n % 3] ?? [],
    )
    codes.push(await codeOf(store.sign(ref, randomBytes(8))), await codeOf(store.publicKey(ref)))
    await move(ref, ref, ['envelope', 'public_key'])
    codes.push(await codeOf(store.sign(ref, randomBytes(8))))
    await wait(2)
  }
  t.is(codes.filter((code) => code === 'key.envelope_refused').length, 200)
  t.is(codes.filter((code) => code === 'none').length, 100)
})

test.serial('no private byte of 100 keys is in a full dump of the table', async (t) => {
  const { tenants, system } = t.context.database
  const drawn: Buffer[] = []
  const random = (size: number) => {
    const bytes = randomBytes(size)
    if (size === 32) drawn.push(Buffer.from(bytes)) // seeds and secrets; salts, which are public, are 32 bytes as well
    return bytes
  }
  const store = createLocalKeyStore({ envelopes: createEnvelopeRows(tenants), masterKey, random })
  t.teardown(() => store.close())
  const refs = Array.from({ length: 100 }, (_, n) => newRef(n % 2 ? 'ed25519' : 'x25519'))
  for (const ref of refs) await store.create(ref)
  const rows = await sql<Row>(system, 'select * from key_envelopes')
  const dump = JSON.stringify(
    rows.map((row) => ({ ...row, e: row.envelope.toString('hex'), p: row.public_key.toString('hex') })),
  )
  const raw = Buffer.concat(rows.flatMap((row) => [row.envelope, row.public_key]))
  const found = drawn.filter((bytes) => raw.includes(bytes) || dump.includes(bytes.toString('hex')))
  t.is(drawn.length, 200)
  t.is(found.length, 100, 'the salts, and nothing else')
  t.false(raw.includes(masterKey))
  t.false(/PRIVATE KEY|"d":/.test(dump))
})
