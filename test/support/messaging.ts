import { randomUUID } from 'node:crypto'
import { CompactSign, exportJWK, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose'
import { createPlatform } from '../../activities/index.ts'
import { fromJwk, type PublicJwk } from '../../protocol/dids/index.ts'
import { didKeyOf } from '../../protocol/dids/key.ts'
import { createDid } from './credentials/credentials.ts'
import type { Reply, World } from './world.ts'

export const INBOXES = '/v1/messaging/inboxes'

export interface Inbox {
  id: string
  name: string
}

export interface Message {
  id: string
  inboxId: string
  payload: string
  createdAt: string
}

interface Totals {
  limit: number
  totalCount: number
  totalPages: number
}

/** Inboxes of one tenant. */
export const inboxesOf = (world: Pick<World, 'ask'>, token: string) => ({
  create: (name: unknown = 'An inbox'): Promise<Reply> => world.ask(INBOXES, { token, body: { name } }),
  async created(): Promise<string> {
    const reply = await this.create()
    if (reply.status !== 201) throw new Error(`no inbox: ${reply.text}`)
    return reply.json<Inbox>().id
  },
  read: (id: string) => world.ask(`${INBOXES}/${id}`, { token }),
  rename: (id: string, name: unknown) => world.ask(`${INBOXES}/${id}`, { method: 'PUT', token, body: { name } }),
  remove: (id: string) => world.ask(`${INBOXES}/${id}`, { method: 'DELETE', token }),
  list: async (query = '') => (await world.ask(`${INBOXES}${query}`, { token })).json<{ inboxes: Inbox[] } & Totals>(),
  register: (id: string, did: unknown, jwt?: unknown) =>
    world.ask(`${INBOXES}/${id}/dids`, { token, body: { did, jwt } }),
  unregister: (id: string, did: string) =>
    world.ask(`${INBOXES}/${id}/dids/${encodeURIComponent(did)}`, { method: 'DELETE', token }),
  dids: async (id: string, query = '') =>
    (await world.ask(`${INBOXES}/${id}/dids${query}`, { token })).json<
      { dids: { did: string; registeredAt: string }[] } & Totals
    >(),
  messages: async (id: string, query = '') =>
    (await world.ask(`${INBOXES}/${id}/messages${query}`, { token })).json<{ messages: Message[] } & Totals>(),
  message: (id: string, messageId: string) => world.ask(`${INBOXES}/${id}/messages/${messageId}`, { token }),
  removeMessage: (id: string, messageId: string) =>
    world.ask(`${INBOXES}/${id}/messages/${messageId}`, { method: 'DELETE', token }),
})

/** The way that messages come by. */
export const deliveryOf = ({ dependencies }: Pick<World, 'dependencies'>) =>
  createPlatform(dependencies).messageDelivery

/** The text of a JWE of the platform. */
export async function encrypt(
  world: Pick<World, 'ask'>,
  {
    from,
    to,
    payload = { course: 'CS-101' },
    token,
  }: { from?: string; to: string[]; payload?: unknown; token: string },
): Promise<string> {
  const body = { payload, recipientDidUrls: to, senderDidUrl: from }
  const reply = await world.ask('/v1/messaging/encrypt', { token, body })
  if (reply.status !== 200) throw new Error(`not encrypted: ${reply.text}`)
  return JSON.stringify(reply.json<{ jwe: object }>().jwe)
}

/** An inbox with a DID and a message. */
export async function createMailbox(world: World, token = world.token) {
  const inboxes = inboxesOf(world, token)
  const inboxId = await inboxes.created()
  const inboxDid = await createDid(world, 'ed25519', token)
  await inboxes.register(inboxId, inboxDid)
  const delivery = {
    recipient: inboxDid,
    messageId: randomUUID(),
    payload: '{"hello":"world"}',
    requestId: randomUUID(),
  }
  const [delivered] = await deliveryOf(world).deliverToInboxes(delivery)
  if (delivered?.outcome !== 'stored') throw new Error('no message came')
  return { inboxId, inboxDid, messageId: delivered.id }
}

/** A DID of somebody else, with what it signs by itself. */
export async function stranger(alg: 'EdDSA' | 'ES256' = 'EdDSA') {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const did = didKeyOf(
    alg === 'EdDSA' ? 'ed25519' : 'p256',
    fromJwk((await exportJWK(publicKey)) as PublicJwk).publicKey,
  )
  const kid = `${did}#${did.slice('did:key:'.length)}`
  return {
    did,
    kid,
    privateKey,
    /** Claims and header that are right, but for what differs. */
    jwt: (inboxId: string, claims: JWTPayload = {}, header: Partial<JWTHeaderParameters> = {}, key = privateKey) => {
      const now = Math.floor(Date.now() / 1000)
      return new SignJWT({ iss: did, aud: inboxId, iat: now, exp: now + 300, ...claims })
        .setProtectedHeader({ alg, typ: 'JWT', kid, ...header })
        .sign(key)
    },
    jws: (payload: string | Uint8Array, header: Partial<JWTHeaderParameters> = {}, key = privateKey) =>
      new CompactSign(Buffer.from(payload)).setProtectedHeader({ alg, kid, ...header }).sign(key),
  }
}
