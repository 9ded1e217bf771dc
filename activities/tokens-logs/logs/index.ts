import { TooMany } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import { createLimit } from '../../frame/limits/index.ts'
import { createSequencer } from '../../frame/log-sequencer.ts'
import { createLogCounts } from './counts.ts'
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

/** A caller waits no longer for what was logged before to have its place: the rest is `waiting`. */
const CATCH_UP_MS = 2_000
/** Longer than a verification takes. Its process may have crashed: then the next one comes after this time. */
const TURN_SECONDS = 30
/** What a verification of the most places takes. */
const RETRY_SECONDS = 3

/** Lets one verification of a tenant's log run at a time, over all processes. */
function createVerificationTurns({ sql }: Pick<Dependencies, 'sql'>) {
  const turns = createLimit(sql, { name: 'verify-log', points: 1, seconds: TURN_SECONDS })
  return async <Result>(tenantId: string, work: () => Promise<Result>): Promise<Result> => {
    if ((await turns.take(tenantId)) !== undefined) {
      const message = "The tenant's log is being verified: one verification runs at a time."
      throw new TooMany('log.being_verified', message, RETRY_SECONDS)
    }
    try {
      return await work()
    } finally {
      await turns.forget(tenantId)
    }
  }
}

/** Operations of the log of a tenant. */
export function composeLogs(dependencies: Dependencies) {
  const { rows, walk, logKeys, logs } = partsOf(dependencies)
  const sequencer = createSequencer({ sql: dependencies.systemSql, log: dependencies.log })
  const { verifyLog } = createLogVerification({ rows, keys: logKeys, walk })
  const { exportLogs } = createLogExport({ ...dependencies, walk })
  const inTurn = createVerificationTurns(dependencies)

  /** What was logged before now is in the chain, unless a sequencer is at it this moment. */
  async function catchUp(): Promise<void> {
    await logs.flush()
    const until = performance.now() + CATCH_UP_MS
    while ((await sequencer.runOnce()) && performance.now() < until);
  }

  async function verifyNow(tenantId: string, check: LogCheck) {
    await catchUp()
    return verifyLog(tenantId, check)
  }

  return {
    ...createTokensLogs(dependencies),
    ...createLogCounts(dependencies),

    /** For an operator. */
    verifyLog: verifyNow,

    /** For a caller. Throws `TooMany('log.being_verified')` besides. */
    verifyLogInTurn: (tenantId: string, check: LogCheck) => inTurn(tenantId, () => verifyNow(tenantId, check)),

    async *exportLogs(tenantId: string, filter: ExportFilter): AsyncGenerator<string> {
      await catchUp()
      yield* exportLogs(tenantId, filter)
    },

    /** The newest seals that are kept, and the keys that they were signed with. */
    async logHead(tenantId: string) {
      const [head, checkpoint] = [
        await rows.newestSeal(tenantId, 'head'),
        await rows.newestSeal(tenantId, 'checkpoint'),
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
