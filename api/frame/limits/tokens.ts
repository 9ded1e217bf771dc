import express, { type Request, type RequestHandler } from 'express'
import type { Pool } from 'pg'
import type { ClientCredentials, Clients } from '../../../activities/tokens-logs/clients.ts'
import { isObject } from '../../../protocol/json.ts'
import { isUuid } from '../../../protocol/uuid.ts'
import { limitRate } from './index.ts'

const TOKEN_PATH = '/v1/auth/token'

export const asksForToken = ({ method, path }: Request): boolean => method === 'POST' && path === TOKEN_PATH

/** The client's credentials in either casing, if the body has them. */
function credentialsIn(body: unknown): ClientCredentials | undefined {
  if (!isObject(body)) return undefined
  const clientId = body.clientId ?? body.client_id
  const clientSecret = body.clientSecret ?? body.client_secret
  return typeof clientId === 'string' && typeof clientSecret === 'string' ? { clientId, clientSecret } : undefined
}

interface TokenLimits {
  clients: Clients
  pool: Pool
  perMinute: number
}

/**
 * Limits the token endpoint, after its body is read. The client is authenticated first: a request with the right secret
 * counts for its client alone, so that nobody can use up another client's limit. A failed request counts for its
 * address, then for the client id that it names, whether that client exists or not (D-199).
 */
export function limitTokens({ clients, pool, perMinute }: TokenLimits): RequestHandler {
  const findClient: RequestHandler = async (request, response, next) => {
    const credentials = credentialsIn(request.body)
    if (credentials) {
      request.clientId = credentials.clientId
      request.client = await clients.authenticate(credentials, (client) => Object.assign(response.locals, client))
    }
    next()
  }
  const clientIdOf = ({ clientId }: Request) => (clientId !== undefined && isUuid(clientId) ? clientId : undefined)
  const limits = express.Router().use(
    findClient,
    limitRate({ pool, perMinute, name: 'token', by: ({ client }) => client?.id }),
    limitRate({
      pool,
      perMinute,
      name: 'token-failures',
      by: ({ client, address }) => (client ? undefined : address),
    }),
    limitRate({
      pool,
      perMinute,
      name: 'token-failures-of-client',
      by: (request) => (request.client ? undefined : clientIdOf(request)),
    }),
  )
  return (request, response, next) => (asksForToken(request) ? limits(request, response, next) : next())
}
