import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { credentialSource } from '../activities/keys/vault/credentials.ts'
import { readVaultSetup, type VaultConfig } from '../config.ts'
import { asCommand } from './command.ts'
import { VAULT_POLICY } from './parts/vault.ts'

/** What Vault gives out once, when it is initialised. */
interface VaultSecrets {
  root_token: string
  keys_base64: string[]
}

type Call = (method: string, path: string, body?: object) => Promise<unknown>

const callsTo =
  (address: string, token: string): Call =>
  async (method, path, body) => {
    const response = await fetch(`${address}/v1/${path}`, {
      method,
      headers: token ? { 'X-Vault-Token': token } : {},
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`Vault answered ${response.status} to ${method} ${path}: ${text.trim()}`)
    return text ? JSON.parse(text) : {}
  }

/** Initialises Vault with one unseal key the first time; the file holds the key and the root token, for us alone. */
async function secretsOf(address: string, file: string): Promise<VaultSecrets> {
  const anyone = callsTo(address, '')
  const { initialized } = (await anyone('GET', 'sys/init')) as { initialized: boolean }
  if (!initialized) {
    const made = await anyone('PUT', 'sys/init', { secret_shares: 1, secret_threshold: 1 })
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(`${file}.new`, JSON.stringify(made), { mode: 0o600, flush: true })
    renameSync(`${file}.new`, file)
  }
  if (!existsSync(file)) throw new Error(`Vault is initialised already, and its unseal key is not in ${file}.`)
  return JSON.parse(readFileSync(file, 'utf8')) as VaultSecrets
}

async function unseal(address: string, keys: string[]): Promise<void> {
  const anyone = callsTo(address, '')
  for (const key of keys) await anyone('PUT', 'sys/unseal', { key })
  for (let tries = 0; ; tries += 1) {
    try {
      await anyone('GET', 'sys/health')
      return
    } catch (error) {
      if (tries >= 100) throw error
      await new Promise((resolve) => setTimeout(resolve, 100)) // electing itself the leader
    }
  }
}

/**
 * Makes a Vault of docker-compose.yml usable: initialised, unsealed, with both engines, our policy, and an AppRole with
 * the role id and secret id of the configuration. Safe to repeat. For one machine: the unseal key lies in a file.
 */
export async function setUpVault(vault: VaultConfig, file: string): Promise<void> {
  const { root_token, keys_base64 } = await secretsOf(vault.address, file)
  await unseal(vault.address, keys_base64)
  const call = callsTo(vault.address, root_token)
  const mounts = (await call('GET', 'sys/mounts')) as Record<string, unknown>
  const { transitMount, kvMount } = vault
  if (!mounts[`${transitMount}/`]) await call('POST', `sys/mounts/${transitMount}`, { type: 'transit' })
  if (!mounts[`${kvMount}/`]) await call('POST', `sys/mounts/${kvMount}`, { type: 'kv', options: { version: '2' } })
  const policy = VAULT_POLICY.replaceAll('"transit/', `"${transitMount}/`).replaceAll('"secret/', `"${kvMount}/`)
  await call('PUT', 'sys/policies/acl/countersign', { policy })
  const methods = (await call('GET', 'sys/auth')) as Record<string, unknown>
  if (!methods['approle/']) await call('POST', 'sys/auth/approle', { type: 'approle' })
  const credentials = await credentialSource(vault).read()
  if (!('roleId' in credentials))
    throw new Error('VAULT_ROLE_ID is empty: set the id of the AppRole that is to be made.')
  const { roleId, secretId } = credentials
  const role = 'auth/approle/role/countersign'
  const tokens = { token_policies: 'countersign', token_no_default_policy: true, token_ttl: '1h', token_max_ttl: '24h' }
  await call('POST', role, tokens)
  await call('POST', `${role}/role-id`, { role_id: roleId })
  const known = (await call('POST', `${role}/secret-id/lookup`, { secret_id: secretId })) as { data?: object }
  if (!known.data) await call('POST', `${role}/custom-secret-id`, { secret_id: secretId })
}

/** How long a Vault that was started again may stay sealed. */
const LOOK_MS = 5_000

/** For the health check of docker-compose.yml: there while Vault is open and set up. */
const mark = join(tmpdir(), 'vault-is-open')

const isOpen = async (address: string): Promise<boolean> => {
  const health = await fetch(`${address}/v1/sys/health?standbyok=true`, { signal: AbortSignal.timeout(20_000) })
  return health.ok
}

/** Sets Vault up, and unseals it whenever it was started again, until this process ends. */
async function keepOpen(vault: VaultConfig, file: string, say: (line: string) => void): Promise<never> {
  let isSetUp = false
  let said = ''
  const tell = (line: string) => {
    if (line !== said) say(line)
    said = line
  }
  for (; ; await wait(LOOK_MS)) {
    try {
      if (!isSetUp || !(await isOpen(vault.address))) await setUpVault(vault, file)
      isSetUp = true
      writeFileSync(mark, '')
      tell('Vault is open.')
    } catch (error) {
      rmSync(mark, { force: true })
      tell(`Vault is not open: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

/** Nothing to do here, for a Vault that somebody else opens; whoever waits for this one may go on. */
async function standAside(address: string): Promise<never> {
  process.stdout.write(`VAULT_ADDR is ${address}: that Vault is set up by its operator.\n`)
  writeFileSync(mark, '')
  for (;;) await wait(2 ** 31 - 1)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await asCommand(async () => {
    const [file, ownAddress] = process.argv.slice(2)
    if (!file)
      throw new Error(
        'Name the file for the unseal key, and the Vault to keep open: stack/vault-setup.ts <file> [address].',
      )
    const address = process.env.VAULT_ADDR?.trim()
    if (ownAddress && address && address !== ownAddress) await standAside(address)
    const vault = readVaultSetup(process.env)
    if (!ownAddress) return setUpVault(vault, file)
    await keepOpen(vault, file, (line) => process.stdout.write(`${line}\n`))
  })
