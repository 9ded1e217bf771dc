import { randomUUIDv7 } from 'node:crypto'
import type { Request, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import type { LogQueue } from '../../activities/frame/log-queue.ts'
import type { Tenants } from '../../activities/frame/tenants/index.ts'
import { factsOf, isOfPlatform } from '../../protocol/operations.ts'
import { readUuid } from '../../protocol/uuid.ts'
import type { Measures } from './metrics.ts'
import type { FindPath } from './openapi/paths.ts'

/** Sets the request id: the caller's x-request-id when it is a UUID, else a new one; sent back as x-request-id. */
export const nameRequest =
  (log: Logger): RequestHandler =>
  (request, response, next) => {
    const header = request.headers['x-request-id']
    const requestId = (typeof header === 'string' ? readUuid(header) : undefined) ?? randomUUIDv7()
    response.locals.requestId = requestId
    response.locals.log = log.child({ requestId })
    response.set('x-request-id', requestId)
    next()
  }

/** For paths outside the document, such as /docs: the route's template, never the path, so that labels stay few. */
const routeOf = (request: Request): string => {
  const path: unknown = request.route?.path
  return typeof path === 'string' ? path : 'none'
}

/** Why a request failed: its problem, and for a fault of the platform its part and its cause (errors.ts). */
const why = ({ locals: { problem, part, cause } }: Response) => ({ problem, part, cause })

/** The ids that a path names. */
const idsIn = (path: string): string[] => path.split('/').flatMap((segment) => readUuid(segment) ?? [])

interface Watcher {
  log: Logger
  logs: LogQueue
  tenants: Pick<Tenants, 'first'>
  measures: Measures
  find: FindPath
}

/** `firstId` is the first tenant. */
function logEntry(request: Request, response: Response, operationId: string | undefined, firstId: string | undefined) {
  const operation = operationId ? factsOf(operationId) : undefined
  const { caller } = request
  const owner = operation && caller && isOfPlatform(operation, caller.scopes) ? firstId : caller?.tenantId
  // a request for a token is about the client that it names, whatever token it was sent with
  const { tenantId = owner, clientId = caller?.clientId }: Record<string, unknown> = response.locals
  const problem: unknown = response.locals.problem
  // a refusal that goes to a wallet by redirect is one too
  const failed = response.statusCode >= 400 || problem !== undefined
  if (!operation || typeof tenantId !== 'string' || (operation.changes && !failed)) return undefined
  // a replayed response was logged the first time; a request over its limit was not tried
  if (response.getHeader('Idempotency-Replayed') || response.statusCode === 429) return undefined
  const { objectIds = [], presentedId, presentedDigest, ...noted } = request.noted ?? {}
  return {
    id: randomUUIDv7(),
    tenantId,
    category: operation.category,
    type: `${operation.name}_${failed ? 'FAIL' : 'SUCCESS'}`,
    timestamp: new Date(),
    requestId: response.locals.requestId as string,
    data: failed
      ? { error: { type: typeof problem === 'string' ? problem : 'internal', status: response.statusCode } }
      : {},
    metadata: { clientId: clientId ?? null, ...noted },
    // of a refusal too what the request names, be it there or not (D-427)
    objectIds: [...new Set([...idsIn(request.path), ...objectIds])],
    ...(presentedId === undefined ? {} : { presentedId }),
    ...(presentedDigest === undefined ? {} : { presentedDigest }),
  }
}

/**
 * Calls `record` once: when the answer was sent, or when the operation gave it to a connection that its caller had broken
 * by then. Who hangs up leaves the same traces as who listens.
 */
function whenAnswered(response: Response, record: () => void): void {
  let isRecorded = false
  const once = () => {
    if (isRecorded) return
    isRecorded = true
    record()
  }
  response.once('finish', once)
  response.once('close', () => {
    if (response.headersSent || response.writableEnded) return once()
    const end = response.end.bind(response)
    response.end = ((...args: Parameters<typeof end>) => {
      once()
      return end(...args)
    }) as Response['end']
  })
}

/** Writes one line, one measurement and the log entry, if the operation did not write it, after each response. */
export const watchRequests = ({ log, logs, tenants, measures, find }: Watcher): RequestHandler => {
  // its lines have no members of members, in which alone secrets are looked for, with each member of each line
  const lines = log.child({}, { redact: [] })
  let firstId: string | undefined
  const learnFirst = async () => {
    firstId = (await tenants.first()).id
  }
  return (request, response, next) => {
    const started = process.hrtime.bigint()
    const path = find(request.path)
    const operationId = path?.operations.get(request.method)
    whenAnswered(response, () => {
      const seconds = Number(process.hrtime.bigint() - started) / 1e9
      const route = path?.template ?? routeOf(request)
      const status = response.statusCode
      measures.observe(request.method, route, status, seconds)
      const line = {
        requestId: response.locals.requestId as string,
        method: request.method,
        route,
        status,
        ms: Math.round(seconds * 1e4) / 10,
        tenantId: request.caller?.tenantId,
        ...why(response),
      }
      // 501: a DID method that is not supported; the caller knows, and no operator has to act
      lines[status >= 500 && status !== 501 ? 'error' : 'info'](line, operationId ?? 'request')
      const entry = logEntry(request, response, operationId, firstId)
      if (!entry) return
      // a wrong secret: whoever knows the id of a client writes into the log of its tenant
      const isGuess =
        operationId === 'getOAuthAccessToken' ? !request.client : operationId === 'loginUser' && status >= 400
      if (isGuess) logs.gather(`${operationId} ${entry.metadata.clientId}`, entry)
      else logs.add(entry)
    })
    if (!operationId || !factsOf(operationId)) return next()
    const room = logs.room()
    if (!room && firstId !== undefined) return next()
    // a request that cannot be logged does not start (D-205)
    Promise.all([room, firstId === undefined ? learnFirst() : undefined]).then(() => next(), next)
  }
}
