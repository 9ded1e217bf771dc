import { randomBytes } from 'node:crypto'
import anyTest, { type ExecutionContext, type TestFn } from 'ava'
import type { KeyStore } from '../../../activities/keys/index.ts'
import { createLocalKeyStore } from '../../../activities/keys/local.ts'
import { createVaultKeyStore } from '../../../activities/keys/vault/index.ts'
import { dismissGuard } from '../../../stack/parts/part.ts'
import type { Vault } from '../../../stack/parts/vault.ts'
import { needs } from '../parts.ts'
import { memoryEnvelopes } from './keys.ts'
import { createAppRole, openVault, vaultBinary, vaultConfig } from './vault.ts'

interface Stores {
  stores: Record<'local' | 'vault', KeyStore>
  vault?: Vault
}

/** One contract, held against both stores; the Vault is a real one, and our token has the documented policy alone. */
const test = anyTest as TestFn<Stores>

type Context = ExecutionContext<Stores>

/**
 * Opens both stores for the tests of one file, which it is called in once: a module is loaded once for several files. Returns
 * what makes a promise that both stores must hold a test of each.
 */
export function openContract() {
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

  return (promise: string, holds: (t: Context, store: KeyStore) => Promise<void>): void => {
    test.serial(`local: ${promise}`, (t) => holds(t, t.context.stores.local))
    needs<Stores>('Vault', test.serial)(`vault: ${promise}`, (t) => holds(t, t.context.stores.vault))
  }
}
