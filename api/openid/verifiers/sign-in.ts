import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from 'express'
import { errors } from 'oidc-provider'
import type { Pool } from 'pg'
import type { Dependencies } from '../../../activities/dependencies.ts'
import { bundledOnly } from '../../../activities/documents/index.ts'
import type { Platform } from '../../../activities/index.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { limitRate } from '../../frame/limits/index.ts'
import { PAGE_HEADERS, sendPage } from '../pages.ts'
import { errorPage, seenAs, signInHeaders, signInPage } from './page.ts'
import { accountIdOf, KEPT_SECONDS } from './provider.ts'
import { providersOf, type Running } from './providers.ts'
import { forWallets, signInWallets } from './wallet.ts'

export interface SignInParts {
  platform: Platform
  documents: Pick<Dependencies, 'documents'>['documents']
  pool: Pool
  perMinute: number
}

const PUBLISHED = ['/.well-known/openid-configuration', '/jwks']
/** Paths below an issuer that its provider answers itself, and with which methods. */
const OF_PROVIDER: readonly [paths: string[], methods: string[]][] = [
  [PUBLISHED, ['GET', 'HEAD', 'OPTIONS']],
  [['/authorize'], ['GET', 'HEAD', 'POST']],
  [['/authorize/:uid'], ['GET', 'HEAD']],
  [['/userinfo'], ['GET', 'HEAD', 'POST', 'OPTIONS']],
  [['/revoke'], ['POST', 'OPTIONS']],
]

/** What fits into the address that it becomes. */
const FORM_BYTES = 8 * 1024

/** No longer than a new key is published before it signs. */
const PUBLISHED_SECONDS = 300

const noInteraction = () =>
  new Refusal('sign_in.not_yours', 'This sign-in has ended, or it was begun in another browser. Begin it again.')

/** 405 with Allow (RFC 9110, section 15.5.6), as everywhere. */
const only =
  (methods: readonly string[]): RequestHandler =>
  ({ method }, response, next) => {
    if (methods.includes(method)) return next()
    const allowed = methods.join(', ')
    response.set('Allow', allowed)
    throw new Refusal(
      'request.method_not_allowed',
      `This path does not support ${method.slice(0, 20)}. Use ${allowed}.`,
    )
  }

const explain: ErrorRequestHandler = (error, request, response, next) => {
  const refusal = error instanceof errors.SessionNotFound ? noInteraction() : error
  const isForPeople = request.accepts(['json', 'html']) === 'html'
  if (!(refusal instanceof Refusal) || response.headersSent || !isForPeople) return next(refusal)
  response.set(PAGE_HEADERS)
  sendPage(response, refusal.code.endsWith('.not_found') ? 404 : 400, errorPage(refusal.code, refusal.message))
}

/**
 * What browsers, clients and wallets need of a verifier beside its token endpoint. Its errors are those of the standards,
 * or pages for people, so that it is not in the API's document.
 */
export function signInRoutes({ platform, documents, pool, perMinute }: SignInParts): Router {
  const providers = providersOf(platform)
  const { signIns } = platform
  const router = express.Router({ caseSensitive: true, strict: true, mergeParams: true })
  const hostOf = ({ headers }: Request): string => headers.host ?? ''
  const running = (request: Request): Promise<Running> =>
    providers.providerAt(hostOf(request), String(request.params.id))

  const byProvider: RequestHandler = async (request, response) => {
    const path = request.url.split('?')[0] ?? '/'
    await providers.run(await running(request), request, response, { path })
  }

  /**
   * A request by POST (OpenID Connect Core 1.0, section 3.1.2.1) goes on as the same one by GET: a browser that comes from
   * another site then sends its cookies, which have SameSite=Lax.
   */
  const byForm: RequestHandler = async (request, response) => {
    const { facts } = await running(request)
    const parameters = new URLSearchParams(typeof request.body === 'string' ? request.body : '')
    response.set(PAGE_HEADERS).redirect(303, `${new URL(facts.issuer).pathname}/authorize?${parameters}`)
  }

  /** The interaction of the browser's own cookie, which must be the one of the address. */
  async function interactionOf(request: Request, response: Response) {
    const { facts, provider } = await running(request)
    const interaction = await provider.interactionDetails(request, response)
    if (interaction.uid !== request.params.uid) throw noInteraction()
    return { facts, provider, interaction }
  }

  /**
   * The person who has signed in takes the place of the one who had: the browser's session forgets that one, after the
   * result is stored. It is the session of now, in which another page of this browser may have signed somebody in since.
   */
  async function forgetAccount({ provider }: Running, request: Request, response: Response): Promise<void> {
    const session = await provider.Session.get(provider.createContext(request, response))
    if (!session.accountId) return
    delete session.accountId
    delete session.loginTs
    await session.persist()
  }

  const show: RequestHandler = async (request, response) => {
    const { facts, interaction } = await interactionOf(request, response)
    const { uid, params, exp } = interaction
    const view = await signIns.beginSignIn(facts, {
      interaction: uid,
      clientId: String(params.client_id),
      requestId: String(response.locals.requestId),
      expiresAt: new Date(exp * 1000),
    })
    const base = `${new URL(facts.issuer).pathname}/sign-in/${uid}`
    if (seenAs(view) === 'done') return response.redirect(303, `${base}/done`)
    const qrCode = await documents.qrCode(view.links.other, bundledOnly(facts.tenantId))
    response.set(signInHeaders(String(params.redirect_uri), view.logoUri))
    sendPage(response, 200, signInPage({ view, base, qrCode }))
  }

  const tell: RequestHandler = async (request, response) => {
    const { facts, interaction } = await interactionOf(request, response)
    const found = await signIns.readSignIn(facts, interaction.uid)
    if (!found) throw noInteraction()
    response.set('Cache-Control', 'no-store').json({ state: seenAs(found), failures: found.failures })
  }

  const finish: RequestHandler = async (request, response) => {
    const { facts, provider, interaction } = await interactionOf(request, response)
    const { response_code: code } = request.query
    const responseCode = typeof code === 'string' ? code : undefined
    const person = await signIns.finishSignIn(facts, interaction.uid, responseCode, KEPT_SECONDS)
    const login = { accountId: accountIdOf(person), remember: false }
    const returnTo = await provider.interactionResult(request, response, { login, consent: {} })
    await forgetAccount({ facts, provider }, request, response)
    response.set(PAGE_HEADERS).redirect(303, returnTo)
  }

  const cancel: RequestHandler = async (request, response) => {
    const { facts, provider, interaction } = await interactionOf(request, response)
    await signIns.cancelSignIn(facts, interaction.uid)
    const error = { error: 'access_denied', error_description: 'the person did not present a credential' }
    response.set(PAGE_HEADERS).redirect(303, await provider.interactionResult(request, response, error))
  }

  router.use(forWallets)
  router.use(limitRate({ pool, perMinute, name: 'sign-in', by: ({ address }) => address }))
  router.get(PUBLISHED, (_request, response, next) => {
    response.set('Cache-Control', `public, max-age=${PUBLISHED_SECONDS}`)
    next()
  })
  router.post('/authorize', express.text({ type: 'application/x-www-form-urlencoded', limit: FORM_BYTES }), byForm)
  for (const [paths, methods] of OF_PROVIDER) router.all(paths, only(methods), byProvider)
  router.options('/token', byProvider)
  router.get('/sign-in/:uid', show)
  router.get('/sign-in/:uid/state', tell)
  router.get('/sign-in/:uid/done', finish)
  router.post('/sign-in/:uid/cancel', cancel)
  router.use(signInWallets(platform))
  router.use(explain)
  return express.Router({ caseSensitive: true, strict: true }).use('/v1/oidc/verifiers/:id', onlyPublic(router))
}

const PUBLIC =
  /^\/(\.well-known\/openid-configuration|jwks|authorize|userinfo|revoke|sign-in|requests|answers)(\/|\?|$)/

/** Before a script of another site asks for tokens (Fetch Standard, CORS-preflight request); any other OPTIONS is the API's. */
const isPreflight = ({ method, url, headers }: Request): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined && /^\/token(\?|$)/.test(url)

/** The API's operations have other paths below a verifier, and their own limits. */
const onlyPublic =
  (router: Router): RequestHandler =>
  (request, response, next) =>
    PUBLIC.test(request.url) || isPreflight(request) ? router(request, response, next) : next()
