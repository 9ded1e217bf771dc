import { createDid } from '../credentials/credentials.ts'
import { makeIaca, makeSigner } from '../credentials/mobile.ts'
import { openWorld, type World } from '../world.ts'
import { VCT } from './presenting.sd-jwt.ts'

/** Where a page leads back to. */
export const SHOP = 'https://shop.university.example/done?order=42'

export const REQUESTS = '/v1/openid4vp/requests'

export interface CreatedRequest {
  id: string
  state: string
  clientId: string
  uri: string
  qrCode: string
  sameDeviceUri: string | null
  browserRequest: { protocol: string; data: { request: string } } | null
  pageUri: string | null
  expiresAt: string
  keptUntil: string
}

export interface ReadRequest extends CreatedRequest {
  failures: number
  failureCode: string | null
  endedAt: string | null
  needsResponseCode: boolean
  credentials: {
    id: string
    format: string
    verified: boolean
    checks: { name: string; result: string }[]
    reason: { type: string; code?: string; message: string }[]
    warnings: string[]
    types: string[]
    issuer?: string
    holder?: string
    claims?: Record<string, unknown>
  }[]
}

/** Asks for an SD-JWT VC. */
export const identityQuery = (more: object = {}) => ({
  credentials: [
    { id: 'identity', format: 'dc+sd-jwt', meta: { vct_values: [VCT] }, claims: [{ path: ['given_name'] }], ...more },
  ],
})

/** Requests of one client of the API. */
export function requestsOf(world: Pick<World, 'ask' | 'token'>, verifierDid: string) {
  const { ask, token } = world
  const creating = (body: object) =>
    ask(REQUESTS, { token, body: { verifierDid, dcqlQuery: identityQuery(), ...body } })
  return {
    creating,
    async create(body: object = {}): Promise<CreatedRequest> {
      const reply = await creating(body)
      if (reply.status !== 201) throw new Error(`no request: ${reply.text}`)
      return reply.json<CreatedRequest>()
    },
    /** A request with a page of the platform, and its address. */
    async createPage(body: object = {}): Promise<{ id: string; pageUri: string }> {
      const { id, pageUri } = await this.create({ page: true, redirectUri: SHOP, clientName: 'The bookshop', ...body })
      if (pageUri === null) throw new Error('the request has no page')
      return { id, pageUri }
    },
    async read(id: string): Promise<ReadRequest> {
      const reply = await ask(`${REQUESTS}/${id}`, { token })
      if (reply.status !== 200) throw new Error(`no request ${id}: ${reply.text}`)
      return reply.json<ReadRequest>()
    },
    redeem: (id: string, responseCode: string) =>
      ask(`${REQUESTS}/${id}/response-code`, { token, body: { responseCode } }),
    answer: (id: string, origin: string, data: object) =>
      ask(`${REQUESTS}/${id}/browser-answer`, { token, body: { origin, data } }),
    remove: (id: string) => ask(`${REQUESTS}/${id}`, { method: 'DELETE', token }),
  }
}

/** A platform with an IACA, a document signer, a default issuer, and a client that asks wallets. */
export async function openAsking(issuerKeyType = 'p256') {
  const world = await openWorld()
  await makeIaca(world)
  await makeSigner(world, { active: true })
  const issuer = await createDid(world, issuerKeyType, world.token, true)
  return { world, issuer, requests: requestsOf(world, await createDid(world, 'p256')) }
}
