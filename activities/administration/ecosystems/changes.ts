import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { PlatformChangeId } from '../../../protocol/operations.ts'
import type { Call, Metadata, Operations } from '../../frame/operations.ts'
import { ecosystemNotFound } from './rows.ts'

const LOCK = 'select id from ecosystems where id = ? for no key update'

/** Later than the change before it, also where both are of one millisecond. */
const POLICY = `update ecosystems set policy_version = policy_version + 1, policy_modified_before = policy_modified_at,
  policy_modified_at = greatest(?::timestamptz, policy_modified_at + interval '1 millisecond') where id = ?`

interface Parts {
  operations: Operations
  now(): Date
  /** This process looks at the policies again. */
  forget(): void
}

/** The unit of work of every change of ecosystems. */
export const createEcosystemChanges = ({ operations, now, forget }: Parts) => ({
  /**
   * Changes of one ecosystem wait for each other here until their transactions end: what `work` counts and compares stays
   * so. `ecosystemId`: absent for a new one. Throws `Refusal('ecosystem.not_found')`.
   */
  async change<Result>(
    call: Call,
    operationId: PlatformChangeId,
    metadata: Metadata,
    ecosystemId: string | undefined,
    work: (em: SqlEntityManager) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await operations.changePlatform(call, operationId, metadata, async (em) => {
        if (ecosystemId !== undefined && (await em.execute<object[]>(LOCK, [ecosystemId])).length === 0)
          throw ecosystemNotFound()
        return work(em)
      })
    } finally {
      forget()
    }
  },

  /** For each change that the policy shows. */
  async movePolicy(em: SqlEntityManager, ecosystemId: string): Promise<void> {
    await em.flush()
    await em.execute(POLICY, [now(), ecosystemId])
  },
})

export type EcosystemChanges = ReturnType<typeof createEcosystemChanges>
