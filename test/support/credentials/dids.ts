import { setTimeout as wait } from 'node:timers/promises'
import { createPlatform, type Dependencies } from '../../../activities/index.ts'
import type { World } from '../world.ts'

export interface Waiting {
  code: string
  reason: string
  lastLookAt?: string
  nextLookAt?: string
}

/** Dependencies with what signers and agreers ask about a DID. */
export const withStanding = <Own extends Dependencies>(dependencies: Own) => ({
  ...dependencies,
  didStanding: createPlatform(dependencies).didStanding,
})

export interface DidAnswer {
  did: string
  id: string
  metadata: { keys: { didDocumentKeyId: string; kmsKeyId: string; custody: string }[] }
  registrationStatus: string
  failureReason?: string
  waiting?: Waiting
  warning?: { code: string; reason: string }
}

export interface Resolved {
  id: string
  didDocument: {
    id: string
    verificationMethod?: { id: string; type: string; publicKeyMultibase?: string }[]
  } & Record<string, unknown>
  registrationStatus: string
  failureReason?: string
  waiting?: Waiting
  warning?: { code: string; reason: string }
  localMetadata: DidAnswer['metadata']
  hosting: string
}

/** Asks until there is an answer other than undefined and false; throws after `timeoutMs`, saying for what. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  timeoutMs = 30_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms for: ${what}`)
    await wait(100)
  }
}

/** The DID operations of one tenant. */
export const didsOf = (world: Pick<World, 'ask'>, token: string) => {
  const path = (did: string) => `/v1/dids/${encodeURIComponent(did)}`
  const resolve = (did: string) => world.ask(path(did), { token })
  return {
    create: (method: string, options: Record<string, string>) =>
      world.ask('/v1/dids', { token, body: { method, options } }),
    /** A did:web that is accepted. */
    async createWeb(url: string): Promise<DidAnswer> {
      const reply = await world.ask('/v1/dids', { token, body: { method: 'WEB', options: { url } } })
      if (reply.status !== 201) throw new Error(`not accepted: ${reply.text}`)
      return reply.json<DidAnswer>()
    },
    resolve,
    remove: (did: string) => world.ask(path(did), { token, method: 'DELETE' }),
    async list(query = ''): Promise<{ dids: DidAnswer[]; limit: number; totalCount: number; totalPages: number }> {
      return (await world.ask(`/v1/dids${query}`, { token })).json()
    },
    /** Waits until the registration is there. */
    reaches: (did: string, status: string, timeoutMs?: number): Promise<Resolved> =>
      until(
        `${did} ${status}`,
        async () => {
          const resolved = (await resolve(did)).json<Resolved>()
          return resolved.registrationStatus === status && resolved
        },
        timeoutMs,
      ),
  }
}

/** Makes a DID the tenant's default issuer; null: none. The other settings stay as new tenants have them. */
export const chooseIssuer = (world: Pick<World, 'ask'>, defaultIssuer: string | null, token: string) =>
  world.ask('/v1/settings', { method: 'PUT', token, body: { fetchUnknownContexts: true, vcApi: false, defaultIssuer } })

/** The tenant's log entries of a type that are about one object. */
export async function loggedAbout(world: Pick<World, 'ask'>, token: string, type: string, id: string) {
  const hour = 3600_000
  const [dateFrom, dateTo] = [-hour, hour].map((offset) => new Date(Date.now() + offset).toISOString())
  const body = { categories: [], types: [type], ids: [], requestIds: [], dateFrom, dateTo }
  const reply = await world.ask('/v1/analytics/events?limit=1000', { token, body })
  if (reply.status !== 200) throw new Error(`no log: ${reply.text}`)
  const entries = reply.json<{ data: { metadata: string }[] }>().data
  return entries.map(({ metadata }) => JSON.parse(metadata) as Record<string, unknown>).filter((each) => each.id === id)
}
