import { inTenant } from '../entities/orm.ts'
import { Notification } from '../entities/semantic-credentials.status.ts'
import { SemanticCredential } from '../entities/semantic-credentials.ts'
import { Refusal } from '../protocol/errors.ts'
import { statusMessage, subjectDids } from '../protocol/semantic-credentials.notifications.ts'
import type { Dependencies } from './index.ts'
import type { Call, Operations } from './operations.ts'
import type { Issuers } from './semantic-credentials.issuers.ts'
import { messageSigner } from './semantic-credentials.notifications.deliver.ts'
import { credentialNotFound, notRevocable } from './semantic-credentials.refusals.ts'
import { notificationWork } from './semantic-credentials.work.ts'

const invalid = (path: string, message: string) =>
  new Refusal('request.invalid', `The notification's ${path} is not usable.`, [{ path, code: 'did', message }])

interface Parts extends Pick<Dependencies, 'database' | 'outbox' | 'now' | 'uuid'> {
  operations: Operations
  issuers: Issuers
}

/** Tells holders of the status of their credential, as a signed message to where their DID takes messages (D-113). */
export function createNotifications(parts: Parts) {
  const { database, outbox, now, uuid, operations, issuers } = parts

  async function senderOf(tenantId: string, from: string | undefined, didId: string): Promise<string> {
    const named = from ?? (await ownDid(tenantId, didId))
    await messageSigner(issuers, tenantId, named).catch((error: unknown) => {
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

  return {
    /**
     * `from`: the credential's issuer unless told; `to`: all its subjects unless told. Throws `credential.not_found`,
     * `credential.not_revocable`, `request.invalid`.
     */
    async notifyStatus(call: Call, id: string, { from, to }: { from?: string; to?: string[] }): Promise<void> {
      const { tenantId, requestId, clientId } = call
      const credential = await inTenant(database.tenants, tenantId, (em) => em.findOne(SemanticCredential, { id }))
      if (!credential) throw credentialNotFound()
      if (!credential.statusListId) throw notRevocable()
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
          await outbox.enqueue(em, notificationWork.start({ tenantId, id: notificationId, credentialId: id }))
        }
        return null
      })
    },

    /** Newest first, each with what came of it. Throws `credential.not_found`. */
    async listNotifications(tenantId: string, id: string, { limit, offset }: { limit: number; offset: number }) {
      return inTenant(database.tenants, tenantId, async (em) => {
        if (!(await em.findOne(SemanticCredential, { id }))) throw credentialNotFound()
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [notifications, total] = await em.findAndCount(
          Notification,
          { credentialId: id },
          { orderBy, limit, offset },
        )
        return { notifications, total }
      })
    },
  }
}

export type Notifications = ReturnType<typeof createNotifications>
