import { randomUUID } from 'node:crypto'
import type { MikroORM } from '@mikro-orm/postgresql'
import { createKeyInventory, type KeyComparison } from '../../activities/administration/key-inventory.ts'
import { openDependencies } from '../../activities/index.ts'
import { PLATFORM_TENANT } from '../../activities/keys/rotating.ts'
import { createTokenKeyRotation } from '../../activities/tokens-logs/keys.ts'
import { createWebhookKeyRotation } from '../../activities/webhooks/keys.ts'
import type { Config } from '../../config.ts'
import { assertLoaded, restoreState, UNMARK_RESTORE } from '../../entities/administration/restore-mark.ts'
import { migrate } from '../../entities/migrate.ts'
import { connectUnhurried } from '../../entities/orm.ts'
import { Unavailable } from '../../protocol/errors.ts'
import { endUnfinished } from './ended.ts'
import { assertNoTwin } from './twin.ts'

type Say = (line: string) => void

function tellKeys({ withoutRow, withoutKey }: KeyComparison, say: Say): void {
  if (withoutRow.length > 0) {
    say(
      `Keys in the store without a row: ${withoutRow.length}. They were made after the backup, and only you can destroy them:`,
    )
    for (const name of withoutRow) say(`  ${name}`)
  }
  const ofPlatform = withoutKey.filter(({ tenantId }) => tenantId === PLATFORM_TENANT)
  for (const { did, keyId } of ofPlatform) say(`The key store lacks a key of the platform, for ${did}: ${keyId}`)
  const ofDids = withoutKey.filter((key) => !ofPlatform.includes(key))
  if (ofDids.length > 0) {
    say(
      `Rows whose key is gone: ${ofDids.length}. Their DIDs were deleted after the backup. The DIDs exist again, and cannot sign:`,
    )
    for (const { tenantId, keyId, did } of ofDids) say(`  ${did} (tenant ${tenantId}, key ${keyId})`)
  }
}

/** Runs work as the owner of the database. */
async function asOwner<T>({ database }: Config, work: (owner: MikroORM) => Promise<T>): Promise<T> {
  const owner = await connectUnhurried(database.url, 1)
  try {
    return await work(owner)
  } finally {
    await owner.close()
  }
}

/**
 * Brings the schema and the roles of a restored database up to date: those that were made by hand for pg_restore have
 * neither a password nor a login. Throws where the rows of a restore are not all there.
 */
export async function completeRestored(config: Config): Promise<void> {
  assertLoaded(await asOwner(config, (owner) => restoreState((text) => owner.em.getConnection().execute(text))))
  await migrate(config.database.url, config.masterKey, { restoring: true })
}

/** Says what to do where the key store is away. */
async function whileKeysAnswer(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    throw new Error(
      `${error.message} When the key store is available again, run npm run restored before you start the platform.`,
    )
  }
}

/**
 * What a restored database needs before anybody is let at it, and what nobody but an operator can decide. Safe to repeat.
 * Throws when the key store is away, and while another platform uses the keys of these rows: it has to be asked for again.
 */
export async function settleRestored(config: Config, say: Say): Promise<void> {
  const [row] = await asOwner(config, (owner) => owner.em.getConnection().execute<{ id: string }[]>(EPOCH))
  await whileKeysAnswer(async () => {
    if (row) await assertNoTwin(config, row.id, say)
    await settle(config, say)
  })
}

const EPOCH = 'select id from platform_epoch'

async function settle(config: Config, say: Say): Promise<void> {
  const { epoch, systemSql, keys, log, close } = await openDependencies(config)
  try {
    await epoch.restored()
    say(
      'Status lists from before the restore get no further entries, and presentation requests from before accept no presentation.',
    )
    await asOwner(config, (owner) => endUnfinished(owner, systemSql))
    say('Log-ins of people, links to set a password, offers with a code and OpenID4VP requests from before have ended.')
    await createTokenKeyRotation({ systemSql, keys, config }).replaceTokenKeys(randomUUID())
    say('Access tokens from before the restore are no longer valid; clients get new ones.')
    await createWebhookKeyRotation({ systemSql, keys, config }).replaceWebhookKeys(randomUUID())
    say('Another key signs webhooks; signatures from before the restore can no longer be checked.')
    tellKeys(await createKeyInventory({ systemSql, keys, log }).compareKeys(), say)
    await asOwner(config, (owner) => owner.em.getConnection().execute(UNMARK_RESTORE))
  } finally {
    await close()
  }
}
