import { createHash } from 'node:crypto'
import { InboxMessage } from '../../entities/messaging.ts'
import { inTenant } from '../../entities/orm.ts'
import { parseDidUrl } from '../../protocol/dids/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import { MESSAGE_RECEIVED_ENTRY } from '../../protocol/messaging/entries.ts'
import { uuidOfHex } from '../../protocol/uuid.ts'
import type { Dependencies } from '../dependencies.ts'
import type { DidStanding, Hosting } from '../dids/standing.ts'
import { addLogEntry } from '../frame/log-entries.ts'
import type { Sealer } from '../frame/sealing.ts'
import { lockInbox } from './inboxes.ts'
import { placeOf } from './messages.ts'
import { STANDS } from './standing.ts'

/** Also a check of the table. */
export const MAX_MESSAGE_BYTES = 256 * 1024
/** Of one inbox, so that a page of it is bounded as well. */
export const MAX_MESSAGES = 10_000
export const MAX_BYTES = 16 * 1024 * 1024

export interface Delivery {
  /** The recipient, or a DID URL of it. */
  recipient: string
  /** The sender's id of the message: the same one is stored once in an inbox. */
  messageId: string
  payload: string
  /** Of the request that brings the message, for the log. */
  requestId: string
  /** Only inboxes of this tenant. Default: of every tenant with which the DID is registered. */
  tenantId?: string
}

export interface InboxPlace {
  tenantId: string
  inboxId: string
  /** The DID is the tenant's own, so that the platform has its keys. */
  isOwn: boolean
  did: string
  /** Of a DID of the tenant. */
  hosting?: Hosting
  /** Of a did:web of somebody else: SHA-256 of the key that has proved the control of it. */
  controlKey?: Uint8Array
}

/** What became of a message in one inbox; `refused` by `inbox.full` or `inbox.not_found`. */
export type Delivered = Pick<InboxPlace, 'tenantId' | 'inboxId'> &
  ({ outcome: 'stored' | 'repeated'; id: string } | { outcome: 'refused'; refusal: Refusal })

/** The tenant of each registration that stands. */
const INBOXES = `select r.tenant_id, r.inbox_id, r.did, r.did_id is not null as is_own, r.control_key, own.hosting
from inbox_dids r left join dids own on own.tenant_id = r.tenant_id and own.id = r.did_id
where r.did = any($1) and ($2::uuid is null or r.tenant_id = $2) and ${STANDS}
order by r.created_at, r.id limit $3`

interface Found {
  did: string
  tenant_id: string
  inbox_id: string
  is_own: boolean
  control_key: Buffer | null
  hosting: Hosting | null
}

/** A DID is registered in few tenants; more of them do not make one message costlier. */
const MAX_INBOXES_OF_DID = 20

const STORED = `select count(*)::int as messages, coalesce(sum(size), 0)::int as bytes from inbox_messages where inbox_id = ?`

/** The same for each repetition, also after the message was deleted, so that its reader recognises it (D-390). */
function idOf({ inboxId }: Pick<InboxPlace, 'inboxId'>, messageId: string): string {
  const digest = createHash('sha256').update(`inbox message ${inboxId} ${messageId}`).digest('hex')
  return uuidOfHex(`${digest.slice(0, 12)}8${digest.slice(13, 16)}8${digest.slice(17, 32)}`)
}

interface Parts extends Pick<Dependencies, 'database' | 'systemSql' | 'now' | 'uuid'> {
  messageSealer: Sealer
  didStanding: Pick<DidStanding, 'lostHost'>
}

/** The way of messages into inboxes, for the areas and operations that receive or send them. */
export function createMessageDelivery({ database, systemSql, now, uuid, messageSealer, didStanding }: Parts) {
  async function inboxesOf(dids: string | string[], tenantId?: string): Promise<InboxPlace[]> {
    const values = [[dids].flat(), tenantId ?? null, MAX_INBOXES_OF_DID]
    const query = { name: 'inboxes-of-dids', text: INBOXES, values }
    const { rows } = await systemSql.query<Found>(query)
    const places: InboxPlace[] = []
    for (const { did, tenant_id: tenantId, inbox_id: inboxId, is_own: isOwn, control_key, hosting } of rows) {
      if (hosting && (await didStanding.lostHost(tenantId, { did, hosting })) !== undefined) continue
      const more = { ...(hosting && { hosting }), ...(control_key && { controlKey: control_key }) }
      places.push({ did, tenantId, inboxId, isOwn, ...more })
    }
    return places
  }

  /** The inbox is locked, so that concurrent messages count each other. */
  const store = (
    { tenantId, inboxId }: InboxPlace,
    { messageId, requestId }: Delivery,
    bytes: Buffer,
  ): Promise<Delivered> =>
    inTenant(database.tenants, tenantId, async (em) => {
      const place = { tenantId, inboxId }
      const id = idOf(place, messageId)
      await lockInbox(em, inboxId)
      if ((await em.count(InboxMessage, { id })) > 0) return { ...place, outcome: 'repeated', id }
      const [held] = await em.execute<{ messages: number; bytes: number }[]>(STORED, [inboxId])
      if (!held || held.messages >= MAX_MESSAGES || held.bytes + bytes.length > MAX_BYTES)
        throw new Refusal('inbox.full', 'The inbox of the recipient is full.')
      const payload = messageSealer.seal(bytes, placeOf({ tenantId, inboxId, id }))
      em.create(InboxMessage, { id, tenantId, inboxId, payload, size: bytes.length, createdAt: now() })
      const metadata = { id, inboxId }
      addLogEntry(em, { now, uuid }, { ...MESSAGE_RECEIVED_ENTRY, tenantId, requestId, outcome: 'SUCCESS', metadata })
      return { ...place, outcome: 'stored', id }
    })

  return {
    /**
     * Returns the inboxes that DIDs are registered with: of each DID one of a tenant at most, and none of a tenant that has
     * lost the host of the DID (D-492).
     */
    inboxesOf,

    /**
     * Stores a message in each inbox that the recipient is registered with, and says what became of it in each; empty for
     * a DID that is registered nowhere. Safe to repeat: an inbox stores a `messageId` once. Throws `message.too_large`,
     * `did.invalid`.
     */
    async deliverToInboxes(delivery: Delivery): Promise<Delivered[]> {
      const bytes = Buffer.from(delivery.payload)
      if (bytes.length > MAX_MESSAGE_BYTES)
        throw new Refusal('message.too_large', `A message has at most ${MAX_MESSAGE_BYTES / 1024} KiB.`)
      const { did } = parseDidUrl(delivery.recipient)
      const delivered: Delivered[] = []
      for (const place of await inboxesOf(did, delivery.tenantId))
        delivered.push(
          await store(place, delivery, bytes).catch((error: unknown): Delivered => {
            if (!(error instanceof Refusal)) throw error
            return { tenantId: place.tenantId, inboxId: place.inboxId, outcome: 'refused', refusal: error }
          }),
        )
      return delivered
    },
  }
}

export type MessageDelivery = ReturnType<typeof createMessageDelivery>
