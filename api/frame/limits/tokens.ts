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

const BASIC = /^Basic +([\w+/]+={0,2})$/i

/** Whether a token request authenticates its client in the Authorization header (RFC 6749, section 2.3.1). */
export const usesBasic = (request: Request): boolean =>
  asksForToken(request) && /^Basic\b/i.test(request.headers.authorization ?? '')

const plain = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '))

/** Credentials in the Authorization header: base64 of id and secret, each encoded as in a form. */
function credentialsInHeader({ headers }: Request): ClientCredentials | undefined {
  const [, encoded = ''] = BASIC.exec(headers.authorization ?? '') ?? []
  const [id, ...secret] = Buffer.from(encoded, 'base64').toString().split(':')
  if (!id || secret.length === 0) return undefined
  try {
    return { clientId: plain(id), clientSecret: plain(secret.join(':')) }
  } catch {
    return undefined // not the encoding of a form
  }
}

/** Undefined for none, for a header that has none, and for credentials in both places (RFC 6749, section 2.3). */
function credentialsOf(request: Request): ClientCredentials | undefined {
  const inBody = credentialsIn(request.body)
  if (!usesBasic(request)) return inBody
  return inBody ? undefined : credentialsInHeader(request)
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
    const credentials = credentialsOf(request)
    if (credentials) {
      request.clientId = credentials.clientId
      request.client = await clients.authenticate(credentials, (client) => Object.assign(response.locals, client))
      if (!request.client && usesBasic(request)) response.set('WWW-Authenticate', 'Basic realm="countersign"')
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
