import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { launch, type Part } from './part.ts'
import { freePort } from './ports.ts'

/**
 * What our token may do in Vault, and no more. Roles leave Vault's `default` policy out: it has templates, for which Vault parses
 * the token's policies with every call (D-1031).
 */
export const VAULT_POLICY = `
path "transit/keys/" { capabilities = ["list"] }
path "transit/keys/+" { capabilities = ["create", "read", "update", "delete"] }
path "transit/keys/+/config" {
  capabilities = ["update"]
  allowed_parameters = { "deletion_allowed" = [] }
}
path "transit/sign/*" { capabilities = ["update"] }
path "secret/data/countersign/*" { capabilities = ["create", "read", "update"] }
path "secret/metadata/countersign/*" { capabilities = ["delete", "list"] }
path "auth/token/lookup-self" { capabilities = ["read"] }
path "auth/token/renew-self" { capabilities = ["update"] }
`

/** What `sys/init` gives out once. */
export interface VaultKeys {
  token: string
  unsealKey: string
}

export interface VaultOptions {
  binary: string
  port?: number
  /** Where keys survive a restart; without it everything is in memory. */
  directory?: string
  /** Of an earlier start with the same directory. */
  keys?: VaultKeys
}

export interface Vault extends Part {
  address: string
  /** The root token. */
  token: string
  keys: VaultKeys
  /** One call of Vault's HTTP API with the root token; `path` without `/v1/`. Answers the parsed body. */
  call(method: string, path: string, body?: object): Promise<unknown>
  seal(): Promise<void>
  unseal(): Promise<void>
}

const START_MS = 30_000
const METHODS_WITHOUT_ANSWER = 204

const withoutVault = (env: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('VAULT_')))

async function request(address: string, token: string, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${address}/v1/${path}`, {
    method,
    headers: { 'X-Vault-Token': token },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  })
  const answer: unknown = response.status === METHODS_WITHOUT_ANSWER ? {} : await response.json()
  if (!response.ok) throw new Error(`Vault answered ${response.status} to ${method} ${path}: ${JSON.stringify(answer)}`)
  return answer
}

/** Repeats what a starting server refuses. */
async function eventually<T>(work: () => Promise<T>, ended: () => string | undefined): Promise<T> {
  const deadline = Date.now() + START_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const exit = ended()
      if (exit !== undefined || Date.now() > deadline) throw new Error(`Vault did not start (${exit ?? error})`)
      await wait(50)
    }
  }
}

const initialise = async (address: string): Promise<VaultKeys> => {
  const made = await request(address, '', 'PUT', 'sys/init', { secret_shares: 1, secret_threshold: 1 })
  const { root_token: token, keys_base64 } = made as { root_token: string; keys_base64: [string] }
  return { token, unsealKey: keys_base64[0] }
}

/**
 * A Vault server on 127.0.0.1 for tests and local runs, unsealed, with `transit/` and `secret/` (KV version 2). It has
 * no TLS and one unseal key: never for production.
 */
export async function startVault({ binary, port, directory, keys: known }: VaultOptions): Promise<Vault> {
  const chosen = port ?? (await freePort())
  const address = `http://127.0.0.1:${chosen}`
  const own = mkdtempSync(join(tmpdir(), 'countersign-vault-'))
  const file = join(own, 'vault.json')
  const cluster = `127.0.0.1:${await freePort()}`
  const settings = {
    storage: directory ? { raft: { path: directory, node_id: 'only', performance_multiplier: '1' } } : { inmem: {} },
    listener: { tcp: { address: `127.0.0.1:${chosen}`, cluster_address: cluster, tls_disable: true } },
    disable_mlock: true,
    api_addr: address,
    cluster_addr: `http://${cluster}`,
  }
  writeFileSync(file, JSON.stringify(settings))
  const log = join(own, 'vault.log')
  const output = openSync(log, 'a', 0o600)
  const part = await launch({
    name: 'Vault',
    command: binary,
    args: ['server', '-config', file],
    env: withoutVault(process.env),
    stdio: ['ignore', output, output],
    signal: 'SIGTERM',
    graceMs: 5_000,
  }).finally(() => closeSync(output))
  let exit: string | undefined
  void part.exited.then((how) => {
    exit = `${how}: ${readFileSync(log, 'utf8').trim().split('\n').slice(-2).join(' | ')}`
    rmSync(own, { recursive: true, force: true })
  })
  const ended = () => exit
  try {
    await eventually(() => request(address, '', 'GET', 'sys/seal-status'), ended)
    const keys = known ?? (await initialise(address))
    const call: Vault['call'] = (method, path, body) => request(address, keys.token, method, path, body)
    const unseal = async () => {
      await request(address, '', 'PUT', 'sys/unseal', { key: keys.unsealKey })
      await eventually(() => request(address, '', 'GET', 'sys/health'), ended)
    }
    await unseal()
    if (!known) {
      await call('POST', 'sys/mounts/transit', { type: 'transit' })
      await call('POST', 'sys/mounts/secret', { type: 'kv', options: { version: '2' } })
      await eventually(() => call('POST', 'secret/config', {}), ended) // a fresh KV engine refuses while it upgrades
    }
    const seal = async () => {
      await call('PUT', 'sys/seal')
    }
    return { ...part, address, token: keys.token, keys, call, seal, unseal }
  } catch (error) {
    await part.stop()
    throw error
  }
}

/** An AppRole with our documented policy. `seconds` is the life of a token, `longest` that of its last renewal. */
export async function createAppRole(vault: Vault, { seconds = 3_600, longest = 7_200 } = {}) {
  await vault.call('POST', 'sys/auth/approle', { type: 'approle' })
  await vault.call('PUT', 'sys/policies/acl/countersign', { policy: VAULT_POLICY })
  const role = 'auth/approle/role/countersign'
  const limits = { token_ttl: `${seconds}s`, token_max_ttl: `${longest}s` }
  await vault.call('POST', role, { token_policies: ['countersign'], token_no_default_policy: true, ...limits })
  const { data: id } = (await vault.call('GET', `${role}/role-id`)) as { data: { role_id: string } }
  const { data: secret } = (await vault.call('POST', `${role}/secret-id`)) as { data: { secret_id: string } }
  return { token: '', roleId: id.role_id, secretId: secret.secret_id }
}
