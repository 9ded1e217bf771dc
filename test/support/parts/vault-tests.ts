import { performance } from 'node:perf_hooks'
import type { ExecutionContext } from 'ava'
import type { KeyStore } from '../../../activities/keys/index.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import type { Vault } from '../../../stack/parts/vault.ts'
import { openVault } from './vault.ts'

/** Runs `work` on a Vault of the test's own. */
export async function withVault(t: ExecutionContext, work: (vault: Vault) => Promise<void>): Promise<void> {
  const vault = await openVault()
  t.teardown(() => vault.stop())
  await work(vault)
}

/** A store that is closed with the test. */
export const opened = (t: ExecutionContext, store: KeyStore): KeyStore => {
  t.teardown(() => store.close())
  return store
}

/** Asserts that `work` ends in Unavailable('keys') with a time to come back. */
export async function refusedAway(t: ExecutionContext, work: () => Promise<unknown>): Promise<void> {
  const error = await t.throwsAsync(work, { instanceOf: Unavailable })
  t.is(error?.part, 'keys')
  t.true((error?.retryAfterSeconds ?? 0) >= 1)
}

/** The same, in time. Answers the milliseconds. */
export async function refusedSoon(t: ExecutionContext, work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await refusedAway(t, work)
  const took = performance.now() - begun
  t.true(took < 2_500, `took ${took} ms`)
  return took
}
