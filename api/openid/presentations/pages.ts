import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from 'express'
import type { Pool } from 'pg'
import type { Dependencies } from '../../../activities/dependencies.ts'
import { bundledOnly } from '../../../activities/documents/index.ts'
import type { Platform } from '../../../activities/index.ts'
import type { NewBrowser, PagePlace } from '../../../activities/openid/presentations/pages.ts'
import type { PageOfBrowser } from '../../../activities/openid/presentations/rows.ts'
import { PAGE_PATH } from '../../../activities/openid/presentations/wallet-requests.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { limitRate } from '../../frame/limits/index.ts'
import { statusOf } from '../../frame/problems.ts'
import { cookiesOf } from '../authorization/browser.ts'
import { PAGE_HEADERS, sendPage } from '../pages.ts'
import { PAGE_SCRIPT } from './page.script.ts'
import { PAGE_LANGUAGES, type PageLanguage } from './page.texts.ts'
import { requestErrorPage, requestPage, requestPageHeaders, SCRIPT_NAME } from './page.ts'

const COOKIE = 'openid4vp_page'
/** As wallets may answer by themselves. */
const ANSWER_BYTES = 1024 * 1024

const languageOf = (request: Request): PageLanguage => {
  const wanted = request.acceptsLanguages([...PAGE_LANGUAGES])
  return PAGE_LANGUAGES.find((language) => language === wanted) ?? 'en'
}

/** A browser that looks ahead shows nobody anything, and is not asked to keep a cookie. */
const looksAhead = ({ method, headers }: Request): boolean =>
  method === 'HEAD' || String(headers['sec-purpose'] ?? '').startsWith('prefetch')

const explain: ErrorRequestHandler = (error, request, response, next) => {
  const isForPeople = request.accepts(['json', 'html']) === 'html'
  if (!(error instanceof Refusal) || response.headersSent || !isForPeople) return next(error)
  response.set(PAGE_HEADERS)
  sendPage(response, statusOf(error.code), requestErrorPage(languageOf(request), error.code))
}

interface Parts {
  platform: Platform
  documents: Dependencies['documents']
  pool: Pool
  perMinute: number
}

/**
 * The platform's pages of requests of the API: a verifier leads a person's browser there. They are for browsers alone, so
 * that they are not in the API's document.
 */
export function requestPageRoutes({
  platform: { requestPages, requestAnswers },
  documents,
  pool,
  perMinute,
}: Parts): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  const placeOf = ({ headers }: Request): Promise<PagePlace> => requestPages.placeAt(headers.host ?? '')
  const pageOf = (request: Request): PageOfBrowser => ({
    page: String(request.params.name),
    browser: cookiesOf(request)(COOKIE),
  })
  const pathOf = ({ page }: PageOfBrowser): string => `${PAGE_PATH}/${encodeURIComponent(page)}`

  /** The browser keeps a secret for this page alone, which no script reads and no other site sends. */
  function keep(response: Response, { origin }: PagePlace, path: string, { secret, seconds }: NewBrowser): void {
    const secure = origin.startsWith('https:')
    response.cookie(COOKIE, secret, { httpOnly: true, sameSite: 'lax', path, secure, maxAge: seconds * 1000 })
  }

  /**
   * A form or a script of another origin has no business here, even where the browser sends its cookie, as from another
   * host of the same site. The page's own form has the origin null, because the page tells nobody its address.
   */
  async function ownPlaceOf(request: Request): Promise<PagePlace> {
    const place = await placeOf(request)
    const { origin = 'null', 'sec-fetch-site': site = 'same-origin' } = request.headers
    if (site !== 'same-origin' || (origin !== 'null' && origin !== place.origin))
      throw new Refusal('openid_presentation.not_yours', 'This was sent by a page of another origin.')
    return place
  }

  const show: RequestHandler = async (request, response) => {
    const place = await placeOf(request)
    const of = pageOf(request)
    const base = pathOf(of)
    // another domain of the tenant is another origin, which no request to a wallet names
    if (!place.isThere) return response.redirect(303, `${place.origin}${base}`)
    if (looksAhead(request)) return response.status(503).set('Retry-After', '1').end()
    const { view, newBrowser } = await requestPages.openPage(place.tenantId, of)
    if (newBrowser !== undefined) keep(response, place, base, newBrowser)
    if (view.state === 'done') return response.redirect(303, `${base}/done`)
    const directory = `${place.origin}${PAGE_PATH}`
    const qrCode = await documents.qrCode(view.uri, bundledOnly(place.tenantId))
    response.set(requestPageHeaders(view.redirectUri, directory))
    sendPage(response, 200, requestPage({ lang: languageOf(request), view, base, directory, qrCode }))
  }

  const tell: RequestHandler = async (request, response) => {
    const { tenantId } = await placeOf(request)
    response.json(await requestPages.look(tenantId, pageOf(request)))
  }

  const ask: RequestHandler = async (request, response) => {
    response.json(await requestPages.browserRequest(await placeOf(request), pageOf(request)))
  }

  const answer: RequestHandler = async (request, response) => {
    const { tenantId, origin } = await ownPlaceOf(request)
    const of = pageOf(request)
    if (typeof request.body !== 'string')
      throw new Refusal('request.unsupported_media_type', 'The answer is not JSON. Send application/json in UTF-8.')
    await requestAnswers.answerOnPage(tenantId, of, origin, request.body)
    response.json(await requestPages.look(tenantId, of))
  }

  const finish: RequestHandler = async (request, response) => {
    const { tenantId } = await placeOf(request)
    const of = pageOf(request)
    const { return_code: code } = request.query
    const back = await requestPages.finish(tenantId, of, typeof code === 'string' ? code : undefined)
    leadTo(response, back ?? pathOf(of))
  }

  const cancel: RequestHandler = async (request, response) => {
    const { tenantId } = await ownPlaceOf(request)
    leadTo(response, await requestPages.cancel(tenantId, pageOf(request)))
  }

  router.use(limitRate({ pool, perMinute, name: 'openid4vp-pages', by: ({ address }) => address }))
  router.get(`/${SCRIPT_NAME}`, (_request, response) => {
    response.set('Cache-Control', 'no-cache').type('text/javascript').send(Buffer.from(PAGE_SCRIPT))
  })
  router.use((_request, response, next) => {
    response.set({ 'Cache-Control': 'no-store', Vary: 'Accept-Language, Cookie' })
    next()
  })
  router.get('/:name', show)
  router.get('/:name/state', tell)
  router.get('/:name/browser-request', ask)
  router.post('/:name/answer', express.text({ type: 'application/json', limit: ANSWER_BYTES }), answer)
  router.get('/:name/done', finish)
  router.post('/:name/cancel', cancel)
  router.use(explain)
  return express.Router({ caseSensitive: true, strict: true }).use(PAGE_PATH, router)
}

/** Set as it is: express would encode a scheme of an app. */
function leadTo(response: Response, location: string): void {
  response.set(PAGE_HEADERS).setHeader('Location', location)
  response.status(303).end()
}
