import { asSystem } from '../../entities/orm.ts'
import type { Dependencies } from '../dependencies.ts'
import { createFailures } from '../frame/slices.ts'
import type { KeyRef } from '../keys/index.ts'

/** After this time an unfinished creation has crashed. */
const UNOWNED_AFTER_MS = 10 * 60_000
const PAGE = 200
/** Time of one pass; the schedule begins one every 5 minutes. */
const PASS_MS = 4 * 60_000

interface Unowned extends KeyRef {
  createdAt: string
}

/** The oldest first; `created_at` as a text, because a Date has no microseconds. */
const UNOWNED = `select id as "keyId", tenant_id as "tenantId", key_type as "keyType", created_at::text as "createdAt" from keys
where did_id is null and owner_id is null and created_at < ? and (created_at, id) > (?::timestamptz, ?::uuid)
order by created_at, id limit ${PAGE}`
const FORGET = 'delete from keys where id = ? and did_id is null and owner_id is null'

/**
 * Destroys keys without an owner, of creations that crashed or of deleted owners; then deletes their rows. One that cannot
 * be destroyed holds up no other one. Safe to repeat.
 */
export const createReaper =
  ({ database, keys, now, log }: Pick<Dependencies, 'database' | 'keys' | 'now' | 'log'>) =>
  async (): Promise<{ reaped: number }> => {
    const before = new Date(now().getTime() - UNOWNED_AFTER_MS)
    const endMs = performance.now() + PASS_MS
    const failures = createFailures((error, keyId) => log.error({ err: error, keyId }, 'a key was not destroyed'))
    const inSystem = <Row extends object>(text: string, values: unknown[]) =>
      asSystem(database.system, (em) => em.execute<Row[]>(text, values))
    let reaped = 0
    let isDeleted = true

    const reap = async ({ tenantId, keyId, keyType }: Unowned) => {
      isDeleted = false
      await keys.delete({ tenantId, keyId, keyType })
      isDeleted = true
      await inSystem(FORGET, [keyId])
      reaped += 1
    }

    for (let after = { createdAt: '-infinity', keyId: '00000000-0000-0000-0000-000000000000' }; ; ) {
      const page = await inSystem<Unowned>(UNOWNED, [before, after.createdAt, after.keyId])
      for (const key of page) {
        if (performance.now() > endMs) break
        await failures.attempt(key.keyId, () => reap(key))
        if (!isDeleted) await keys.ready() // while the store is away every key fails: the next pass comes to them
      }
      const last = page.at(-1)
      if (!last || page.length < PAGE || performance.now() > endMs) break
      after = last
    }
    failures.end('keys without an owner were not destroyed')
    return { reaped }
  }
