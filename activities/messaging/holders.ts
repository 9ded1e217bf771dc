import { Refusal } from '../../protocol/errors.ts'
import { type DidcommMessage, MEDIA_TYPES } from '../../protocol/messaging/didcomm.message.ts'
import { type MessageSigner, signMessage } from '../../protocol/messaging/didcomm.signed.ts'
import type { Agreer, Agreers } from '../dids/agreers.ts'
import { refuseFrom } from './refusals.ts'
import { encryptTo, type Route, type Routes } from './routes.ts'

/** What is posted to a service. */
export interface Packed {
  contentType: string
  body: string
}

/** A message of the platform for a tenant, from a DID of the tenant to the DID of a holder. */
export interface HolderMessage {
  tenantId: string
  requestId: string
  from: string
  to: string
  /** `createdAt`: milliseconds since 1970. */
  content: { id: string; type: string; createdAt: number; body: object }
  /** Returns the key of `from` that signs. */
  signer(): Promise<MessageSigner>
  /** Returns the message for a holder whose document has no key to encrypt to. */
  plain(): Promise<Packed>
}

/** `here`: it is in the holder's inbox. `nowhere`: the document names no service that takes messages. */
export type HolderRoute = { kind: 'here' | 'nowhere' } | { kind: 'service'; url: string; pack(): Promise<Packed> }

interface Parts {
  agreers: Pick<Agreers, 'agreersFor'>
  routes: Routes
}

const messageOf = ({ from, to, content: { id, type, createdAt, body } }: HolderMessage): DidcommMessage => ({
  id,
  typ: MEDIA_TYPES.plain,
  type,
  from,
  to: [to],
  created_time: Math.floor(createdAt / 1000),
  body: { ...body },
})

/** Messages of other areas to holders, by the ways and in the envelopes of `sendMessage`. */
export function createHolderMessages({ agreers, routes }: Parts) {
  /** The keys by which a DID proves that it is the sender; none where it has no key that agrees. */
  async function sendersOf({ tenantId, from }: HolderMessage): Promise<Agreer[]> {
    try {
      return await agreers.agreersFor(tenantId, from, refuseFrom)
    } catch (error) {
      if (error instanceof Refusal && error.code === 'message.sender_unfit') return []
      throw error
    }
  }

  /** Authcrypt where sender and holder have keys of one curve, or else the sender's signature in anoncrypt (D-417). */
  async function pack(order: HolderMessage, { keys }: Route): Promise<Packed> {
    if (keys.length === 0) return order.plain()
    const message = messageOf(order)
    const senders = await sendersOf(order)
    const proved = senders.length > 0 ? await encryptTo(keys, message, senders) : undefined
    const envelope = proved ?? (await encryptTo(keys, await signMessage(message, await order.signer()), []))
    if (!envelope) throw new Error('keys of an unknown curve')
    return { contentType: MEDIA_TYPES.encrypted, body: JSON.stringify(envelope) }
  }

  return {
    /**
     * Puts a message into the inboxes of the holder's DID, or finds the service that it is posted to. Safe to repeat.
     * Throws refusals of the DID's resolution, of inboxes, and of the signer.
     */
    async reachHolder(order: HolderMessage): Promise<HolderRoute> {
      const { tenantId, requestId, to } = order
      const places = await routes.inboxesOf(to, requestId)
      if (places.length > 0) {
        await order.signer() // a DID that was deleted meanwhile sends nothing
        const closed = async () => (await pack(order, await routes.routeTo(to))).body
        const local = { tenantId, requestId, message: messageOf(order), closed }
        if (await routes.deliverHere(local, places)) return { kind: 'here' }
      }
      const route = await routes.routeTo(to)
      const { url } = route
      return url === undefined ? { kind: 'nowhere' } : { kind: 'service', url, pack: () => pack(order, route) }
    },
  }
}

export type HolderMessages = ReturnType<typeof createHolderMessages>
