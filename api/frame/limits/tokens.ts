import type { Request, RequestHandler } from 'express'
import type { Pool } from 'pg'
import type { ClientCredentials, Clients } from '../../../activities/tokens-logs/clients.ts'
import { isObject } from '../../../protocol/json.ts'
import { isUuid } from '../../../protocol/uuid.ts'
import { limitRate } from './index.ts'

const TOKEN_PATH = '/v1/auth/token'

export const asksForToken = ({ method, path }: Request): boolean => method === 'POST' && path === TOKEN_PATH

/** What the operation takes, in either casing, as far as it is there. */
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
 * Limits of the token endpoint, once its body is read. Who asks is found before anything is counted: a right secret counts
 * for its client alone, so that nobody can use up what others need, from their address or under their id. What fails counts
 * for its address, and then for the client id that it names, whether there is one or not (D-199).
 */
export function limitTokens({ clients, pool, perMinute }: TokenLimits): RequestHandler[] {
  const findClient: RequestHandler = async (request, response, next) => {
    const credentials = asksForToken(request) ? credentialsIn(request.body) : undefined
    if (credentials) {
      request.clientId = credentials.clientId
      request.client = await clients.authenticate(credentials, (known) => Object.assign(response.locals, known))
    }
    next()
  }
  const failed = (request: Request) => asksForToken(request) && !request.client
  const named = ({ clientId }: Request) => (clientId !== undefined && isUuid(clientId) ? clientId : undefined)
  return [
    findClient,
    limitRate({ pool, perMinute, name: 'token', by: ({ client }) => client?.id }),
    limitRate({
      pool,
      perMinute,
      name: 'token-failures',
      by: (request) => (failed(request) ? request.address : undefined),
    }),
    limitRate({
      pool,
      perMinute,
      name: 'token-failures-of-client',
      by: (request) => (failed(request) ? named(request) : undefined),
    }),
  ]
}
