import { randomUUID } from 'node:crypto'
import { openDependencies } from '../activities/index.ts'
import { createKeyInventory, type KeyComparison } from '../activities/keys/inventory.ts'
import { createTokenKeyRotation } from '../activities/tokens-logs.keys.ts'
import type { Config } from '../config.ts'
import { Unavailable } from '../protocol/errors.ts'

type Say = (line: string) => void

function tellKeys({ withoutRow, withoutKey }: KeyComparison, say: Say): void {
  if (withoutRow.length > 0) {
    say(`${withoutRow.length} keys in the store without a row: made after the backup. Nobody destroys them but you:`)
    for (const name of withoutRow) say(`  ${name}`)
  }
  if (withoutKey.length > 0) {
    say(
      `${withoutKey.length} keys with a row that the store does not hold: their DIDs were deleted after the backup, and`,
    )
    say('are back without being able to sign. Delete them again:')
    for (const { tenantId, keyId, did } of withoutKey) say(`  tenant ${tenantId}, key ${keyId}: ${did}`)
  }
}

/**
 * What a restored database needs before anybody is let at it, and what nobody but an operator can decide. Safe to repeat.
 * Throws when the key store is away: the lists are new by then, and the rest has to be asked for again.
 */
export async function settleRestored(config: Config, say: Say): Promise<void> {
  const { epoch, systemSql, keys, log, close } = await openDependencies(config)
  try {
    await epoch.restored()
    say('Status lists from before give out nothing any more, and presentation requests from before take no answer.')
    await createTokenKeyRotation({ systemSql, keys, config }).replaceTokenKeys(randomUUID())
    say('Access tokens from before end; clients ask for new ones.')
    tellKeys(await createKeyInventory({ systemSql, keys, log }).compareKeys(), say)
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    throw new Error(`${error.message} Once the key store is back: npm run restored, before the platform is started.`)
  } finally {
    await close()
  }
}
