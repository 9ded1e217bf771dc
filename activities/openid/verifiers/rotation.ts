import { inTenant } from '../../../entities/orm.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { OPERATIONS } from '../../../protocol/operations.ts'
import { DAY_MS } from '../../../protocol/time.ts'
import { NIL_UUID } from '../../../protocol/uuid.ts'
import type { Dependencies } from '../../dependencies.ts'
import { addLogEntry, PLATFORM } from '../../frame/log-entries.ts'
import { KEPT_MS, type VerifierKeys } from './keys.ts'
import { findVerifier } from './records.ts'

/** Verifiers of one look. */
const AT_ONCE = 100

interface Due {
  id: string
  tenantId: string
  /** The newest keys are too old; else there are keys to forget alone. */
  isOld: boolean
}

/** Verifiers whose keys are too old, and those with keys that are not published any more. A verifier has two keys at a time. */
const DUE = `select v.id, v.tenant_id as "tenantId", max(k.created_at) <= $2 as "isOld"
from oidc_verifiers v join oidc_keys k on k.verifier_id = v.id
where v.id > $1::uuid group by v.id, v.tenant_id
having max(k.created_at) <= $2 or (count(*) > 2 and max(k.created_at) <= $3)
order by v.id limit ${AT_ONCE}`

export interface RotatedKeys {
  /** Verifiers with new keys. */
  rotated: number
  /** Keys that are destroyed. */
  forgotten: number
}

interface Parts extends Pick<Dependencies, 'database' | 'systemSql' | 'now' | 'uuid' | 'log'> {
  verifierKeys: VerifierKeys
  config: { oidcKeyDays: number }
}

/** Changes keys of verifiers by the clock. */
export function createVerifierKeyRotation({ database, systemSql, now, uuid, log, verifierKeys, config }: Parts) {
  /** Keys are made before the transaction; those that another run has made needless are destroyed by the reaper. */
  async function rotate({ id, tenantId }: Due, isStillOld: (newest: Date) => boolean): Promise<RotatedKeys> {
    const made = await verifierKeys.make(tenantId)
    return inTenant(database.tenants, tenantId, async (em) => {
      await findVerifier(em, id, true)
      const forgotten = await verifierKeys.forget(em, id)
      const newest = await verifierKeys.newest(em, id)
      if (newest && !isStillOld(newest)) return { rotated: 0, forgotten }
      await verifierKeys.give(em, id, made)
      const { name, category } = OPERATIONS.rotateOidcVerifierKeys
      const about = { tenantId, requestId: uuid(), clientId: PLATFORM, metadata: { id } }
      addLogEntry(em, { now, uuid }, { ...about, name, category, outcome: 'SUCCESS' })
      return { rotated: 1, forgotten }
    })
  }

  const forget = ({ id, tenantId }: Due): Promise<RotatedKeys> =>
    inTenant(database.tenants, tenantId, async (em) => {
      await findVerifier(em, id, true)
      return { rotated: 0, forgotten: await verifierKeys.forget(em, id) }
    })

  return {
    /**
     * Scheduled: gives verifiers new keys whose newest are too old, and forgets keys that are not published any more. Safe to
     * retry: what is done is not due again.
     */
    async rotateVerifierKeys(): Promise<RotatedKeys> {
      const done: RotatedKeys = { rotated: 0, forgotten: 0 }
      const at = now().getTime()
      const oldest = config.oidcKeyDays === 0 ? new Date(0) : new Date(at - config.oidcKeyDays * DAY_MS)
      for (let after = NIL_UUID; ; ) {
        const values = [after, oldest, new Date(at - KEPT_MS)]
        const { rows } = await systemSql.query<Due>({ text: DUE, values })
        for (const due of rows) {
          const work = due.isOld ? rotate(due, (newest) => newest <= oldest) : forget(due)
          const { rotated, forgotten } = await work.catch((error: unknown) => {
            if (!(error instanceof Refusal)) throw error
            log.info({ err: error, tenantId: due.tenantId, verifierId: due.id }, 'a verifier was deleted meanwhile')
            return { rotated: 0, forgotten: 0 }
          })
          done.rotated += rotated
          done.forgotten += forgotten
        }
        const last = rows.at(-1)
        if (!last || rows.length < AT_ONCE) return done
        after = last.id
      }
    },
  }
}

export type VerifierKeyRotation = ReturnType<typeof createVerifierKeyRotation>
