import { performance } from 'node:perf_hooks'
import type { ExecutionContext } from 'ava'
import type { KeyStore } from '../../activities/keys/index.ts'
import { Unavailable } from '../../protocol/errors.ts'
import type { Vault } from '../../stack/vault.ts'
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

/** Asserts that `work` ends in Unavailable('keys') with a time to come back, and in time. Answers the milliseconds. */
export async function refusedSoon(
  t: ExecutionContext,
  work: () => Promise<unknown>,
  withinMs = 2_500,
): Promise<number> {
  const begun = performance.now()
  const error = await t.throwsAsync(work, { instanceOf: Unavailable })
  const took = performance.now() - begun
  t.true(took < withinMs, `took ${took} ms`)
  t.is(error?.part, 'keys')
  t.true((error?.retryAfterSeconds ?? 0) >= 1)
  return took
}
