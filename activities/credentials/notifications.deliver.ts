import { createHash } from 'node:crypto'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { Notification } from '../../entities/credentials/credentials.ts'
import { inTenant } from '../../entities/orm.ts'
import { logOf } from '../../protocol/credentials/formats.ts'
import { messageEndpoint, messageHeader } from '../../protocol/credentials/notifications.ts'
import type { NotificationSubject } from '../../protocol/credentials/work.ts'
import { Refusal } from '../../protocol/errors.ts'
import { jwsAlgorithm, signCompactJws } from '../../protocol/jws.ts'
import type { Dependencies } from '../dependencies.ts'
import type { DidResolver } from '../dids/resolver.ts'
import type { Signers } from '../dids/signers.ts'
import { addLogEntry } from '../frame/log-entries.ts'
import { postMessage } from '../frame/outbound/post.ts'
import { findCredential } from './read.ts'
import { refuseIssuer } from './refusals.ts'

/** `later`: to be tried again, because the recipient's side may be available then. */
export type DeliveryOutcome = { state: 'SENT' | 'NO_SERVICE' | 'FAILED' | 'later'; reason?: string }

/** Best first; a BBS key signs no messages. */
const MESSAGE_KEYS = ['ed25519', 'p256']

/** Returns the signer of messages of a DID. Throws `credential.issuer_*`. */
export async function messageSigner(signers: Signers, tenantId: string, did: string) {
  const didSigner = await signers.signerOf(tenantId, did, refuseIssuer('from'))
  return didSigner.withKey({ keyTypes: MESSAGE_KEYS, neededBy: 'a message' })
}

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'sql' | 'outbound' | 'now' | 'uuid' | 'log'> {
  signers: Signers
  didResolver: DidResolver
}

/** Activities of the workflow of a notification. */
export function createNotificationDelivery(parts: Parts) {
  const { config, database, sql, outbound, now, uuid, log, signers, didResolver } = parts

  /**
   * Counts messages by the host of their endpoint, because DID documents at many hosts may name one endpoint. A message
   * over the limit is tried later, as if the endpoint did not answer.
   */
  const limiter = new RateLimiterPostgres({
    points: config.notificationLimitPerHour,
    duration: 3600,
    keyPrefix: 'notification',
    storeClient: sql,
    tableName: 'rate_limits',
    tableCreated: true,
    clearExpiredByTimeout: false,
  })

  async function isWithinLimit(tenantId: string, host: string): Promise<boolean> {
    const key = createHash('sha256').update(`${tenantId} ${host}`).digest('base64url')
    const result = await limiter.consume(key).catch((error: unknown) => {
      if (error instanceof RateLimiterRes) return undefined
      throw error
    })
    return result !== undefined
  }

  /** Resolves, signs and sends. Returns a failure of the recipient's side as an outcome; throws our own. */
  async function deliver(tenantId: string, { recipient, sender, message }: Notification): Promise<DeliveryOutcome> {
    try {
      const { document } = await didResolver.resolve(recipient)
      const url = messageEndpoint(document)
      if (!url) return { state: 'NO_SERVICE' }
      if (!(await isWithinLimit(tenantId, new URL(url).hostname)))
        return { state: 'later', reason: 'notification.too_many' }
      const { keyType, verificationMethod, sign } = await messageSigner(signers, tenantId, sender)
      const body = await signCompactJws(messageHeader(jwsAlgorithm(keyType), verificationMethod), message, sign)
      const posted = await postMessage(outbound, { url, headers: { 'content-type': 'application/jose' }, body })
      if (posted.accepted) return { state: 'SENT' }
      return { state: posted.mayPass ? 'later' : 'FAILED', reason: posted.reason }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.code === 'did.method_unsupported') return { state: 'NO_SERVICE', reason: error.code }
      // by then their document may resolve, or our key be repaired
      const later = error.code === 'did.unresolvable' || error.code.startsWith('key.')
      return { state: later ? 'later' : 'FAILED', reason: error.code }
    }
  }

  const find = (tenantId: string, id: string) =>
    inTenant(database.tenants, tenantId, (em) => em.findOne(Notification, { id, state: 'PENDING' }))

  return {
    /** Safe to retry: the recipient recognises a repeated message by its id. */
    async deliverNotification({ tenantId, notificationId }: NotificationSubject): Promise<DeliveryOutcome> {
      const notification = await find(tenantId, notificationId)
      if (!notification) return { state: 'SENT' }
      const outcome = await deliver(tenantId, notification)
      const { credentialId } = notification
      if (outcome.state === 'later' || outcome.state === 'FAILED')
        log.warn({ tenantId, notificationId, credentialId, ...outcome }, 'a holder was not reached')
      return outcome
    },

    /**
     * Records the outcome once, in the row and in the log. Safe to retry. `mayTryAgain`: the recipient was not reached,
     * so another notification of the same status is allowed.
     */
    async concludeNotification(
      { tenantId, notificationId }: NotificationSubject,
      state: 'SENT' | 'NO_SERVICE' | 'FAILED',
      reason?: string,
      mayTryAgain = false,
    ): Promise<void> {
      await inTenant(database.tenants, tenantId, async (em) => {
        const row = await em.findOne(Notification, { id: notificationId, state: 'PENDING' })
        if (!row) return
        const again = mayTryAgain ? { statusChange: null } : {}
        em.assign(row, { state, reason: reason ?? null, endedAt: now(), ...again })
        const { requestId, clientId, credentialId } = row
        const { format } = await findCredential(em, credentialId)
        addLogEntry(
          em,
          { now, uuid },
          {
            ...logOf(format, 'REVOCATION_MESSAGE_SEND'),
            ...{ tenantId, requestId, clientId },
            outcome: state === 'FAILED' ? 'FAIL' : 'SUCCESS',
            metadata: { id: credentialId, notificationId, outcome: state, ...(reason && { reason }) },
          },
        )
      })
    },
  }
}

export type NotificationDelivery = ReturnType<typeof createNotificationDelivery>
