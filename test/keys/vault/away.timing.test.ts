import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { ed25519 } from '@noble/curves/ed25519.js'
import anyTest, { type ExecutionContext } from 'ava'
import { createVaultKeyStore } from '../../../activities/keys/vault/index.ts'
import { dismissGuard } from '../../../stack/parts/part.ts'
import { codeOf, newRef } from '../../support/parts/keys.ts'
import { openVault, vaultConfig } from '../../support/parts/vault.ts'
import { opened, refusedSoon, withVault } from '../../support/parts/vault-tests.ts'
import { needs } from '../../support/parts.ts'

/** Without Vault and without Go these are skipped, by name. They run one after the other: two cores. */
const test = needs('Vault', anyTest.serial)

anyTest.after.always(() => dismissGuard())

/** Asserts that `work` goes well again within 10 s, by itself. */
async function recovers(t: ExecutionContext, work: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + 10_000
  while ((await codeOf(work())) === 'unavailable' && Date.now() < deadline) await wait(100)
  await t.notThrowsAsync(work)
}

test('a sealed Vault refuses at once with a time to come back, and serves again unsealed', (t) =>
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

test('a hanging Vault costs 2.5 s at most, then nothing; it recovers by itself', (t) =>
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

test('a killed Vault that comes back has the same keys, without a restart of ours', async (t) => {
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
  const second = await openVault({ directory, keys: first.keys, port: Number(new URL(first.address).port) })
  t.teardown(() => second.stop())
  const data = randomBytes(32)
  await recovers(t, () => store.sign(signing, data))
  t.true(ed25519.verify(await store.sign(signing, data), data, publicKey))
  t.is((await store.agree(agreeing, randomBytes(32))).length, 32)
})
