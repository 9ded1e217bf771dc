import { OpenIdPresentation } from '../../../entities/openid/presentations.ts'
import { inTenant } from '../../../entities/orm.ts'
import type { PresentationLook, PresentationSubject } from '../../../protocol/openid/presentations/requests.ts'
import type { Dependencies } from '../../dependencies.ts'
import { defineWork } from '../../frame/pending-work.ts'
import { createSealer } from '../../frame/sealing.ts'
import type { Events } from '../../webhooks/events.ts'
import { createRequestRows, LOCK } from './rows.ts'

export const SEALED_AS = 'openid-presentations'

type Parts = Pick<Dependencies, 'config' | 'database' | 'now' | 'uuid'> & { webhookEvents: Pick<Events, 'emitEvent'> }

/** Ends requests whose time is over, so that their clients hear of it. */
export function createRequestExpiry(parts: Parts) {
  const { config, database, now } = parts
  const rows = createRequestRows({ ...parts, sealer: createSealer(config.masterKey, SEALED_AS) })

  return {
    /** Safe to retry: a request that has ended stays as it is. */
    expirePresentationRequest: ({ tenantId, presentationId }: PresentationSubject): Promise<PresentationLook> =>
      inTenant(database.tenants, tenantId, async (em) => {
        const row = await em.findOne(OpenIdPresentation, { id: presentationId }, LOCK)
        if (!row || row.endedAt) return {}
        const leftMs = row.expiresAt.getTime() - now().getTime()
        if (leftMs > 0) return { nextInMs: leftMs }
        await rows.end(em, row, rows.opened(row), { state: 'EXPIRED', code: 'openid_presentation.expired' })
        return {}
      }),
  }
}

export type RequestExpiry = ReturnType<typeof createRequestExpiry>

/** A request whose time is over. */
export const presentationWork = defineWork({
  workflowType: 'expirePresentation',
  table: 'openid_presentations',
  underWay: 'w.ended_at is null and w.expires_at <= now()',
  since: 'w.expires_at',
  payload: ({ tenantId, id }) => ({ tenantId, presentationId: id }),
  about: () => [],
})
