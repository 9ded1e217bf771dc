import { findVaultBinary } from '../stack/parts/vault.binary.ts'
import { createAppRole, startVault } from '../stack/parts/vault.ts'
import type { Environment } from './platform.ts'

/** A Vault of the benchmark's own for the keys, in memory, with our policy and an AppRole; `env` is what the platform needs. */
export async function openVault(
  env: Environment,
  say: (line: string) => void,
): Promise<{ env: Environment; stop(): Promise<unknown> }> {
  const binary = await findVaultBinary(env, say)
  if (!binary) throw new Error('There is no Vault, and no Go to build it: set VAULT_BINARY, or leave --vault out.')
  const vault = await startVault({ binary })
  try {
    const { roleId, secretId } = await createAppRole(vault)
    return {
      env: { ...env, VAULT_ADDR: vault.address, VAULT_ROLE_ID: roleId, VAULT_SECRET_ID: secretId },
      stop: () => vault.stop(),
    }
  } catch (error) {
    await vault.stop()
    throw error
  }
}
