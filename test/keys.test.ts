import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { fromRaw } from '@digitalbazaar/bls12-381-multikey'
import { ed25519, x25519 } from '@noble/curves/ed25519.js'
import { p256 } from '@noble/curves/nist.js'
import anyTest, { type ExecutionContext, type TestFn } from 'ava'
import { KEY_TYPES, type KeyStore } from '../activities/keys/index.ts'
import { createLocalKeyStore } from '../activities/keys/local.ts'
import { createVaultKeyStore } from '../activities/keys/vault.ts'
import { dismissGuard } from '../stack/part.ts'
import type { Vault } from '../stack/vault.ts'
import { codeOf, memoryEnvelopes, newRef } from './support/keys.ts'
import { createAppRole, openVault, vaultBinary, vaultConfig } from './support/vault.ts'

/** One contract, held against both stores; the Vault is a real one, and our token has the documented policy alone. */
const test = anyTest as TestFn<{ stores: Record<'local' | 'vault', KeyStore>; vault?: Vault }>

test.before(async (t) => {
  const local = createLocalKeyStore({ envelopes: memoryEnvelopes(), masterKey: randomBytes(32) })
  if (vaultBinary === undefined) {
    t.context = { stores: { local, vault: local } }
    return
  }
  const vault = await openVault()
  const config = vaultConfig(vault, await createAppRole(vault))
  t.context = { stores: { local, vault: createVaultKeyStore(config) }, vault }
})

test.after.always(async ({ context: { stores, vault } }) => {
  await Promise.all([stores.local.close(), stores.vault.close()])
  await vault?.stop()
  await dismissGuard()
})

type Context = ExecutionContext<{ stores: Record<'local' | 'vault', KeyStore>; vault?: Vault }>

function contract(promise: string, holds: (t: Context, store: KeyStore) => Promise<void>): void {
  test.serial(`local: ${promise}`, (t) => holds(t, t.context.stores.local))
  const onVault = vaultBinary === undefined ? test.skip : test.serial
  onVault(`vault: ${promise}`, (t) => holds(t, t.context.stores.vault))
}

const SIZES = { ed25519: 32, p256: 33, bls12381g2: 96, x25519: 32 }

contract('a second creation of a key id answers the key that is there (issue 3, Keys)', async (t, store) => {
  for (const keyType of KEY_TYPES) {
    const ref = newRef(keyType)
    const made = await store.create(ref)
    t.is(made.publicKey.length, SIZES[keyType])
    const hardened = store.name === 'vault' && (keyType === 'ed25519' || keyType === 'p256')
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

contract('Ed25519 signatures verify in two other implementations (RFC 8032)', async (t, store) => {
  const ref = newRef('ed25519')
  const { publicKey } = await store.create(ref)
  for (const data of [new Uint8Array(0), randomBytes(64), randomBytes(100_000)]) {
    const signature = await store.sign(ref, data)
    t.is(signature.length, 64)
    const x = Buffer.from(publicKey).toString('base64url')
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    t.true(verify(null, data, key, signature))
    t.true(ed25519.verify(signature, data, publicKey))
    t.false(ed25519.verify(signature, Buffer.concat([data, Buffer.from([0])]), publicKey))
  }
})

contract(
  'P-256 signatures are r‖s over SHA-256 and verify in two other implementations (FIPS 186-5)',
  async (t, store) => {
    const ref = newRef('p256')
    const { publicKey } = await store.create(ref)
    for (const data of [new Uint8Array(0), randomBytes(64), randomBytes(100_000)]) {
      const signature = await store.sign(ref, data)
      t.is(signature.length, 64)
      const point = p256.Point.fromBytes(publicKey).toBytes(false)
      const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => Buffer.from(part).toString('base64url'))
      const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
      t.true(verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature))
      const digest = createHash('sha256').update(data).digest()
      t.true(p256.verify(signature, digest, publicKey, { prehash: false, lowS: false }))
    }
  },
)

contract('an X25519 agreement is the one that the other side computes (RFC 7748, 6.1)', async (t, store) => {
  const ref = newRef('x25519')
  const { publicKey } = await store.create(ref)
  const peer = x25519.keygen()
  t.deepEqual(
    Buffer.from(await store.agree(ref, peer.publicKey)),
    Buffer.from(x25519.getSharedSecret(peer.secretKey, publicKey)),
  )
})

contract('an Ed25519 key agrees in its Montgomery form, or says that its store cannot', async (t, store) => {
  const ref = newRef('ed25519')
  const { publicKey } = await store.create(ref)
  const peer = x25519.keygen()
  if (store.name === 'vault') {
    t.is(await codeOf(store.agree(ref, peer.publicKey)), 'key.agreement_unsupported')
    return
  }
  const theirs = x25519.getSharedSecret(peer.secretKey, ed25519.utils.toMontgomery(publicKey))
  t.deepEqual(Buffer.from(await store.agree(ref, peer.publicKey)), Buffer.from(theirs))
})

/** u-coordinates of the points of order 1, 2, 4 and 8, and their non-canonical forms (RFC 7748, 6.1; Curve25519 paper). */
const SMALL_ORDER = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]

contract('a peer key that would make an all-zero secret is refused (RFC 7748, 6.1)', async (t, store) => {
  const ref = newRef('x25519')
  await store.create(ref)
  for (const point of SMALL_ORDER) {
    t.is(await codeOf(store.agree(ref, Buffer.from(point, 'hex'))), 'key.agreement_refused', point)
  }
  for (const length of [0, 31, 33]) {
    t.is(await codeOf(store.agree(ref, randomBytes(length))), 'key.agreement_refused')
  }
})

contract(
  'a BBS signature proves any disclosure, and no changed message (draft-irtf-cfrg-bbs-signatures)',
  async (t, store) => {
    const ref = newRef('bls12381g2')
    const { publicKey } = await store.create(ref)
    const header = randomBytes(32)
    const messages = [randomBytes(16), randomBytes(1_000), randomBytes(1)]
    const signature = await store.bbsSign(ref, { header, messages })
    t.is(signature.length, 80)
    const pair = await fromRaw({ algorithm: 'BBS-BLS12-381-SHA-256', publicKey })
    const presentationHeader = randomBytes(8)
    const disclosed = { signature, header, messages, presentationHeader, disclosedMessageIndexes: [0, 1, 2] }
    const proof = await pair.deriveProof(disclosed)
    const verifier = pair.verifier()
    t.true(await verifier.multiverify({ proof, header, presentationHeader, messages }))
    const changed = [randomBytes(16), ...messages.slice(1)]
    t.false(await verifier.multiverify({ proof, header, presentationHeader, messages: changed }))
  },
)

contract('BBS signatures leave the event loop free (issue 3, Web semantic credentials)', async (t, store) => {
  const ref = newRef('bls12381g2')
  await store.create(ref)
  const input = { header: randomBytes(32), messages: Array.from({ length: 20 }, () => randomBytes(32)) }
  await store.bbsSign(ref, input)
  const before = performance.eventLoopUtilization()
  await Promise.all(Array.from({ length: 10 }, () => store.bbsSign(ref, input)))
  t.true(performance.eventLoopUtilization(before).utilization < 0.5)
})

contract('a deleted key does nothing any more, and a second delete is no error (pitfall R11)', async (t, store) => {
  for (const keyType of KEY_TYPES) {
    const ref = newRef(keyType)
    await store.create(ref)
    if (keyType === 'ed25519' || keyType === 'p256') await store.sign(ref, randomBytes(8))
    await store.delete(ref)
    await store.delete(ref)
    t.is(await codeOf(store.publicKey(ref)), 'key.not_found')
    if (keyType === 'ed25519' || keyType === 'p256')
      t.is(await codeOf(store.sign(ref, randomBytes(8))), 'key.not_found')
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
    const signs = keyType === 'ed25519' || keyType === 'p256'
    const agrees = keyType === 'ed25519' || keyType === 'x25519'
    if (!signs) t.is(await codeOf(store.sign(ref, randomBytes(8))), 'key.unsupported')
    if (!agrees) t.is(await codeOf(store.agree(ref, randomBytes(32))), 'key.unsupported')
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

contract('only UUIDs name a key: no other text reaches a path or a row (pitfall 5)', async (t, store) => {
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
