import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import anyTest from 'ava'
import { KEY_TYPES } from '../../activities/keys/index.ts'
import { createVaultKeyStore } from '../../activities/keys/vault/index.ts'
import { dismissGuard } from '../../stack/parts/part.ts'
import { VAULT_POLICY, type Vault } from '../../stack/parts/vault.ts'
import { blocksOf } from '../support/frame/docs.ts'
import { codeOf, newRef } from '../support/parts/keys.ts'
import { openVault, vaultBinary, vaultConfig } from '../support/parts/vault.ts'
import { needs } from '../support/parts.ts'
import { temporary } from '../support/stack/stack.ts'

const test = needs('Vault', anyTest.serial)

anyTest.after.always(() => dismissGuard())

const run = promisify(execFile)

/** Types commands into a shell that has the program `vault`, as Vault's administrator. */
async function typed(directory: string, vault: Vault, code: string): Promise<string> {
  const env = {
    PATH: `${directory}:${process.env.PATH}`,
    HOME: directory,
    VAULT_ADDR: vault.address,
    VAULT_TOKEN: vault.token,
  }
  return (await run('bash', ['-euc', code], { env })).stdout
}

test('docs/operations.md sets up a Vault in which the platform makes, uses and deletes keys of every type, and unlocks its role', async (t) => {
  const vault = await openVault()
  t.teardown(() => vault.stop())
  for (const mount of ['transit', 'secret']) await vault.call('DELETE', `sys/mounts/${mount}`)
  const directory = temporary(t, 'docs')
  symlinkSync(vaultBinary ?? '', join(directory, 'vault'))
  const [setUp, unlock] = await blocksOf('docs/operations.md', 'Vault\n')
  if (!setUp || !unlock) return t.fail('the section has two blocks')
  t.true(setUp.code.includes(VAULT_POLICY.trim()), 'the policy is that of stack/parts/vault.ts')
  // outside of a terminal `-field` prints no end of line
  const printed = await typed(directory, vault, setUp.code)
  const [roleId = '', secretId = ''] = (printed.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? []).slice(-2)

  const config = vaultConfig(vault, { token: '', roleId, secretId })
  const store = createVaultKeyStore(config)
  t.teardown(() => store.close())
  for (const keyType of KEY_TYPES) {
    const ref = newRef(keyType)
    const { publicKey } = await store.create(ref)
    t.deepEqual(Buffer.from(await store.publicKey(ref)), Buffer.from(publicKey))
    if (keyType === 'ed25519' || keyType === 'p256') t.is((await store.sign(ref, randomBytes(8))).length, 64)
    if (keyType === 'p384') t.is((await store.sign(ref, randomBytes(8))).length, 96)
    await store.delete(ref)
    t.is(await codeOf(store.publicKey(ref)), 'key.not_found', keyType)
  }

  const login = (secret: string) => {
    const body = JSON.stringify({ role_id: roleId, secret_id: secret })
    return fetch(`${vault.address}/v1/auth/approle/login`, { method: 'POST', body }).then(({ status }) => status)
  }
  for (let tries = 0; tries < 5; tries += 1) t.is(await login('wrong'), 400)
  t.is(await login(secretId), 403, 'locked out')
  const answer = await typed(directory, vault, unlock.code)
  t.true(answer.includes(roleId), 'it says who is locked out')
  t.is(await login(secretId), 200)
})
