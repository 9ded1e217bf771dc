import express, { type Express, type RequestHandler, type Router } from 'express'
import helmet from 'helmet'
import type { Pool } from 'pg'
import type { Registry } from 'prom-client'
import { ROOT } from '../activities/frame/process/root.ts'
import type { Dependencies, Platform } from '../activities/index.ts'
import { RegisterRoutes } from '../build/routes.ts'
import { Refusal } from '../protocol/errors.ts'
import { accountPage } from './administration/accounts/page.ts'
import { readConsole } from './console/files.ts'
import { consolePages } from './console/pages.ts'
import { publicDids } from './dids/public.ts'
import { didResolution } from './dids/resolution.ts'
import { aliases } from './frame/aliases.ts'
import { readBearer, refuseBadBearer } from './frame/authentication.ts'
import { readBody } from './frame/body.ts'
import { problemHandler } from './frame/errors.ts'
import { health } from './frame/health.ts'
import { noteMediaType, WRITES } from './frame/idempotency.ts'
import { findAddress } from './frame/limits/address.ts'
import { limitRate } from './frame/limits/index.ts'
import { limitPublished } from './frame/limits/public.ts'
import { asksForToken, limitTokens } from './frame/limits/tokens.ts'
import { nameRequest, watchRequests } from './frame/logging.ts'
import { createMeasures } from './frame/metrics.ts'
import { docs } from './frame/openapi/docs.ts'
import { createMembers, refuseBody } from './frame/openapi/members.ts'
import { checkMethod, createPaths, type OpenApi, routeByPath } from './frame/openapi/paths.ts'
import { noteWallets } from './frame/openapi/wallets.ts'
import { exceptUploads, limitSending, takesArchive } from './frame/streams.ts'
import { checkHead, readTarget } from './frame/unreadable.ts'
import { explainInvalid } from './frame/validation.ts'
import { inTurn, sameHeaders } from './handlers.ts'
import { requestPageRoutes } from './openid/presentations/pages.ts'
import { presentationRoutes } from './openid/presentations/wallet.ts'
import { signInRoutes } from './openid/verifiers/sign-in.ts'
import { admitBrowserWallets, opensPage } from './openid/wallets/cors.ts'

export interface AppParts {
  dependencies: Dependencies
  platform: Platform
  pool: Pool
  registry: Registry
  openApi: OpenApi
  /** True from SIGTERM on: readiness is then 503 while accepted requests finish. */
  stopping: () => boolean
}

const READS = new Set(['GET', 'HEAD'])

/** Spares requests that write the routes that only answer reads. */
const forReads =
  (router: Router): RequestHandler =>
  (request, response, next) =>
    WRITES.has(request.method) ? next() : router(request, response, next)

/** Returns the API as one express application; the caller makes it listen. */
export function createApp({ dependencies, platform, pool, registry, openApi, stopping }: AppParts): Express {
  const { config, documents, logs, log } = dependencies
  const find = createPaths(openApi)
  const app = express()
  app.locals.platform = platform
  app.disable('x-powered-by')
  app.set('etag', false)
  // each public document decides alone what a reader has already: of two versions in one second express takes the first
  Object.defineProperty(app.request, 'fresh', { value: false })
  app.set('query parser', 'simple')
  const published = limitPublished({ pool, perMinute: config.publicRateLimitPerMinute }, opensPage(find))
  const limitCalls = limitRate({
    pool,
    perMinute: config.rateLimitPerMinute,
    name: 'api',
    by: ({ caller, address }) => caller?.clientId ?? address,
  })
  const strictTransportSecurity = config.publicUrl.protocol === 'https:'
  const toStrangers = { platform, pool, perMinute: config.publicRateLimitPerMinute }
  app.use(
    inTurn(
      nameRequest(log),
      readTarget,
      findAddress(config.trustedProxies, log),
      limitSending(find),
      aliases(openApi, find),
      noteWallets(find),
      checkHead,
      forReads(health({ ...dependencies, stopping })),
      sameHeaders(helmet({ contentSecurityPolicy: false, strictTransportSecurity })),
      watchRequests({ log, logs, tenants: platform.tenants, measures: createMeasures(registry), find }),
      forReads(docs(openApi)),
      forReads(accountPage()),
      forReads(consolePages(readConsole(new URL('build/console/', ROOT)))),
      forReads(publicDids(platform, published)),
      signInRoutes({ ...toStrangers, documents }),
      requestPageRoutes({ ...toStrangers, documents }),
      presentationRoutes(toStrangers),
      (_request, response, next) => {
        response.set('Cache-Control', 'no-store')
        next()
      },
      admitBrowserWallets(find),
      readBearer(platform.tokens),
      (request, response, next) => {
        if (asksForToken(request)) return next() // counted after its body is read: the body names the client
        const isPublic = READS.has(request.method) && find(request.path)?.isPublic
        return (isPublic ? published : limitCalls)(request, response, next)
      },
      refuseBadBearer,
      forReads(didResolution(platform)),
      checkMethod(find),
      noteMediaType(find),
      exceptUploads(find, readBody({ asksForToken, takesArchive: takesArchive(find), openApi, find })),
      refuseBody(openApi, find),
      limitTokens({ ...platform, pool, perMinute: config.tokenRateLimitPerMinute }),
    ),
  )
  app.use(routeByPath(find, RegisterRoutes))
  app.use(() => {
    throw new Refusal('request.not_found', 'No operation has this path. See /docs for all paths.')
  })
  app.use(explainInvalid(createMembers(openApi, find)))
  app.use(problemHandler)
  return app
}
