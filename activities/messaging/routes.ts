import { randomBytes } from 'node:crypto'
import { inTenant } from '../../entities/orm.ts'
import { type DidDocument, parseDidUrl } from '../../protocol/dids/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import { messagePlace } from '../../protocol/messaging/addresses.ts'
import { isControlledBy } from '../../protocol/messaging/control.ts'
import type { DidcommMessage } from '../../protocol/messaging/didcomm.message.ts'
import { packEncrypted } from '../../protocol/messaging/didcomm.pack.ts'
import type { GeneralJws } from '../../protocol/messaging/didcomm.signed.ts'
import { DID_END_ENTRY } from '../../protocol/messaging/entries.ts'
import type { Recipient } from '../../protocol/messaging/jwe.encrypt.ts'
import type { GeneralJwe } from '../../protocol/messaging/jwe.form.ts'
import { messageKey } from '../../protocol/messaging/outgoing.ts'
import { chooseCurve, recipientsOf } from '../../protocol/messaging/recipients.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Agreer } from '../dids/agreers.ts'
import type { DidResolver } from '../dids/resolver.ts'
import type { DidStanding } from '../dids/standing.ts'
import { addLogEntry } from '../frame/log-entries.ts'
import type { Delivered, InboxPlace, MessageDelivery } from './deliver.ts'
import { senderUnpublished } from './refusals.ts'

/** The way of messages to a DID elsewhere, by its document. */
export interface Route {
  /** The address that takes messages; undefined where the document names none. */
  url: string | undefined
  /** The keys that messages are encrypted to; empty where the document has none. */
  keys: Recipient[]
}

/** A message of a tenant to a DID that is registered here. */
export interface LocalMessage {
  tenantId: string
  requestId: string
  message: DidcommMessage
  /** Returns what the inbox of somebody who has registered the DID by a jwt gets: nothing in clear. */
  closed(): Promise<string>
}

const END = `delete from inbox_dids where inbox_id = ? and did = ? and control_key = ? returning id`

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'now' | 'uuid'> {
  didResolver: Pick<DidResolver, 'resolve'>
  messageDelivery: MessageDelivery
  didStanding: Pick<DidStanding, 'isPublished'>
}

/** Encrypts a message to keys of one DID: from one of the senders' keys, or anonymously. Undefined where no curve is common. */
export async function encryptTo(
  keys: Recipient[],
  message: DidcommMessage | GeneralJws,
  senders: readonly Agreer[],
): Promise<GeneralJwe | undefined> {
  const choice = chooseCurve([keys], senders.length > 0 ? senders.map(({ keyType }) => keyType) : undefined)
  const [recipients] = 'recipients' in choice ? choice.recipients : []
  if (!('keyType' in choice) || !recipients) return undefined
  const sender = senders.find(({ keyType }) => keyType === choice.keyType)
  return packEncrypted({ message, recipients, random: randomBytes, ...(sender && { sender }) })
}

/** Where messages to a DID go: the inboxes that it is registered with, or the service of its document. */
export function createRoutes({ config, database, now, uuid, didResolver, messageDelivery, didStanding }: Parts) {
  const clock = () => ({ now: now(), toleranceMs: config.clockToleranceMs })

  async function documentOf(did: string): Promise<DidDocument | undefined> {
    try {
      return (await didResolver.resolve(did)).document
    } catch (error) {
      if (error instanceof Refusal) return undefined
      throw error
    }
  }

  /** Ends a registration, unless its control was proved anew meanwhile. */
  const endRegistration = ({ tenantId, inboxId, did, controlKey }: InboxPlace, requestId: string): Promise<void> =>
    inTenant(database.tenants, tenantId, async (em) => {
      const ended = await em.execute<object[]>(END, [inboxId, did, controlKey])
      if (ended.length === 0) return
      const entry = { ...DID_END_ENTRY, tenantId, requestId, outcome: 'SUCCESS' } as const
      addLogEntry(em, { now, uuid }, { ...entry, metadata: { id: inboxId } })
    })

  return {
    /**
     * Returns the inboxes that a DID is registered with. A registration whose proof of control the document no longer bears
     * out ends here; one of a DID that does not resolve at the moment stays (D-419). Of a did:web that its tenant hosts the
     * document decides alike, for as long as it has none of the tenant's keys (D-492).
     */
    async inboxesOf(did: string, requestId: string): Promise<InboxPlace[]> {
      const places: InboxPlace[] = []
      for (const place of await messageDelivery.inboxesOf(did)) {
        const isReplaced = place.hosting === 'caller' && (await didStanding.isPublished(place.tenantId, did)) === false
        if (!isReplaced) places.push(place)
      }
      if (places.every(({ controlKey }) => controlKey === undefined)) return places
      const document = await documentOf(did)
      const lost = places.filter(
        ({ controlKey }) => document && controlKey && !isControlledBy(document, controlKey, clock()),
      )
      for (const place of lost) await endRegistration(place, requestId)
      return places.filter((place) => !lost.includes(place))
    },

    /**
     * Finds the service and the keys of a DID, or of a DID URL; `readFor` is the tenant whose caller named it. Throws what
     * the resolver throws.
     */
    async routeTo(to: string, readFor?: string): Promise<Route> {
      const { document } = await didResolver.resolve(parseDidUrl(to).did, readFor === undefined ? {} : { readFor })
      const { url, keysOf } = messagePlace(document, to)
      return { url, keys: recipientsOf(document, keysOf, clock()) }
    },

    /**
     * Puts a message into inboxes, without the network: as it is where the DID is the inbox's tenant's, closed elsewhere.
     * Returns false where the registrations have ended meanwhile. Safe to repeat. Throws the refusal of an inbox where no
     * inbox has taken it, and `message.sender_unfit` for a sender that could not prove itself in an envelope (D-493).
     */
    async deliverHere({ tenantId, requestId, message, closed }: LocalMessage, places: InboxPlace[]): Promise<boolean> {
      const messageId = messageKey(message, message.from ?? `tenant ${tenantId}`)
      if (message.from !== undefined && places.some(({ isOwn }) => isOwn)) {
        const isProved = await didStanding.isPublished(tenantId, parseDidUrl(message.from).did)
        if (!isProved) throw senderUnpublished()
      }
      const clear = JSON.stringify(message)
      const envelope = places.every(({ isOwn }) => isOwn) ? clear : await closed()
      const delivered: Delivered[] = []
      for (const place of places) {
        const payload = place.isOwn ? clear : envelope
        const delivery = { recipient: place.did, tenantId: place.tenantId, messageId, payload, requestId }
        delivered.push(...(await messageDelivery.deliverToInboxes(delivery)))
      }
      return assertArrived(delivered)
    },
  }
}

/** Returns whether an inbox has the message. Throws the refusal of an inbox where none has it. */
export function assertArrived(delivered: readonly Delivered[]): boolean {
  if (delivered.some(({ outcome }) => outcome !== 'refused')) return true
  const refused = delivered.find((each) => each.outcome === 'refused')
  if (refused) throw refused.refusal
  return false
}

export type Routes = ReturnType<typeof createRoutes>
