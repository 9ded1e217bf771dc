import { randomBytes } from 'node:crypto'
import { KEY_TYPES } from '../../activities/keys/index.ts'
import { openContract } from '../support/parts/key-contract.ts'
import { codeOf, newRef } from '../support/parts/keys.ts'

const contract = openContract()

const SIZES = { ed25519: 32, p256: 33, p384: 49, bls12381g2: 96, x25519: 32 }
const SIGNING: readonly string[] = ['ed25519', 'p256', 'p384']

contract('a second creation of a key id answers the key that is there', async (t, store) => {
  for (const keyType of KEY_TYPES) {
    const ref = newRef(keyType)
    const made = await store.create(ref)
    t.is(made.publicKey.length, SIZES[keyType])
    const hardened = store.name === 'vault' && SIGNING.includes(keyType)
    t.is(made.custody, hardened ? 'hardened' : 'software')
    const again = await Promise.all(Array.from({ length: 10 }, () => store.create(ref)))
    for (const { publicKey } of again) t.deepEqual(Buffer.from(publicKey), Buffer.from(made.publicKey))
    t.deepEqual(Buffer.from(await store.publicKey(ref)), Buffer.from(made.publicKey))
  }
})

contract('ten creations of one key id at once make one key', async (t, store) => {
  for (const keyType of ['ed25519', 'x25519'] as const) {
    const ref = newRef(keyType)
    const made = await Promise.all(Array.from({ length: 10 }, () => store.create(ref)))
    t.is(new Set(made.map(({ publicKey }) => Buffer.from(publicKey).toString('hex'))).size, 1)
  }
})

contract('a deleted key does nothing any more, and a second delete is no error', async (t, store) => {
  for (const keyType of KEY_TYPES) {
    const ref = newRef(keyType)
    await store.create(ref)
    if (SIGNING.includes(keyType)) await store.sign(ref, randomBytes(8))
    await store.delete(ref)
    await store.delete(ref)
    t.is(await codeOf(store.publicKey(ref)), 'key.not_found')
    if (SIGNING.includes(keyType)) t.is(await codeOf(store.sign(ref, randomBytes(8))), 'key.not_found')
    if (keyType === 'x25519') t.is(await codeOf(store.agree(ref, randomBytes(32))), 'key.not_found')
    if (keyType === 'bls12381g2') {
      t.is(await codeOf(store.bbsSign(ref, { header: new Uint8Array(0), messages: [] })), 'key.not_found')
    }
  }
})

contract('a key does only what its type can', async (t, store) => {
  for (const keyType of KEY_TYPES) {
    const ref = newRef(keyType)
    await store.create(ref)
    if (!SIGNING.includes(keyType)) t.is(await codeOf(store.sign(ref, randomBytes(8))), 'key.unsupported')
    if (keyType === 'bls12381g2') t.is(await codeOf(store.agree(ref, randomBytes(32))), 'key.unsupported')
    if (keyType !== 'bls12381g2') {
      t.is(await codeOf(store.bbsSign(ref, { header: new Uint8Array(0), messages: [] })), 'key.unsupported')
    }
  }
})

contract('a key is found by its own tenant, id and type together alone', async (t, store) => {
  const ref = newRef('ed25519')
  await store.create(ref)
  const { tenantId } = newRef('ed25519')
  t.is(await codeOf(store.sign({ ...ref, tenantId }, randomBytes(8))), 'key.not_found')
  t.is(await codeOf(store.sign({ ...ref, keyType: 'p256' }, randomBytes(8))), 'key.not_found')
  t.is(await codeOf(store.publicKey({ ...ref, keyType: 'x25519' })), 'key.not_found')
  await store.delete({ ...ref, tenantId })
  t.is(await codeOf(store.sign(ref, randomBytes(8))), 'none')
})

const HOSTILE = [
  '',
  '../../sys/seal',
  't1/../t2',
  '?help=1',
  '#',
  '%2e%2e%2f',
  "'; drop table keys; --",
  'ü'.repeat(40),
]

contract('only UUIDs name a key: no other text reaches a path or a row', async (t, store) => {
  const { tenantId, keyId } = newRef('ed25519')
  for (const text of [...HOSTILE, `${keyId}/x`, keyId.toUpperCase(), `${keyId}\n`]) {
    for (const ref of [
      { tenantId, keyId: text, keyType: 'ed25519' as const },
      { tenantId: text, keyId, keyType: 'x25519' as const },
    ]) {
      t.is(await codeOf(store.create(ref)), 'key.invalid_reference', text)
      t.is(await codeOf(store.publicKey(ref)), 'key.invalid_reference', text)
      t.is(await codeOf(store.delete(ref)), 'key.invalid_reference', text)
    }
  }
  await t.notThrowsAsync(store.ready())
})
