import type { Request, RequestHandler } from 'express'
import type { FindPath } from '../../frame/openapi/paths.ts'

/**
 * What a wallet that is a web page calls by script. Not the authorization endpoint, to which the holder's browser goes by
 * itself (RFC 9700, section 2.6), and no operation of the API's clients.
 */
const OF_WALLETS: ReadonlySet<string> = new Set([
  'getCredentialIssuerMetadata',
  'getAuthorizationServerMetadata',
  'openIdCredentialMetadata',
  'pushAuthorizationRequest',
  'exchangeCredentials',
  'getAttestationChallenge',
  'getCredentialNonce',
  'issuerVerifiableCredentials',
  'getDeferredCredential',
  'notifyCredentialIssuer',
])

/** What a holder's browser opens by itself, on the way of a login. */
const PAGES: ReadonlySet<string> = new Set(['requestAutherization', 'finishAuthentication', 'finishInteraction'])

/** Whether a request opens a page, which no script of another origin may read. */
export const opensPage =
  (find: FindPath) =>
  ({ path }: Request): boolean =>
    PAGES.has(find(path)?.operations.get('GET') ?? '')

const REQUEST_HEADERS = 'Authorization, Content-Type, DPoP, OAuth-Client-Attestation, OAuth-Client-Attestation-PoP'
const RESPONSE_HEADERS = 'DPoP-Nonce, OAuth-Client-Attestation-Challenge, WWW-Authenticate, Retry-After, X-Request-Id'
/** Browsers keep the answer of a preflight request for no longer than two hours. */
const PREFLIGHT_SECONDS = 7_200

/**
 * Lets scripts of every origin call what wallets call, without cookies (Fetch Standard, CORS protocol): a token, a code or a
 * proof is what gives something here, and a page of a stranger has none of them. Preflight requests end here.
 */
export const admitBrowserWallets =
  (find: FindPath): RequestHandler =>
  (request, response, next) => {
    const operations = find(request.path)?.operations
    if (!operations || ![...operations.values()].some((operationId) => OF_WALLETS.has(operationId))) return next()
    response.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': RESPONSE_HEADERS })
    const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
    if (!isPreflight) return next()
    response.set({
      'Access-Control-Allow-Methods': [...operations.keys()].join(', '),
      'Access-Control-Allow-Headers': REQUEST_HEADERS,
      'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
    })
    response.status(204).end()
  }
