import type { Request, RequestHandler } from 'express'
import { Refusal } from '../../protocol/errors.ts'
import { sendProblem } from './errors.ts'
import { UPLOADS } from './openapi/areas.ts'
import type { FindPath } from './openapi/paths.ts'

/** Whether the operation reads the body itself, as it arrives. */
function isUpload({ method, path }: Request, find: FindPath): boolean {
  const operationId = find(path)?.operations.get(method)
  return operationId !== undefined && Object.hasOwn(UPLOADS, operationId)
}

/** `handler` for every request but uploads; what stands for their body in a fingerprint is how it is written. */
export const exceptUploads =
  (find: FindPath, handler: RequestHandler): RequestHandler =>
  (request, response, next) => {
    if (!isUpload(request, find)) return handler(request, response, next)
    request.streamed = true
    request.rawBody = Buffer.from(
      `${request.headers['content-type'] ?? ''}\n${request.headers['content-encoding'] ?? ''}`,
    )
    next()
  }

const REQUEST_MS = 30_000
const SILENCE_MS = 30_000

/**
 * A request has 30 s to arrive, and an upload may not be silent for as long. Node's own limit is one for all requests,
 * and an upload takes longer (server.process.ts).
 */
export const limitSending =
  (find: FindPath): RequestHandler =>
  (request, response, next) => {
    const cut = () => {
      if (!request.complete) request.destroy()
    }
    const refuse = () => {
      if (request.complete) return
      if (response.headersSent) return cut()
      response.set('Connection', 'close').once('finish', cut)
      sendProblem(response, new Refusal('request.timeout', 'The request did not arrive in time.'))
    }
    const timer = isUpload(request, find) ? undefined : setTimeout(refuse, REQUEST_MS)
    if (!timer) request.setTimeout(SILENCE_MS, cut)
    request.once('close', () => clearTimeout(timer))
    next()
  }
