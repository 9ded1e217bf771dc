import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Router } from 'express'
import type { Platform } from '../../../activities/index.ts'
import type { WalletSays } from '../../../activities/openid/verifiers/answering.ts'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'
import { readAbilities, type WalletAbilities } from '../../../protocol/openid/verifiers/abilities.ts'
import { invalidAnswer } from '../../../protocol/openid/verifiers/answers.ts'
import { describedAs } from '../../../protocol/tokens-logs/index.ts'

/** Bytes: wallet_metadata with its keys. */
const METADATA_BYTES = 128 * 1024
/** Bytes: up to 20 presentations with their credentials. */
const ANSWER_BYTES = 1024 * 1024
const MAX_PARAMETERS = 20

const unreadable = (message: string) => invalidAnswer('answer_malformed', message)

function saidIn(body: unknown): WalletSays {
  const { vp_token: vpToken, state, response, error } = Object(body) as Record<string, unknown>
  const said = [vpToken, response, error].filter((each) => each !== undefined)
  if (said.length === 1) {
    if (typeof error === 'string') return { error }
    if (typeof response === 'string') return { response }
    if (typeof vpToken === 'string') return { vpToken, ...(typeof state === 'string' && { state }) }
  }
  throw unreadable('The answer has neither one vp_token, nor one response, nor one error.')
}

const UNREADABLE = {
  path: 'The path has a % that begins no encoded character.',
  body: 'The body is no form that can be read, or it is too large.',
}

/** Wallets read errors of OAuth 2.0 (OpenID4VP 1.0, section 8.2). */
const explain: ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent) return next(error)
  if (error instanceof Unavailable) {
    const { retryAfterSeconds, message } = error
    response.status(503).set('Retry-After', String(retryAfterSeconds))
    return response.json({ error: 'temporarily_unavailable', error_description: describedAs(message) })
  }
  const tooLarge = error instanceof Error && 'type' in error && error.type === 'entity.too.large'
  const ofBody = error instanceof Error && 'statusCode' in error && Number(error.statusCode) < 500
  if (!(error instanceof Refusal) && !ofBody) return next(error)
  const message = error instanceof Refusal ? error.message : UNREADABLE[error instanceof URIError ? 'path' : 'body']
  const isMissing = error instanceof Refusal && error.code.endsWith('.not_found')
  response.status(tooLarge ? 413 : isMissing ? 404 : 400)
  response.json({ error: 'invalid_request', error_description: describedAs(message) })
}

/** What asks wallets, and takes their answers. */
export interface WalletRequests {
  /** The signed request of this name. `wallet`: what it says of itself. */
  requestObject(request: Request, name: string, wallet?: WalletAbilities): Promise<string>
  answerRequest(request: Request, name: string, says: WalletSays): Promise<{ redirectUri?: string }>
}

const FORM = 'application/x-www-form-urlencoded'

/** Before any limit: scripts of wallets read refusals as well, and find OAuth's errors in them. */
export const forWallets = express.Router({ caseSensitive: true, strict: true })
forWallets.use(['/requests', '/answers'], (_request, response, next) => {
  response.set({
    'Cache-Control': 'no-store',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'Retry-After',
  })
  response.locals.oauthError = 'invalid_request'
  next()
})

/** Requests to wallets, and their answers: OpenID4VP 1.0 by reference with both methods, with direct_post and direct_post.jwt. */
export function walletRoutes({ requestObject, answerRequest }: WalletRequests): Router {
  const router = express.Router({ caseSensitive: true, strict: true, mergeParams: true })

  const ask: RequestHandler = async (request, response) => {
    const isPosted = request.method === 'POST'
    // null: a wallet that has nothing to say sends no body
    if (isPosted && request.is(FORM) === false) throw unreadable('What the wallet posts for its request is not a form.')
    const wallet = isPosted ? readAbilities(Object(request.body)) : undefined
    const jwt = await requestObject(request, String(request.params.name), wallet)
    // type() would add a charset, which this media type does not have
    response.setHeader('Content-Type', 'application/oauth-authz-req+jwt')
    response.send(Buffer.from(jwt))
  }

  const answer: RequestHandler = async (request, response) => {
    if (!request.is(FORM)) throw unreadable('The answer is not a form.')
    const { redirectUri } = await answerRequest(request, String(request.params.name), saidIn(request.body))
    response.json(redirectUri === undefined ? {} : { redirect_uri: redirectUri })
  }

  const readForm = (limit: number) => express.urlencoded({ extended: false, limit, parameterLimit: MAX_PARAMETERS })
  router.get('/requests/:name', ask)
  router.post('/requests/:name', readForm(METADATA_BYTES), ask)
  router.post('/answers/:name', readForm(ANSWER_BYTES), answer)
  router.use(['/requests', '/answers'], explain)
  return router
}

/** The requests of sign-ins, below their verifier. */
export function signInWallets({
  oidcProviderFacts,
  walletAnswers,
}: Pick<Platform, 'oidcProviderFacts' | 'walletAnswers'>): Router {
  const placeOf = ({ headers, params }: Request) => oidcProviderFacts.placeAt(headers.host ?? '', String(params.id))
  return walletRoutes({
    requestObject: async (request, name, wallet) => walletAnswers.requestObject(await placeOf(request), name, wallet),
    answerRequest: async (request, name, says) => walletAnswers.answerRequest(await placeOf(request), name, says),
  })
}
