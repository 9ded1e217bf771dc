import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readVaultSetup } from '../../config.ts'
import { launch } from '../../stack/parts/part.ts'
import { freePort } from '../../stack/parts/ports.ts'
import { findVaultBinary } from '../../stack/parts/vault.binary.ts'
import { setUpVault } from '../../stack/vault-setup.ts'
import { needs } from '../support/parts.ts'
import { eventually, inImage, temporary } from '../support/stack/stack.ts'

const whereVaultIs = needs('Vault')

whereVaultIs('the Vault of docker-compose.yml is made usable once, and unsealed again after a restart', async (t) => {
  const directory = temporary(t, 'vault')
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const compose = readFileSync('docker-compose.yml', 'utf8')
  const settings =
    /VAULT_LOCAL_CONFIG: >-\n((?: {8}.*\n)+)/
      .exec(compose)?.[1]
      ?.replaceAll(/\s*\n\s*/g, '')
      .trim() ?? ''
  const local = JSON.parse(settings)
  mkdirSync(join(directory, 'file'))
  local.storage.raft.path = join(directory, 'file')
  local.listener.tcp.address = `127.0.0.1:${port}`
  local.listener.tcp.cluster_address = `127.0.0.1:${await freePort()}`
  local.api_addr = address
  local.cluster_addr = `http://${local.listener.tcp.cluster_address}`
  writeFileSync(join(directory, 'vault.json'), JSON.stringify(local))
  const secretIdFile = join(directory, 'secret-id')
  writeFileSync(secretIdFile, 'a secret of this test')
  const env = { VAULT_ADDR: address, VAULT_ROLE_ID: 'countersign', VAULT_SECRET_ID_FILE: secretIdFile }
  const vault = readVaultSetup(env)
  const binary = await findVaultBinary(process.env, console.log)
  if (!binary) return t.fail()

  const health = async () => (await fetch(`${address}/v1/sys/health?sealedcode=200&uninitcode=200`)).ok
  const start = async () => {
    const output = openSync(join(directory, 'vault.log'), 'a')
    const part = await launch({
      name: 'Vault',
      command: binary,
      args: ['server', '-config', join(directory, 'vault.json')],
      env: {},
      stdio: ['ignore', output, output],
      signal: 'SIGTERM',
      graceMs: 5_000,
    })
    closeSync(output)
    let up = false
    t.true(
      await eventually(() => {
        health().then(
          (ok) => {
            up = ok
          },
          () => undefined, // not listening yet
        )
        return up
      }),
      readFileSync(join(directory, 'vault.log'), 'utf8'),
    )
    return part
  }
  const login = async () => {
    const body = JSON.stringify({ role_id: vault.roleId, secret_id: 'a secret of this test' })
    const response = await fetch(`${address}/v1/auth/approle/login`, { method: 'POST', body })
    const { auth } = (await response.json()) as { auth?: { client_token: string; policies: string[] } }
    return auth
  }

  const keys = join(directory, 'keys', 'keys.json')
  const first = await start()
  await setUpVault(vault, keys)
  t.is(statSync(keys).mode & 0o777, 0o600)
  t.true((await login())?.policies.includes('countersign'))
  await setUpVault(vault, keys)
  const token = (await login())?.client_token ?? ''
  const created = await fetch(`${address}/v1/transit/keys/test-key`, {
    method: 'POST',
    headers: { 'X-Vault-Token': token },
    body: JSON.stringify({ type: 'ed25519' }),
  })
  t.true(created.ok)
  const refused = await fetch(`${address}/v1/sys/mounts`, { headers: { 'X-Vault-Token': token } })
  t.is(refused.status, 403)
  // as docker-compose.yml runs it: it stays, and opens what a reboot has sealed
  const mark = join(directory, 'vault-is-open')
  const keeper = inImage(['stack/vault-setup.ts', keys, address], { ...env, TMPDIR: directory })
  t.teardown(() => void keeper.child.kill('SIGTERM'))
  t.true(await eventually(() => existsSync(mark)), keeper.lines.join('\n'))
  await first.stop()
  t.true(await eventually(() => !existsSync(mark)), 'its health check fails while Vault is away')

  const second = await start()
  t.teardown(second.stop)
  t.true(await eventually(() => existsSync(mark)), keeper.lines.join('\n'))
  t.true((await login())?.policies.includes('countersign'))
})
