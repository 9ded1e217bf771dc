import { createHash } from 'node:crypto'
import { SentMessage } from '../../entities/messaging.ts'
import { parseDidUrl } from '../../protocol/dids/index.ts'
import { Refusal, TooMany } from '../../protocol/errors.ts'
import type { DidcommMessage } from '../../protocol/messaging/didcomm.message.ts'
import type { GeneralJwe } from '../../protocol/messaging/jwe.form.ts'
import { type Outgoing, readOutgoing } from '../../protocol/messaging/outgoing.ts'
import { uuidOfHex } from '../../protocol/uuid.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Agreer, Agreers } from '../dids/agreers.ts'
import { createLimit, hostKey } from '../frame/limits/index.ts'
import type { Call, Operations } from '../frame/operations.ts'
import { assertCallable } from '../frame/outbound/url.ts'
import type { Sealer } from '../frame/sealing.ts'
import { type Delivered, type InboxPlace, MAX_MESSAGE_BYTES } from './deliver.ts'
import { type SentContent, sentBoundTo } from './posting.ts'
import type { Receiving } from './receiving.ts'
import { cannotSend, refuseFrom } from './refusals.ts'
import { assertArrived, encryptTo, type Route, type Routes } from './routes.ts'

/** Messages of one tenant that wait for a service elsewhere; each has at most twice MAX_MESSAGE_BYTES. */
const MAX_WAITING = 1_000

export interface MessageToSend {
  /** The recipient: a DID, or a DID URL of a key or a service of it. */
  to: string
  message: unknown
}

interface Parts extends Pick<Dependencies, 'config' | 'sql' | 'outbox' | 'now' | 'uuid'> {
  operations: Operations
  agreers: Pick<Agreers, 'agreersFor'>
  routes: Routes
  receiving: Pick<Receiving, 'storeEnvelope'>
  sentSealer: Sealer
}

function recipientDid(to: string): string {
  try {
    const { did, path, query } = parseDidUrl(to)
    if (path === '' && query === '') return did
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
  throw new Refusal('did.invalid', 'The recipient is not a DID URL.', [
    { path: 'to', code: 'did_url', message: 'expected did:<method>:<identifier>, with or without a fragment' },
  ])
}

/**
 * Of an Idempotency-Key: one for all attempts, so that a repetition after a crash is the same message; and another one for
 * a key that is used again once it was forgotten.
 */
function idOfKey(tenantId: string, { since, key }: { since: string; key: string }): string {
  const digest = createHash('sha256').update(`sent message ${tenantId} ${since} ${key}`).digest('hex')
  return uuidOfHex(`${digest.slice(0, 12)}8${digest.slice(13, 16)}8${digest.slice(17, 32)}`)
}

/** Sends messages to DIDs: into inboxes of the platform, or encrypted to a service elsewhere (specification, sendMessage). */
export function createSending(parts: Parts) {
  const { config, sql, outbox, now, uuid, operations, agreers, routes, receiving, sentSealer } = parts

  /** Counts messages by whose the host of the service is, because DIDs at many hosts may name one. */
  const limit = createLimit(sql, { name: 'message', points: config.messages.limitPerHour, seconds: 3600 })

  async function takeTurn(tenantId: string, host: string): Promise<void> {
    const seconds = await limit.take(hostKey(tenantId, host))
    if (seconds === undefined) return
    const message = `The services at one host get at most ${config.messages.limitPerHour} messages in an hour.`
    throw new TooMany('message.too_many', message, seconds)
  }

  /** The keys that prove the sender, where the message names one. Throws `message.sender_*`. */
  const sendersOf = async (tenantId: string, { from }: DidcommMessage): Promise<Agreer[]> =>
    from === undefined ? [] : agreers.agreersFor(tenantId, from, refuseFrom)

  const routeTo = async (tenantId: string, to: string): Promise<Route> => {
    try {
      return await routes.routeTo(to, tenantId)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      throw cannotSend('unresolvable', 'The DID does not resolve.', 'expected a DID that resolves', error)
    }
  }

  /** Encrypts to the keys of a DID: from the sender where there is one, or else anonymously. Throws `message.cannot_send`. */
  async function encrypt(message: DidcommMessage, { keys }: Route, senders: Agreer[]): Promise<GeneralJwe> {
    const expected = 'expected a DID with an X25519, P-256, P-384 or P-521 key under keyAgreement'
    if (keys.length === 0) throw cannotSend('no_key', 'The DID has no key to encrypt to.', expected)
    const envelope = await encryptTo(keys, message, senders)
    if (envelope) return envelope
    const types = senders.map(({ keyType }) => keyType).join(' or ')
    throw cannotSend('curve', 'Sender and recipient have no keys of one curve.', `expected a key of ${types}`)
  }

  /** Puts the message into the inboxes of the platform. Returns false where none is there any more. */
  async function deliverHere(
    call: Call,
    to: string,
    outgoing: Outgoing,
    places: InboxPlace[],
    senders: Agreer[],
  ): Promise<boolean> {
    const { tenantId, requestId } = call
    if ('message' in outgoing) {
      const { message } = outgoing
      const closed = async () => JSON.stringify(await encrypt(message, await routeTo(tenantId, to), senders))
      return routes.deliverHere({ tenantId, requestId, message, closed }, places)
    }
    const delivered: Delivered[] = []
    for (const place of places) delivered.push(...(await receiving.storeEnvelope(place, outgoing.envelope, requestId)))
    if (assertArrived(delivered)) return true
    throw new Refusal('message.envelope_invalid', 'The message is a JWE that cannot be sent; see errors.', [
      { path: 'message', code: 'closed', message: 'expected a JWE that the recipient can open' },
    ])
  }

  /** The address of the recipient's service, and the envelope for it. */
  async function prepare(tenantId: string, to: string, outgoing: Outgoing, senders: Agreer[]): Promise<SentContent> {
    const route = await routeTo(tenantId, to)
    const { url } = route
    if (url === undefined) {
      const expected = 'expected a DID whose document has a DIDCommMessaging service with an https URL'
      throw cannotSend('no_service', 'The DID has no service that takes messages.', expected)
    }
    try {
      assertCallable(url, config.outbound)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      throw cannotSend('service_refused', 'The service of the DID cannot be called.', error.message, error)
    }
    const envelope = 'envelope' in outgoing ? outgoing.envelope : await encrypt(outgoing.message, route, senders)
    return { url, envelope: JSON.stringify(envelope) }
  }

  return {
    /**
     * Sends a message. Once it returns, the message is in the inboxes of a DID that is registered here, or will be posted to
     * the service of another one. Throws `did.invalid`, `message.*`, `didcomm.*`, `inbox.full`.
     */
    async sendMessage(call: Call, { to, message: given }: MessageToSend): Promise<void> {
      const { tenantId, requestId, clientId, idempotency } = call
      if (idempotency && 'effect' in idempotency) return
      const did = recipientDid(to)
      const id = idempotency ? idOfKey(tenantId, idempotency) : uuid()
      if (Buffer.byteLength(JSON.stringify(given)) > MAX_MESSAGE_BYTES)
        throw new Refusal('message.too_large', `A message has at most ${MAX_MESSAGE_BYTES / 1024} KiB.`)
      const outgoing = readOutgoing(given, { did, id, now: now() })
      const places = await routes.inboxesOf(did, requestId)
      const senders = 'message' in outgoing ? await sendersOf(tenantId, outgoing.message) : []
      const metadata = { id, ...(senders[0] && { didId: senders[0].didId }) }
      if (places.length > 0 && (await deliverHere(call, to, outgoing, places, senders)))
        return operations.change(call, 'sendMessage', metadata, async () => undefined)
      const content = await prepare(tenantId, to, outgoing, senders)
      await takeTurn(tenantId, new URL(content.url).hostname)
      const sealed = sentSealer.seal(Buffer.from(JSON.stringify(content)), sentBoundTo({ tenantId, id }))
      await operations.change(call, 'sendMessage', metadata, async (em) => {
        await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`sent messages of ${tenantId}`])
        if ((await em.count(SentMessage)) >= MAX_WAITING)
          throw new TooMany('message.too_many', `${MAX_WAITING} messages already wait to be delivered.`, 60)
        em.create(SentMessage, { id, tenantId, content: sealed, requestId, clientId, createdAt: now() })
        await outbox.start(em, 'deliverMessage', { tenantId, sentId: id })
      })
    },
  }
}

export type Sending = ReturnType<typeof createSending>
