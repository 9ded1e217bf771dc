import type { OpenIdSession } from '../../../entities/openid/sessions.ts'
import { inTenant } from '../../../entities/orm.ts'
import { walletRefusal } from '../../../protocol/openid/oid4vci/refusals.ts'
import type { NotificationEvent } from '../../../protocol/openid/oid4vci/requests.ts'
import type { Dependencies } from '../../dependencies.ts'
import { addStep, endSession, issuancesOf, lockSession } from './records.ts'
import type { SessionSecrets } from './secrets.ts'

interface Parts extends Pick<Dependencies, 'database' | 'now'> {
  secrets: SessionSecrets
  wake(tenantId: string, sessionId: string): Promise<void>
}

/** What wallets say became of credentials. */
export const createNotifications = ({ database, now, secrets, wake }: Parts) => ({
  /**
   * Notes a notification; the session ends with the last one. The same notification again changes nothing. Throws
   * `wallet.invalid_notification_id`.
   */
  async notify(
    { tenantId, id: sessionId }: OpenIdSession,
    { notificationId, event }: { notificationId: string; event: NotificationEvent },
  ): Promise<void> {
    await inTenant(database.tenants, tenantId, async (em) => {
      const session = await lockSession(em, sessionId)
      const issuances = await issuancesOf(em, sessionId)
      const issuance = issuances.find(
        ({ id, state }) => state === 'ISSUED' && secrets.isHandle('notification', id, notificationId),
      )
      if (!session || !issuance)
        throw walletRefusal('invalid_notification_id', 'The notification_id is none of this access token.')
      if (issuance.notification === event) return
      const at = now()
      Object.assign(issuance, { notification: event, updatedAt: at })
      addStep(session, at, { step: 'NOTIFIED', issuanceId: issuance.id, code: event })
      if (session.endedAt || issuances.some(({ notification }) => !notification)) return
      const hasFailed = issuances.some(({ notification }) => notification === 'credential_failure')
      endSession(
        session,
        issuances,
        at,
        hasFailed
          ? {
              state: 'FAILED',
              code: 'openid_session.refused_by_wallet',
              message: 'The wallet could not store a credential.',
            }
          : { state: 'COMPLETED' },
      )
    })
    await wake(tenantId, sessionId)
  },
})

export type WalletNotifications = ReturnType<typeof createNotifications>
