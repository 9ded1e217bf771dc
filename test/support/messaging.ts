import { randomUUID } from 'node:crypto'
import { createPlatform } from '../../activities/index.ts'
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
