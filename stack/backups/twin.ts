import { setTimeout as wait } from 'node:timers/promises'
import type { Witness } from '../../activities/frame/epoch.witness.ts'
import { createVaultKeyStore } from '../../activities/keys/vault/index.ts'
import type { Config } from '../../config.ts'

/** A running platform raises its mark every 15 s (activities/frame/epoch.ts). */
const WATCH_MS = 20_000

/** Whether the mark of a database rises in its witness: a platform runs on the database that this one is a copy of. */
async function rises(witness: Witness, id: string): Promise<boolean> {
  const before = await witness.read(id)
  if (before === undefined) return false
  await wait(WATCH_MS)
  return ((await witness.read(id)) ?? before) > before
}

/**
 * Throws where another platform uses the keys in Vault that the restored rows name: what a restore replaces, it destroys.
 * `id`: of the row of `platform_epoch` as it came with the rows.
 */
export async function assertNoTwin(
  { vault }: Pick<Config, 'vault'>,
  id: string,
  say: (line: string) => void,
): Promise<void> {
  if (!vault) return
  say(`Watching Vault for ${WATCH_MS / 1000} seconds, whether a platform runs on the database that these rows are of …`)
  const keys = createVaultKeyStore(vault)
  try {
    if (keys.witness && (await rises(keys.witness, id)))
      throw new Error(
        'A platform is running on the database that these rows are of, with the same keys in Vault, which this command would destroy: its mark in Vault rises. Stop that platform, or, to try out a backup beside it, give the copy a Vault of its own; then run npm run restored.',
      )
  } finally {
    await keys.close()
  }
}
