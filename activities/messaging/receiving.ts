import type { Logger } from 'pino'
import { type DidDocument, parseDidUrl } from '../../protocol/dids/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import { type UnpackParts, unpackMessage } from '../../protocol/messaging/didcomm.unpack.ts'
import { decryptJwe } from '../../protocol/messaging/jwe.decrypt.ts'
import type { GeneralJwe } from '../../protocol/messaging/jwe.form.ts'
import { envelopeKey, envelopeOf, isDidcommContent, kidsOf, messageKey } from '../../protocol/messaging/outgoing.ts'
import { senderKeyIn } from '../../protocol/messaging/recipients.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Agreers } from '../dids/agreers.ts'
import type { DidResolver } from '../dids/resolver.ts'
import type { Delivered, InboxPlace, MessageDelivery } from './deliver.ts'

/** What an inbox gets of an envelope. */
interface Content {
  /** Of the message, as `Delivery` has it. */
  messageId: string
  payload: string
}

/** DIDs of the keys of one envelope that the platform looks for. */
const MAX_DIDS = 10

const didOf = (kid: string): string[] => {
  try {
    return [parseDidUrl(kid).did]
  } catch (error) {
    if (error instanceof Refusal) return [] // a key that no DID has
    throw error
  }
}

/** Refusals become undefined: who sent the message does not learn of them. */
async function unlessRefused<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

interface Parts extends Pick<Dependencies, 'config' | 'now'> {
  agreers: Pick<Agreers, 'agreersOf'>
  didResolver: Pick<DidResolver, 'documentFor'>
  messageDelivery: MessageDelivery
  log: Pick<Logger, 'info'>
}

/** Receives encrypted messages for the DIDs that are registered with inboxes. */
export function createReceiving({ config, agreers, didResolver, messageDelivery, now, log }: Parts) {
  /** Opens an envelope with the keys that the inbox's tenant has for the DID; undefined where it does not open. */
  async function open({ tenantId, did }: InboxPlace, envelope: GeneralJwe): Promise<Content | undefined> {
    // strangers choose what is read here: a budget beside that of the tenant's own calls
    const resolve = (named: string): Promise<DidDocument> => didResolver.documentFor(`${tenantId} inboxes`, named)
    const clock = { now: now(), toleranceMs: config.clockToleranceMs }
    const parts: UnpackParts = {
      ...clock,
      agreementsOf: (kids) =>
        agreers.agreersOf(
          tenantId,
          kids.filter((kid) => kid.startsWith(`${did}#`)),
        ),
      senderKeyOf: (skid) => senderKeyIn(resolve, skid, clock),
      resolve,
    }
    const unpacked = await unlessRefused(() => unpackMessage(envelope, parts))
    if (unpacked) {
      const { message, senderKid, signerKid } = unpacked
      // whoever reads the inbox sees the message alone: a sender in it must be the one who sent it
      const isProved = senderKid !== undefined || signerKid !== undefined
      if (message.from !== undefined && !isProved) return undefined
      return { messageId: messageKey(message, message.from), payload: JSON.stringify(message) }
    }
    // of other content than DIDComm's there are no rules: its reader opens it
    const decrypted = await unlessRefused(() => decryptJwe(envelope, parts))
    return decrypted && !isDidcommContent(decrypted.plaintext) ? closed(envelope) : undefined
  }

  const closed = (envelope: GeneralJwe): Content => ({
    messageId: envelopeKey(envelope),
    payload: JSON.stringify(envelope),
  })

  /** Stores an envelope in an inbox: as the message in it, where the platform has the key. Throws `message.too_large`. */
  async function store(place: InboxPlace, envelope: GeneralJwe, requestId: string): Promise<Delivered[]> {
    const content = place.isOwn ? await open(place, envelope) : closed(envelope)
    if (!content) return []
    const { did: recipient, tenantId } = place
    return messageDelivery.deliverToInboxes({ recipient, tenantId, requestId, ...content })
  }

  return {
    storeEnvelope: store,

    /**
     * Receives an envelope of a stranger. What becomes of it is no answer, so that no response tells which DIDs are here (D-561).
     * Throws `didcomm.not_encrypted` for what is no envelope.
     */
    async receiveMessage(body: unknown, requestId: string): Promise<void> {
      const envelope = readEnvelope(body)
      const dids = [...new Set(kidsOf(envelope).flatMap(didOf))].slice(0, MAX_DIDS)
      for (const place of await messageDelivery.inboxesOf(dids)) {
        const { tenantId, inboxId } = place
        const delivered = await store(place, envelope, requestId).catch((error: unknown) => {
          if (!(error instanceof Refusal)) throw error
          return [{ outcome: 'refused' as const, refusal: error }]
        })
        const [first] = delivered
        if (!first) log.info({ requestId, tenantId, inboxId, code: 'didcomm.not_opened' }, 'a message was dropped')
        else if (first.outcome === 'refused')
          log.info({ requestId, tenantId, inboxId, code: first.refusal.code }, 'a message was dropped')
      }
    },
  }
}

function readEnvelope(body: unknown): GeneralJwe {
  try {
    return envelopeOf(body)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new Refusal('didcomm.not_encrypted', 'The body is not an encrypted DIDComm message.', [
      { path: '', code: 'jwe', message: 'expected a JWE in a JSON serialization (RFC 7516, section 7.2)' },
    ])
  }
}

export type Receiving = ReturnType<typeof createReceiving>
