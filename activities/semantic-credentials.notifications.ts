import { inTenant } from '../entities/orm.ts'
import { Notification } from '../entities/semantic-credentials.status.ts'
import { SemanticCredential } from '../entities/semantic-credentials.ts'
import { LogEntry } from '../entities/tokens-logs.ts'
import { Refusal, Unavailable } from '../protocol/errors.ts'
import {
  messageEndpoint,
  messageSigningInput,
  statusMessage,
  subjectDids,
} from '../protocol/semantic-credentials.notifications.ts'
import type { DidResolver } from './did-resolver.ts'
import type { Dependencies } from './index.ts'
import type { Call, Operations } from './operations.ts'
import type { Issuers } from './semantic-credentials.issuers.ts'

export interface NotificationSubject {
  tenantId: string
  notificationId: string
}

/** `later`: the recipient's side may be back by then. */
export type DeliveryOutcome = { state: 'SENT' | 'NO_SERVICE' | 'FAILED' | 'later'; reason?: string }

const invalid = (path: string, message: string) =>
  new Refusal('request.invalid', `The notification's ${path} is not usable.`, [{ path, code: 'did', message }])

interface Parts extends Pick<Dependencies, 'database' | 'outbox' | 'outbound' | 'now' | 'uuid' | 'log'> {
  operations: Operations
  issuers: Issuers
  didResolver: DidResolver
}

/** Tells holders of the status of their credential, as a signed message to where their DID takes messages (D-113). */
export function createNotifications(parts: Parts) {
  const { database, outbox, outbound, now, uuid, log, operations, issuers, didResolver } = parts

  /** EdDSA or ES256; a BBS key signs no messages. */
  async function signerOf(tenantId: string, did: string) {
    const issuer = await issuers.find(tenantId, did)
    const edwards = issuer.keys.some(({ keyType }) => keyType === 'ed25519')
    const signer = issuers.signer(tenantId, issuer, edwards ? 'eddsa-rdfc-2022' : 'ecdsa-rdfc-2019')
    return { signer, alg: edwards ? ('EdDSA' as const) : ('ES256' as const) }
  }

  async function senderOf(tenantId: string, from: string | undefined, didId: string): Promise<string> {
    const named = from ?? (await ownDid(tenantId, didId))
    await signerOf(tenantId, named).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error
      throw invalid('from', 'expected a DID of /v1/dids with an Ed25519 or P-256 key')
    })
    return named
  }

  const ownDid = async (tenantId: string, didId: string): Promise<string> => {
    const rows = await inTenant(database.tenants, tenantId, (em) =>
      em.execute<{ did: string }[]>('select did from dids where id = ?', [didId]),
    )
    return rows[0]?.did ?? ''
  }

  /** Resolves, signs, sends; what the recipient's side does wrong is an outcome, what ours does is thrown. */
  async function deliver(tenantId: string, { recipient, sender, message }: Notification): Promise<DeliveryOutcome> {
    try {
      const { document } = await didResolver.resolve(recipient)
      const url = messageEndpoint(document)
      if (!url) return { state: 'NO_SERVICE' }
      const { signer, alg } = await signerOf(tenantId, sender)
      const input = messageSigningInput(message, alg, signer.verificationMethod)
      const body = `${input}.${Buffer.from(await signer.sign(Buffer.from(input))).toString('base64url')}`
      const { status } = await outbound.fetch({
        url,
        method: 'POST',
        headers: { 'content-type': 'application/jose' },
        body,
      })
      if (status >= 200 && status < 300) return { state: 'SENT' }
      const reason = `answered ${status}`
      return { state: status >= 500 || status === 429 || status === 408 ? 'later' : 'FAILED', reason }
    } catch (error) {
      if (error instanceof Unavailable && error.part === 'outbound') return { state: 'later', reason: error.message }
      if (!(error instanceof Refusal)) throw error
      if (error.code === 'did.method_unsupported') return { state: 'NO_SERVICE', reason: error.code }
      return { state: error.code === 'did.unresolvable' ? 'later' : 'FAILED', reason: error.code }
    }
  }

  const find = (tenantId: string, id: string) =>
    inTenant(database.tenants, tenantId, (em) => em.findOne(Notification, { id, state: 'PENDING' }))

  return {
    /**
     * `from`: the credential's issuer unless told; `to`: all its subjects unless told. Throws `credential.not_found`,
     * `credential.not_revocable`, `request.invalid`.
     */
    async notifyStatus(call: Call, id: string, { from, to }: { from?: string; to?: string[] }): Promise<void> {
      const { tenantId, requestId, clientId } = call
      const credential = await inTenant(database.tenants, tenantId, (em) => em.findOne(SemanticCredential, { id }))
      if (!credential) throw new Refusal('credential.not_found', 'There is no such credential.')
      if (!credential.statusListId)
        throw new Refusal(
          'credential.not_revocable',
          'The credential was signed with revocable false: it has no status.',
        )
      const subjects = subjectDids(credential.credential)
      if (to?.some((did) => !subjects.includes(did))) throw invalid('to', 'expected DIDs of the credential’s subjects')
      const sender = await senderOf(tenantId, from, credential.didId)
      const recipients = [...new Set(to ?? subjects)]
      const operation = {
        name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_MESSAGE_PAYLOAD_CREATE',
        category: 'credential-web-semantic',
        metadata: { id, from: sender, recipients: recipients.length },
      }
      await operations.change(call, operation, async (em) => {
        for (const recipient of recipients) {
          const notificationId = uuid()
          const about = { id: notificationId, from: sender, to: recipient, now: now(), isRevoked: credential.revoked }
          const message = { ...statusMessage(credential.credential, about) }
          const row = {
            id: notificationId,
            tenantId,
            credentialId: id,
            recipient,
            sender,
            message,
            requestId,
            clientId,
          }
          em.create(Notification, { ...row, createdAt: now(), state: 'PENDING' })
          await outbox.enqueue(em, {
            tenantId,
            area: 'semantic-credentials',
            objectId: notificationId,
            workflowType: 'notifyStatus',
            workflowId: `${tenantId}/semantic-credentials/notifications/${notificationId}`,
            summary: `tell a holder of the status of credential ${id}`,
            payload: { tenantId, notificationId },
          })
        }
        return null
      })
    },

    /** May be repeated: the recipient tells a message that comes twice by its id. */
    async deliverNotification({ tenantId, notificationId }: NotificationSubject): Promise<DeliveryOutcome> {
      const notification = await find(tenantId, notificationId)
      if (!notification) return { state: 'SENT' }
      const outcome = await deliver(tenantId, notification)
      const { credentialId } = notification
      if (outcome.state === 'later' || outcome.state === 'FAILED')
        log.warn({ tenantId, notificationId, credentialId, ...outcome }, 'a holder was not reached')
      return outcome
    },

    /** Safe to retry: the outcome is recorded once, in the row and in the log. */
    async concludeNotification(
      { tenantId, notificationId }: NotificationSubject,
      state: 'SENT' | 'NO_SERVICE' | 'FAILED',
      reason?: string,
    ): Promise<void> {
      await inTenant(database.tenants, tenantId, async (em) => {
        const row = await em.findOne(Notification, { id: notificationId, state: 'PENDING' })
        if (!row) return
        em.assign(row, { state, reason: reason ?? null, endedAt: now() })
        const { requestId, clientId, credentialId } = row
        const name = 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_MESSAGE_SEND'
        em.create(LogEntry, {
          id: uuid(),
          tenantId,
          requestId,
          category: 'credential-web-semantic',
          type: `${name}_${state === 'FAILED' ? 'FAIL' : 'SUCCESS'}`,
          timestamp: now(),
          data: {},
          metadata: { clientId, id: credentialId, notificationId, outcome: state, ...(reason && { reason }) },
        })
      })
    },
  }
}

export type Notifications = ReturnType<typeof createNotifications>
