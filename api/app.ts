import express, { type Express } from 'express'
import helmet from 'helmet'
import type { Pool } from 'pg'
import type { Registry } from 'prom-client'
import type { Dependencies, Platform } from '../activities/index.ts'
import { RegisterRoutes } from '../build/routes.ts'
import { Refusal } from '../protocol/errors.ts'
import { aliases } from './aliases.ts'
import { readBearer, refuseBadBearer } from './authentication.ts'
import { readBody } from './body.ts'
import { publicDids } from './dids.public.ts'
import { didResolution } from './dids.resolution.ts'
import { docs } from './docs.ts'
import { problemHandler } from './errors.ts'
import { health } from './health.ts'
import { limitRate } from './limits.ts'
import { nameRequest, watchRequests } from './logging.ts'
import { createMeasures } from './metrics.ts'
import { checkMethod, createPaths, type OpenApi } from './paths.ts'
import { exceptStreams, limitSending } from './streams.ts'
import { checkAddress } from './unreadable.ts'

export interface AppParts {
  dependencies: Dependencies
  platform: Platform
  pool: Pool
  registry: Registry
  openApi: OpenApi
  /** True from SIGTERM on: readiness says no while accepted work is finished. */
  stopping: () => boolean
}

const TOKEN_PATHS = new Set(['/v1/auth/token'])

/** Static segments before parameters, whichever controller they stand in: `/configurations` is no `/{id}`. */
const precedence = (path = ''): string => path.replace(/:\w+/g, '\uffff')

/** The API as one express application; it listens nowhere by itself. */
export function createApp({ dependencies, platform, pool, registry, openApi, stopping }: AppParts): Express {
  const { config, logs, log } = dependencies
  const app = express()
  app.locals.platform = platform
  app.disable('x-powered-by')
  app.set('etag', false)
  app.set('query parser', 'simple')
  app.use(nameRequest(log))
  app.use(limitSending)
  app.use(checkAddress)
  app.use(health({ ...dependencies, stopping }))
  app.use(aliases)
  const find = createPaths(openApi)
  app.use(helmet({ contentSecurityPolicy: false, strictTransportSecurity: config.publicUrl.protocol === 'https:' }))
  app.use(watchRequests({ logs, measures: createMeasures(registry), find }))
  app.use(docs(openApi))
  app.use(publicDids(platform))
  app.use((_request, response, next) => {
    response.set('Cache-Control', 'no-store')
    next()
  })
  app.use(readBearer(platform.tokens))
  const limitTokens = limitRate({ pool, perMinute: config.tokenRateLimitPerMinute, name: 'token', by: 'address' })
  const limitCalls = limitRate({ pool, perMinute: config.rateLimitPerMinute, name: 'api', by: 'client' })
  app.use((request, response, next) =>
    (request.path.startsWith('/v1/auth/') ? limitTokens : limitCalls)(request, response, next),
  )
  app.use(refuseBadBearer)
  app.use(didResolution(platform))
  app.use(checkMethod(find))
  app.use(exceptStreams(readBody((path) => TOKEN_PATHS.has(path))))
  const router = express.Router({ caseSensitive: true, strict: true })
  RegisterRoutes(router)
  router.stack.sort((one, other) => (precedence(one.route?.path) < precedence(other.route?.path) ? -1 : 1))
  app.use(router)
  app.use(() => {
    throw new Refusal('request.not_found', 'There is nothing at this path; see /docs.')
  })
  app.use(problemHandler)
  return app
}
