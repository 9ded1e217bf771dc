import { Notification } from '../../entities/credentials/credentials.ts'
import { inTenant } from '../../entities/orm.ts'
import { logOf } from '../../protocol/credentials/formats.ts'
import { messageHeader, statusContent } from '../../protocol/credentials/notifications.ts'
import type { NotificationSubject } from '../../protocol/credentials/work.ts'
import type { Signer } from '../../protocol/data-integrity/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import { jwsAlgorithm, signCompactJws } from '../../protocol/jws.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Signers } from '../dids/signers.ts'
import { createLimit, hostKey } from '../frame/limits/index.ts'
import { addLogEntry } from '../frame/log-entries.ts'
import { postMessage } from '../frame/outbound/post.ts'
import type { Turns } from '../frame/outbound/turns.ts'
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

/** What is posted to a service. */
interface Packed {
  contentType: string
  body: string
}

/** A message to a holder, for whoever brings it. */
interface MessageToHolder {
  tenantId: string
  requestId: string
  from: string
  to: string
  content: ReturnType<typeof statusContent>
  signer(): Promise<Signer>
  /** Returns the message for a holder whose DID has no key to encrypt to. */
  plain(): Promise<Packed>
}

/** The way of messages to holders, which another area has: into an inbox of the platform, or to the service of a DID. */
export interface HolderMessages {
  reachHolder(message: MessageToHolder): Promise<{ kind: 'here' | 'nowhere' } | ServiceWay>
}

interface ServiceWay {
  kind: 'service'
  url: string
  pack(): Promise<Packed>
}

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'sql' | 'outbound' | 'now' | 'uuid' | 'log'> {
  signers: Signers
  holderMessages: HolderMessages
  turns: Pick<Turns, 'run'>
}

/** Refusals that may pass: a document may resolve by then, our key be repaired, the inbox be emptied or deleted. */
const mayPass = (code: string): boolean =>
  ['did.unresolvable', 'inbox.full', 'inbox.not_found'].includes(code) || code.startsWith('key.')

/** Activities of the workflow of a notification. */
export function createNotificationDelivery(parts: Parts) {
  const { config, database, sql, outbound, now, uuid, log, signers, holderMessages, turns } = parts

  /**
   * Counts messages by whose the host of their endpoint is, because DID documents at many hosts may name one. A message
   * over the limit is tried later, as if the endpoint did not answer.
   */
  const limit = createLimit(sql, { name: 'notification', points: config.notificationLimitPerHour, seconds: 3600 })

  async function isWithinLimit(tenantId: string, host: string): Promise<boolean> {
    return (await limit.take(hostKey(tenantId, host))) === undefined
  }

  /** The order of a stored message; who brings it decides between its encrypted form and the plain one. */
  function orderOf({ tenantId, requestId, recipient, sender, message }: Notification): MessageToHolder {
    const signer = () => messageSigner(signers, tenantId, sender)
    return {
      ...{ tenantId, requestId, from: sender, to: recipient, signer },
      content: statusContent(message),
      async plain() {
        const { keyType, verificationMethod, sign } = await signer()
        const body = await signCompactJws(messageHeader(jwsAlgorithm(keyType), verificationMethod), message, sign)
        return { contentType: 'application/jose', body }
      },
    }
  }

  /** Sends to a service, in the turn of the tenant there: a wait of ours is no failure of the recipient's side. */
  async function post({ tenantId }: Notification, { url, pack }: ServiceWay): Promise<DeliveryOutcome> {
    if (!(await isWithinLimit(tenantId, new URL(url).hostname)))
      return { state: 'later', reason: 'notification.too_many' }
    const { contentType, body } = await pack()
    const posted = await postMessage(outbound, { url, headers: { 'content-type': contentType }, body })
    if (posted.accepted) return { state: 'SENT' }
    return { state: posted.mayPass ? 'later' : 'FAILED', reason: posted.reason }
  }

  /** Finds the way and sends. Returns a failure of the recipient's side as an outcome; throws our own. */
  async function deliver(notification: Notification): Promise<DeliveryOutcome> {
    try {
      const way = await holderMessages.reachHolder(orderOf(notification))
      if (way.kind !== 'service') return { state: way.kind === 'here' ? 'SENT' : 'NO_SERVICE' }
      return await turns.run(notification.tenantId, way.url, () => post(notification, way))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.code === 'did.method_unsupported') return { state: 'NO_SERVICE', reason: error.code }
      return { state: mayPass(error.code) ? 'later' : 'FAILED', reason: error.code }
    }
  }

  const find = (tenantId: string, id: string) =>
    inTenant(database.tenants, tenantId, (em) => em.findOne(Notification, { id, state: 'PENDING' }))

  return {
    /** Safe to retry: the recipient recognises a repeated message by its id. */
    async deliverNotification({ tenantId, notificationId }: NotificationSubject): Promise<DeliveryOutcome> {
      const notification = await find(tenantId, notificationId)
      if (!notification) return { state: 'SENT' }
      const outcome = await deliver(notification)
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
