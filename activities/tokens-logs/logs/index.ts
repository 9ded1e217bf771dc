import type { Dependencies } from '../../dependencies.ts'
import { createSequencer } from '../../frame/log-sequencer.ts'
import { createLogExport, type ExportFilter } from './export.ts'
import { createHeads } from './heads.ts'
import { createLogKeys } from './keys.ts'
import { createTokensLogs } from './list.ts'
import { createRetention } from './retention.ts'
import { createChainRows } from './rows.ts'
import { createLogVerification, type LogCheck } from './verify.ts'
import { createWalk } from './walk.ts'

const partsOf = (dependencies: Dependencies) => {
  const keys = createLogKeys(dependencies)
  const rows = createChainRows(dependencies)
  return { ...dependencies, rows, walk: createWalk({ rows, keys }), logKeys: keys }
}

/** Operations of the log of a tenant. */
export function composeLogs(dependencies: Dependencies) {
  const { rows, walk, logKeys, logs } = partsOf(dependencies)
  const sequencer = createSequencer({ sql: dependencies.systemSql, log: dependencies.log })
  const { verifyLog } = createLogVerification({ rows, keys: logKeys, walk })
  const { exportLogs } = createLogExport({ ...dependencies, walk })

  /** What was logged before now is in the chain, unless a sequencer is at it this moment. */
  async function catchUp(): Promise<void> {
    await logs.flush()
    while (await sequencer.runOnce());
  }

  return {
    ...createTokensLogs(dependencies),

    async verifyLog(tenantId: string, check: LogCheck) {
      await catchUp()
      return verifyLog(tenantId, check)
    },

    async *exportLogs(tenantId: string, filter: ExportFilter): AsyncGenerator<string> {
      await catchUp()
      yield* exportLogs(tenantId, filter)
    },

    /** The newest seals that are kept, and the keys that they were signed with. */
    async logHead(tenantId: string) {
      const [head, checkpoint] = [
        (await rows.seals(tenantId, 'head')).at(-1),
        (await rows.seals(tenantId, 'checkpoint')).at(-1),
      ]
      return { head: head ?? null, checkpoint: checkpoint ?? null, ...(await logKeys.keySet()) }
    },
  }
}

/** Activities of the scheduled workflows of the log. */
export function logActivities(dependencies: Dependencies) {
  const { rows, walk, logKeys: keys, ...parts } = partsOf(dependencies)
  const heads = createHeads({ ...parts, rows, keys, walk })
  const { removeOldLogEntries } = createRetention({ ...parts, keys, walk, heads })
  return { signLogHeads: heads.signLogHeads, removeOldLogEntries }
}

export type LogActivities = ReturnType<typeof logActivities>
