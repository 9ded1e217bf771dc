import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { inspect } from 'node:util'
import { ed25519 } from '@noble/curves/ed25519.js'
import anyTest from 'ava'
import { storeName } from '../../../activities/keys/reference.ts'
import { createVaultKeyStore } from '../../../activities/keys/vault/index.ts'
import { dismissGuard } from '../../../stack/parts/part.ts'
import { newRef } from '../../support/parts/keys.ts'
import { createAppRole, openProxy, vaultConfig } from '../../support/parts/vault.ts'
import { opened, refusedAway, withVault } from '../../support/parts/vault-tests.ts'
import { needs } from '../../support/parts.ts'

/** Without Vault and without Go these are skipped, by name. They run one after the other: two cores. */
const test = needs('Vault', anyTest.serial)

anyTest.after.always(() => dismissGuard())

test('500 signatures asked at once travel in few calls, each verifies', (t) =>
  withVault(t, async (vault) => {
    const proxy = await openProxy(vault.address)
    t.teardown(() => proxy.close())
    const store = opened(t, createVaultKeyStore(vaultConfig(vault, { address: proxy.address })))
    const [one, other] = [newRef('ed25519'), newRef('ed25519')]
    const keys = [await store.create(one), await store.create(other)]
    const inputs = Array.from({ length: 500 }, () => randomBytes(64))
    const signatures = await Promise.all(inputs.map((input, index) => store.sign(index % 2 ? other : one, input)))
    inputs.forEach((input, index) => {
      t.true(ed25519.verify(signatures[index] ?? new Uint8Array(64), input, keys[index % 2]?.publicKey ?? input))
    })
    const batches = proxy.count('POST transit/sign/')
    t.true(batches >= 4 && batches <= 8, `${batches} calls`)
    const sizes = proxy.passed.filter(({ call }) => call.startsWith('POST transit/sign/')).map(({ body }) => body)
    t.true(sizes.every((body) => (JSON.parse(body) as { batch_input: [] }).batch_input.length <= 200))
  }))

test('a deleted key leaves nothing in Vault, whatever versions it had', (t) =>
  withVault(t, async (vault) => {
    const store = opened(t, createVaultKeyStore(vaultConfig(vault)))
    const [signing, agreeing] = [newRef('ed25519'), newRef('x25519')]
    await store.create(signing)
    await store.create(agreeing)
    await vault.call('POST', `transit/keys/${storeName(signing)}/rotate`)
    const stored = `secret/data/countersign/${storeName(agreeing)}`
    await vault.call('POST', stored, { data: { a: 'second version' } })
    await store.delete(signing)
    await store.delete(agreeing)
    for (const path of [
      `transit/keys/${storeName(signing)}`,
      stored,
      `${stored}?version=1`,
      stored.replace('data', 'metadata'),
    ]) {
      await t.throwsAsync(() => vault.call('GET', path), { message: /answered 404/ }, path)
    }
    await t.throwsAsync(() => vault.call('LIST', 'transit/keys'), { message: /answered 404/ })
    await t.throwsAsync(() => vault.call('LIST', 'secret/metadata/countersign'), { message: /answered 404/ })
  }))

test('a signing key cannot be exported from Vault, nor backed up in plain text', (t) =>
  withVault(t, async (vault) => {
    const store = opened(t, createVaultKeyStore(vaultConfig(vault)))
    for (const keyType of ['ed25519', 'p256', 'p384'] as const) {
      const ref = newRef(keyType)
      await store.create(ref)
      for (const way of ['export/signing-key', 'backup']) {
        await t.throwsAsync(() => vault.call('GET', `transit/${way}/${storeName(ref)}`), { message: /answered [45]/ })
      }
    }
  }))

test('an AppRole token is renewed, then replaced, while signing goes on', (t) =>
  withVault(t, async (vault) => {
    const proxy = await openProxy(vault.address)
    t.teardown(() => proxy.close())
    const role = await createAppRole(vault, { seconds: 2, longest: 4 })
    const store = opened(t, createVaultKeyStore(vaultConfig(vault, { ...role, address: proxy.address })))
    const ref = newRef('ed25519')
    await store.create(ref)
    const end = Date.now() + 7_000
    while (Date.now() < end) {
      t.is((await store.sign(ref, randomBytes(8))).length, 64)
      await wait(100)
    }
    t.true(proxy.count('POST auth/token/renew-self') >= 2)
    t.true(proxy.count('POST auth/approle/login') >= 2)
    const used = proxy.passed.filter(({ call }) => call.startsWith('POST transit/sign/')).map(({ token }) => token)
    t.true(new Set(used).size >= 2)
  }))

test('a token that Vault no longer knows is replaced by one new login', (t) =>
  withVault(t, async (vault) => {
    const proxy = await openProxy(vault.address)
    t.teardown(() => proxy.close())
    const role = await createAppRole(vault)
    const store = opened(t, createVaultKeyStore(vaultConfig(vault, { ...role, address: proxy.address })))
    const refs = Array.from({ length: 20 }, () => newRef('ed25519'))
    await Promise.all(refs.map((ref) => store.create(ref)))
    t.is(proxy.count('POST auth/approle/login'), 1)
    await vault.call('POST', 'auth/token/revoke', { token: proxy.passed.at(-1)?.token })
    await Promise.all(refs.map((ref) => store.sign(ref, randomBytes(8))))
    t.is(proxy.count('POST auth/approle/login'), 2)
  }))

test('credentials that Vault refuses are a store that is away, not an error of the caller', (t) =>
  withVault(t, async (vault) => {
    const role = await createAppRole(vault)
    for (const wrong of [{ token: 'hvs.wrong' }, { ...role, secretId: 'wrong' }]) {
      const store = opened(t, createVaultKeyStore(vaultConfig(vault, wrong)))
      await refusedAway(t, () => store.create(newRef('ed25519')))
      await refusedAway(t, () => store.ready())
    }
    t.throws(() => createVaultKeyStore(vaultConfig(vault, { token: '' })), { code: 'key.store_refused' })
  }))

test('a mount that is not there is named, and is no missing key', (t) =>
  withVault(t, async (vault) => {
    const store = opened(t, createVaultKeyStore(vaultConfig(vault, { transitMount: 'elsewhere', kvMount: 'nowhere' })))
    for (const keyType of ['p256', 'x25519'] as const) {
      await refusedAway(t, () => store.create(newRef(keyType)))
      await refusedAway(t, () => store.publicKey(newRef(keyType)))
    }
  }))

test('a key that an operator rotates in Vault goes on to sign as it was published', (t) =>
  withVault(t, async (vault) => {
    const store = opened(t, createVaultKeyStore(vaultConfig(vault, await createAppRole(vault))))
    const ref = newRef('ed25519')
    const { publicKey } = await store.create(ref)
    await vault.call('POST', `transit/keys/${storeName(ref)}/rotate`)
    t.deepEqual(Buffer.from(await store.publicKey(ref)), Buffer.from(publicKey))
    t.deepEqual(Buffer.from((await store.create(ref)).publicKey), Buffer.from(publicKey))
    const data = randomBytes(32)
    t.true(ed25519.verify(await store.sign(ref, data), data, publicKey))
    await store.delete(ref)
  }))

test('the policy lets the platform neither rotate a key nor make it exportable', (t) =>
  withVault(t, async (vault) => {
    const { roleId, secretId } = await createAppRole(vault)
    const store = opened(t, createVaultKeyStore(vaultConfig(vault, { token: '', roleId, secretId })))
    const ref = newRef('ed25519')
    await store.create(ref)
    t.deepEqual(await store.names?.(), [storeName(ref)])
    const login = (await vault.call('POST', 'auth/approle/login', { role_id: roleId, secret_id: secretId })) as {
      auth: { client_token: string }
    }
    const asPlatform = async (path: string, body: object) => {
      const headers = { 'X-Vault-Token': login.auth.client_token }
      const url = `${vault.address}/v1/transit/keys/${storeName(ref)}/${path}`
      return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status
    }
    t.is(await asPlatform('rotate', {}), 403)
    t.is(await asPlatform('config', { exportable: true }), 403)
    t.is(await asPlatform('config', { min_encryption_version: 1 }), 403)
  }))

test('where one engine was disabled, the keys of the other go on', (t) =>
  withVault(t, async (vault) => {
    const store = opened(t, createVaultKeyStore(vaultConfig(vault)))
    const ref = newRef('ed25519')
    await store.create(ref)
    await vault.call('DELETE', 'sys/mounts/secret')
    for (let tries = 0; tries < 5; tries += 1) {
      await refusedAway(t, () => store.create(newRef('x25519')))
      t.is((await store.sign(ref, randomBytes(8))).length, 64)
    }
  }))

test('no error carries the token or a secret, however deep one looks', (t) =>
  withVault(t, async (vault) => {
    const secret = randomBytes(32)
    const store = opened(t, createVaultKeyStore(vaultConfig(vault), { random: () => Buffer.from(secret) }))
    const failures: unknown[] = []
    const keep = (work: Promise<unknown>) => work.catch((error: unknown) => failures.push(error))
    await store.create(newRef('x25519'))
    await vault.seal()
    await keep(store.create(newRef('x25519')))
    process.kill(vault.pid, 'SIGKILL')
    await vault.exited
    await keep(store.create(newRef('x25519')))
    await keep(store.ready())
    t.is(failures.length, 3)
    const told = inspect(failures, { depth: 30, showHidden: true, maxStringLength: null, maxArrayLength: null })
    const forms = [vault.token, ...(['hex', 'base64', 'base64url'] as const).map((form) => secret.toString(form))]
    for (const form of forms) t.false(told.includes(form))
  }))
