import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { bootstrap } from '../../../activities/administration/bootstrap.ts'
import { backlogMetrics } from '../../../activities/frame/metrics/backlog.ts'
import { openDependencies } from '../../../activities/index.ts'
import { storeName } from '../../../activities/keys/reference.ts'
import { createTokenKeyRotation } from '../../../activities/tokens-logs/keys.ts'
import { startApi } from '../../../api/server.process.ts'
import { connect, type Sql } from '../../../entities/orm.ts'
import { freePort } from '../../../stack/parts/ports.ts'
import { createDid, payload, sign } from '../../support/credentials/credentials.ts'
import type { DidAnswer } from '../../support/credentials/dids.ts'
import { createAppRole, openVault } from '../../support/parts/vault.ts'
import { needs } from '../../support/parts.ts'
import { script } from '../../support/stack/stack.ts'
import { type Ask, openWorld, send, type World } from '../../support/world.ts'

const onVault = needs('Vault')

/** Name in the store of the one key of a did:key. */
async function keyOf({ ask, token, first: { tenantId } }: World, did: string): Promise<string> {
  const resolved = (await ask(`/v1/dids/${encodeURIComponent(did)}`, { token })).json<{
    localMetadata: DidAnswer['metadata']
  }>()
  const keyId = resolved.localMetadata.keys[0]?.kmsKeyId
  if (!keyId) throw new Error(`no key of ${did}`)
  return storeName({ tenantId, keyId, keyType: 'ed25519' })
}

/** Gauges of a scrape, by name. */
async function scrape(systemSql: Sql): Promise<Record<string, number>> {
  const registry = new Registry()
  backlogMetrics(registry, systemSql, pino({ level: 'silent' }))
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('countersign_'))
  return Object.fromEntries(lines.map((line) => line.split(' ')).map(([name = '', value]) => [name, Number(value)]))
}

onVault(
  'a restored database beside a Vault that went on: refused while its platform runs; then tokens are issued, and keys without a row and rows without a key are told',
  async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'countersign-restore-vault-'))
    t.teardown(() => rm(directory, { recursive: true, force: true }))
    const vault = await openVault()
    t.teardown(() => vault.stop())
    const { roleId, secretId } = await createAppRole(vault)
    const world = await openWorld({
      env: { VAULT_ADDR: vault.address, VAULT_ROLE_ID: roleId, VAULT_SECRET_ID: secretId },
    })
    t.teardown(() => world.close())
    const kept = await createDid(world)
    const deleted = await createDid(world)
    const command = async (url: string, ...args: string[]): Promise<string> => {
      const env = {
        DATABASE_URL: url,
        KEY_STORE_MASTER_KEY: world.config.masterKey.toString('base64'),
        VAULT_ADDR: vault.address,
        VAULT_ROLE_ID: roleId,
        VAULT_SECRET_ID: secretId,
      }
      const run = script([...args, '--local', directory], env)
      const { code } = await run.ended
      if (code !== 0) throw new Error(run.lines.join('\n'))
      return run.lines.join('\n')
    }
    const { config } = world
    const file = join(directory, 'backup.sql.gz')
    await command(config.database.url, 'stack/backup.ts', file)

    // what the backup does not have: a DID's key, and the one that signs access tokens
    const made = await keyOf(world, await createDid(world))
    const path = `/v1/dids/${encodeURIComponent(deleted)}`
    t.is((await world.ask(path, { token: world.token, method: 'DELETE' })).status, 204)
    await createTokenKeyRotation({ ...world.dependencies, config }).replaceTokenKeys(randomUUID())
    const owner = await connect(world.superuserUrl.replace(/\/countersign$/, '/postgres'), 1)
    await owner.em.getConnection().execute('create database again owner countersign')
    await owner.close()
    const url = config.database.url.replace(/\/countersign$/, '/again')
    const keysInVault = async () =>
      ((await vault.call('GET', 'transit/keys?list=true')) as { data: { keys: string[] } }).data.keys.toSorted()
    const before = await keysInVault()
    const twin = await t.throwsAsync(command(url, 'stack/restore.ts', file))
    t.regex(twin?.message ?? '', /A platform is running on the database that these rows are of/)
    t.deepEqual(await keysInVault(), before)
    await world.stopApi()
    await world.dependencies.close()
    const told = await command(url, 'stack/restored.ts')
    t.regex(told, new RegExp(`Keys in the store without a row: 2[^]*\n  ${made}\n`))
    t.regex(told, new RegExp(`Rows whose key is gone: 1[^]*${deleted}`))

    const restored = { ...config, database: { ...config.database, url }, port: await freePort() }
    t.deepEqual((await bootstrap(restored, () => undefined)).clientId, world.first.clientId)
    const api = await startApi(restored)
    t.teardown(() => api.stop())
    const ask = (where: string, question: Ask = {}) => send(`http://localhost:${restored.port}${where}`, question)
    const { clientId, clientSecret } = world.first
    const token = (
      await ask('/v1/auth/token', { body: { clientId, clientSecret, grantType: 'client_credentials' } })
    ).json<{ access_token: string }>().access_token
    t.truthy((await sign({ ask, token }, kept, { revocable: true })).id)
    const refused = await ask('/v1/credentials/web-semantic/sign', {
      token,
      body: { payload: payload(deleted), proofType: 'eddsa-rdfc-2022', revocable: false },
    })
    t.is(refused.status, 503, refused.text)
    t.is(refused.json<{ type: string }>().type, '/problems#keys.unavailable')

    const dependencies = await openDependencies(restored)
    t.teardown(() => dependencies.close())
    const gauges = await scrape(dependencies.systemSql)
    t.like(gauges, {
      'countersign_keys_unmatched{missing="row"}': 2,
      'countersign_keys_unmatched{missing="key"}': 1,
    })
    t.true(Math.abs((gauges.countersign_database_restored_timestamp_seconds ?? 0) - Date.now() / 1000) < 120)
    t.is(
      await vault.call('GET', `transit/keys/${made}`).then(
        () => 'there',
        () => 'gone',
      ),
      'there',
      'nobody destroys it',
    )
  },
)
