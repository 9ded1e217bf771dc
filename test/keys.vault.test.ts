import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { inspect } from 'node:util'
import { ed25519 } from '@noble/curves/ed25519.js'
import anyTest, { type ExecutionContext } from 'ava'
import type { KeyStore } from '../activities/keys/index.ts'
import { storeName } from '../activities/keys/reference.ts'
import { createVaultKeyStore } from '../activities/keys/vault.ts'
import { Unavailable } from '../protocol/errors.ts'
import { dismissGuard } from '../stack/part.ts'
import type { Vault, VaultKeys } from '../stack/vault.ts'
import { codeOf, newRef } from './support/keys.ts'
import { createAppRole, openProxy, openVault, vaultBinary, vaultConfig } from './support/vault.ts'

/** Without Vault and without Go these are skipped, by name. They run one after the other: two cores. */
const test = vaultBinary === undefined ? anyTest.skip : anyTest.serial

anyTest.after.always(() => dismissGuard())

async function withVault(t: ExecutionContext, work: (vault: Vault) => Promise<void>): Promise<void> {
  const vault = await openVault()
  t.teardown(() => vault.stop())
  await work(vault)
}

const opened = (t: ExecutionContext, store: KeyStore): KeyStore => {
  t.teardown(() => store.close())
  return store
}

/** Asserts that `work` ends in Unavailable('keys') with a time to come back, and in time. Answers the milliseconds. */
async function refusedSoon(t: ExecutionContext, work: () => Promise<unknown>, withinMs = 2_500): Promise<number> {
  const begun = performance.now()
  const error = await t.throwsAsync(work, { instanceOf: Unavailable })
  const took = performance.now() - begun
  t.true(took < withinMs, `took ${took} ms`)
  t.is(error?.part, 'keys')
  t.true((error?.retryAfterSeconds ?? 0) >= 1)
  return took
}

/** Asserts that `work` goes well again within 10 s (pitfall R29), by itself. */
async function recovers(t: ExecutionContext, work: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + 10_000
  while ((await codeOf(work())) === 'unavailable' && Date.now() < deadline) await wait(100)
  await t.notThrowsAsync(work)
}

test('500 signatures asked at once travel in few calls, each verifies (issue 3, Keys)', (t) =>
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

test('a deleted key leaves nothing in Vault, whatever versions it had (pitfall R11)', (t) =>
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

test('a signing key cannot be exported from Vault, nor backed up in plain text (pitfall R10)', (t) =>
  withVault(t, async (vault) => {
    const store = opened(t, createVaultKeyStore(vaultConfig(vault)))
    for (const keyType of ['ed25519', 'p256'] as const) {
      const ref = newRef(keyType)
      await store.create(ref)
      for (const way of ['export/signing-key', 'backup']) {
        await t.throwsAsync(() => vault.call('GET', `transit/${way}/${storeName(ref)}`), { message: /answered [45]/ })
      }
    }
  }))

test('a sealed Vault refuses at once with a time to come back, and serves again unsealed (issue 3, Keys)', (t) =>
  withVault(t, async (vault) => {
    const store = opened(t, createVaultKeyStore(vaultConfig(vault)))
    const ref = newRef('ed25519')
    await store.create(ref)
    await store.ready()
    await vault.seal()
    for (let i = 0; i < 5; i += 1) await refusedSoon(t, () => store.sign(ref, randomBytes(8)))
    await refusedSoon(t, () => store.ready())
    await refusedSoon(t, () => store.create(newRef('p256')))
    await refusedSoon(t, () => store.publicKey(ref))
    await refusedSoon(t, () => store.delete(ref))
    await vault.unseal()
    await recovers(t, () => store.sign(ref, randomBytes(8)))
    await t.notThrowsAsync(store.ready())
  }))

test('a readiness check that goes well lets calls through at once', (t) =>
  withVault(t, async (vault) => {
    const store = opened(t, createVaultKeyStore(vaultConfig(vault)))
    const ref = newRef('ed25519')
    await store.create(ref)
    await vault.seal()
    for (let i = 0; i < 4; i += 1) await refusedSoon(t, () => store.publicKey(ref))
    await vault.unseal()
    await store.ready()
    t.is((await store.sign(ref, randomBytes(8))).length, 64)
  }))

test('a hanging Vault costs 2.5 s at most, then nothing; it recovers by itself (pitfalls, fault matrix V)', (t) =>
  withVault(t, async (vault) => {
    const store = opened(t, createVaultKeyStore(vaultConfig(vault, { timeoutMs: 1_000 })))
    const ref = newRef('ed25519')
    await store.create(ref)
    process.kill(vault.pid, 'SIGSTOP')
    try {
      await refusedSoon(t, () => store.ready())
      for (let i = 0; i < 3; i += 1) await refusedSoon(t, () => store.sign(ref, randomBytes(8)))
      t.true((await refusedSoon(t, () => store.sign(ref, randomBytes(8)))) < 200)
    } finally {
      process.kill(vault.pid, 'SIGCONT')
    }
    await recovers(t, () => store.sign(ref, randomBytes(8)))
  }))

test('a killed Vault that comes back has the same keys, without a restart of ours (pitfalls, fault matrix)', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-vault-data-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const first = await openVault({ directory })
  const store = opened(t, createVaultKeyStore(vaultConfig(first)))
  const [signing, agreeing] = [newRef('ed25519'), newRef('x25519')]
  const { publicKey } = await store.create(signing)
  await store.create(agreeing)
  process.kill(first.pid, 'SIGKILL')
  await first.exited
  for (let i = 0; i < 5; i += 1) await refusedSoon(t, () => store.sign(signing, randomBytes(8)))
  await refusedSoon(t, () => store.agree(agreeing, randomBytes(32)))
  const keys: VaultKeys = first.keys
  const second = await openVault({ directory, keys, port: Number(new URL(first.address).port) })
  t.teardown(() => second.stop())
  const data = randomBytes(32)
  await recovers(t, () => store.sign(signing, data))
  t.true(ed25519.verify(await store.sign(signing, data), data, publicKey))
  t.is((await store.agree(agreeing, randomBytes(32))).length, 32)
})

test('an AppRole token is renewed, then replaced, while signing goes on (issue 3, Keys)', (t) =>
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

test('a token that Vault no longer knows is replaced by one new login (pitfalls, fault matrix W)', (t) =>
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
      await refusedSoon(t, () => store.create(newRef('ed25519')))
      await refusedSoon(t, () => store.ready())
    }
    t.throws(() => createVaultKeyStore(vaultConfig(vault, { token: '' })), { code: 'key.store_refused' })
  }))

test('a mount that is not there is named, and is no missing key', (t) =>
  withVault(t, async (vault) => {
    const store = opened(t, createVaultKeyStore(vaultConfig(vault, { transitMount: 'elsewhere', kvMount: 'nowhere' })))
    for (const keyType of ['p256', 'x25519'] as const) {
      await refusedSoon(t, () => store.create(newRef(keyType)))
      await refusedSoon(t, () => store.publicKey(newRef(keyType)))
    }
  }))

test('no error carries the token or a secret, however deep one looks (pitfall R27)', (t) =>
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
