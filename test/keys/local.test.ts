import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { Registry } from 'prom-client'
import { createLocalKeyStore } from '../../activities/keys/local.ts'
import { keyStoreMetrics } from '../../activities/keys/metrics.ts'
import { openKeyStore } from '../../activities/keys/select.ts'
import { ownRecords } from '../../activities/keys/vault/gate.ts'
import { codeOf, memoryEnvelopes, newRef } from '../support/parts/keys.ts'

const masterKey = randomBytes(32)

test('another master key, or a damaged row, is refused and not taken for a missing key', async (t) => {
  const envelopes = memoryEnvelopes()
  const store = createLocalKeyStore({ envelopes, masterKey })
  const other = createLocalKeyStore({ envelopes, masterKey: randomBytes(32) })
  t.teardown(() => Promise.all([store.close(), other.close()]))
  const ref = newRef('p256')
  await store.create(ref)
  t.is(await codeOf(other.publicKey(ref)), 'key.envelope_refused')
  const [first] = envelopes.rows
  if (!first) return t.fail('no row was written')
  const [name, row] = first
  for (const at of [0, 1, 5, 40, 60, -1]) {
    const envelope = Buffer.from(row.envelope)
    const index = at < 0 ? envelope.length + at : at
    envelope[index] = (envelope[index] ?? 0) ^ 1
    envelopes.rows.set(name, { ...row, envelope })
    t.is(await codeOf(store.sign(ref, randomBytes(8))), 'key.envelope_refused', `byte ${at}`)
  }
  envelopes.rows.set(name, { ...row, envelope: row.envelope.subarray(1) })
  t.is(await codeOf(store.sign(ref, randomBytes(8))), 'key.envelope_refused')
})

/** Answers one given secret, then true randomness (salt, nonce). */
const drawing = (secret: string) => {
  let given = false
  return (size: number) => {
    if (given || size !== 32) return randomBytes(size)
    given = true
    return Buffer.from(secret, 'hex')
  }
}

test('with their secrets drawn, the keys of RFC 8032 7.1 and RFC 7748 6.1 come out, and sign and agree as printed', async (t) => {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
  const open = (secret: string) => {
    const store = createLocalKeyStore({ envelopes: memoryEnvelopes(), masterKey, random: drawing(secret) })
    t.teardown(() => store.close())
    return store
  }
  const signer = open('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb')
  const signing = newRef('ed25519')
  t.is(
    hex((await signer.create(signing)).publicKey),
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
  )
  t.is(
    hex(await signer.sign(signing, Buffer.from('72', 'hex'))),
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  )
  const alice = open('77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a')
  const agreeing = newRef('x25519')
  t.is(
    hex((await alice.create(agreeing)).publicKey),
    '8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a',
  )
  const bob = Buffer.from('de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f', 'hex')
  t.is(hex(await alice.agree(agreeing, bob)), '4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742')
})

test('a hundred signatures at once open the envelope once; a deleted key is forgotten at once', async (t) => {
  const envelopes = memoryEnvelopes()
  const store = createLocalKeyStore({ envelopes, masterKey })
  t.teardown(() => store.close())
  const ref = newRef('ed25519')
  await store.create(ref)
  envelopes.finds = 0
  await Promise.all(Array.from({ length: 100 }, () => store.sign(ref, randomBytes(8))))
  t.is(envelopes.finds, 1)
  await store.delete(ref)
  t.is(await codeOf(store.sign(ref, randomBytes(8))), 'key.not_found')
})

test('an unwrapped key leaves memory after its seconds, so that a delete elsewhere takes hold', async (t) => {
  const envelopes = memoryEnvelopes()
  const store = createLocalKeyStore({ envelopes, masterKey, cacheSeconds: 0.05 })
  t.teardown(() => store.close())
  const ref = newRef('ed25519')
  await store.create(ref)
  await store.sign(ref, randomBytes(8))
  envelopes.rows.clear()
  await wait(80)
  t.is(await codeOf(store.sign(ref, randomBytes(8))), 'key.not_found')
})

test('a failed look is not remembered', async (t) => {
  const envelopes = memoryEnvelopes()
  const store = createLocalKeyStore({ envelopes, masterKey })
  t.teardown(() => store.close())
  const ref = newRef('ed25519')
  t.is(await codeOf(store.sign(ref, randomBytes(8))), 'key.not_found')
  await store.create(ref)
  t.is(await codeOf(store.sign(ref, randomBytes(8))), 'none')
})

test('Vault is chosen where its address is set, else our own envelopes', async (t) => {
  const vault = {
    address: 'http://127.0.0.1:1',
    token: 'x',
    roleId: '',
    secretId: '',
    tokenFile: '',
    secretIdFile: '',
    transitMount: 'transit',
    kvMount: 'secret',
    timeoutMs: 100,
  }
  for (const [config, name] of [
    [{ masterKey, vault: undefined }, 'local'],
    [{ masterKey, vault }, 'vault'],
  ] as const) {
    const store = openKeyStore({
      config,
      envelopes: memoryEnvelopes(),
      logins: ownRecords(Date.now),
      metrics: keyStoreMetrics(new Registry()),
    })
    t.is(store.name, name)
    await store.close()
  }
  t.throws(() => createLocalKeyStore({ envelopes: memoryEnvelopes(), masterKey: randomBytes(16) }))
})
