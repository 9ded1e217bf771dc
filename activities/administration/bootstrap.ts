import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../../config.ts'
import { masterKeyId } from '../../entities/administration/master-key.ts'
import { migrate } from '../../entities/migrate.ts'
import { Unavailable } from '../../protocol/errors.ts'
import { SCOPES } from '../../protocol/tokens-logs/index.ts'
import { openDependencies } from '../index.ts'
import type { KeyRef, KeyStore } from '../keys/index.ts'
import { hashClientSecret } from '../tokens-logs/clients.ts'
import { createTokenKeyRotation, createTokenKeys } from '../tokens-logs/keys.ts'
import { createWebhookKeyRotation } from '../webhooks/keys.ts'

const FIRST_ENVIRONMENT = `insert into environments
  (id, name, domain, authorization_server_domain, deployment_model, region)
select $1, 'Default', $2, $2, 'private', '{"id":"local","name":"local","displayName":"Local"}'
where not exists (select 1 from environments)`

const FIRST_TENANT = `insert into tenants (id, environment_id, name, subdomain, is_first)
select $1, (select id from environments order by created_at limit 1), 'First tenant', 'first', true
where not exists (select 1 from tenants where is_first) on conflict do nothing`

const FIRST_CLIENT = `insert into oauth2_clients (id, tenant_id, name, description, secret_hash, scopes)
select $1, $2, 'First client', 'Made by the first start; may do everything in its tenant', $3, $4
where not exists (select 1 from oauth2_clients where tenant_id = $2)`

/** From now on another master key is refused, whatever the key store is. */
const KEEP_MASTER_KEY = `update platform_epoch set master_key_id = $1 where master_key_id is null`

const LOOK_MS = 1_000

/** Waits until the key store is available, e.g. a Vault that is still sealed: the first token key needs it. */
async function onceKeysAnswer<T>(work: () => Promise<T>, say: (line: string) => void): Promise<T> {
  for (let lastMessage = ''; ; await pause(LOOK_MS)) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Unavailable && error.part === 'keys')) throw error
      const why = error.cause instanceof Error ? ` (${error.cause.message})` : ''
      if (error.message !== lastMessage) say(`Waiting for the key store: ${error.message}${why}`)
      lastMessage = error.message
    }
  }
}

/**
 * Throws unless the key store is the one that the database was set up with; skips the check while it is unavailable.
 */
async function assertOpens(keys: KeyStore, tokenKey: KeyRef): Promise<void> {
  try {
    await keys.sign(tokenKey, Buffer.from('start'))
  } catch (error) {
    if (error instanceof Unavailable) return
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(
      `The ${keys.name} key store cannot use the key that signs access tokens (${reason}) If the database was restored, run npm run restored and start again. If not, KEY_STORE_MASTER_KEY or VAULT_ADDR differs from the one that this database was set up with: set that one, or another DATABASE_URL.`,
      { cause: error },
    )
  }
}

/**
 * Prepares a platform to serve: schema, roles, token key, and the first environment, tenant and client. The first run
 * waits for the key store. Safe to repeat; only the run that made the client returns its secret. The worker registers
 * what Temporal needs.
 */
export async function bootstrap(
  config: Config,
  log: (line: string) => void,
  secret = randomBytes(32).toString('base64url'),
) {
  log('database: schema and roles')
  await migrate(config.database.url, config.masterKey)
  const { systemSql, keys, now, close } = await openDependencies(config)
  try {
    log('keys: token key, webhook key')
    const tokenKeys = createTokenKeyRotation({ systemSql, keys, config })
    const [keyId, webhookKeyId] = [randomUUID(), randomUUID()]
    await onceKeysAnswer(() => tokenKeys.ensureTokenKey(keyId), log)
    const webhookKeys = createWebhookKeyRotation({ systemSql, keys, config })
    await onceKeysAnswer(() => webhookKeys.ensureWebhookKey(webhookKeyId), log)
    await assertOpens(keys, (await createTokenKeys({ systemSql, now }).current()).signing)
    await systemSql.query({ text: KEEP_MASTER_KEY, values: [masterKeyId(config.masterKey)] })
    log('first environment, tenant and client')
    await systemSql.query({ text: FIRST_ENVIRONMENT, values: [randomUUID(), config.publicUrl.hostname] })
    await systemSql.query({ text: FIRST_TENANT, values: [randomUUID()] })
    const { rows: tenants } = await systemSql.query<{ id: string }>({
      text: 'select id from tenants where is_first',
      values: [],
    })
    const tenantId = tenants[0]?.id
    if (!tenantId) throw new Error('The first tenant is missing after it was created.')
    await systemSql.query({
      text: FIRST_CLIENT,
      values: [randomUUID(), tenantId, hashClientSecret(secret), [...SCOPES]],
    })
    const { rows: clients } = await systemSql.query<{ id: string; fresh: boolean }>({
      text: `select id, secret_hash = $2 as fresh from oauth2_clients where tenant_id = $1
        order by secret_hash = $2 desc, created_at limit 1`,
      values: [tenantId, hashClientSecret(secret)],
    })
    const client = clients[0]
    if (!client) throw new Error('The first client is missing after it was created.')
    return { tenantId, clientId: client.id, clientSecret: client.fresh ? secret : undefined }
  } finally {
    await close()
  }
}
