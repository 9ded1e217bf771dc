import type { Request, RequestHandler } from 'express'
import { Refusal } from '../../protocol/errors.ts'
import { sendProblem } from './errors.ts'

/** Operations that read their body themselves, as it arrives: it is larger than memory. */
const STREAMED = new Set(['POST /v1/credentials/batches'])

const isStreamed = ({ method, path }: Request): boolean => STREAMED.has(`${method} ${path}`)

/** `handler` for every request but those; what stands for their body in a fingerprint is how it is written. */
export const exceptStreams =
  (handler: RequestHandler): RequestHandler =>
  (request, response, next) => {
    if (!isStreamed(request)) return handler(request, response, next)
    request.streamed = true
    request.rawBody = Buffer.from(
      `${request.headers['content-type'] ?? ''}\n${request.headers['content-encoding'] ?? ''}`,
    )
    next()
  }

const REQUEST_MS = 30_000
const SILENCE_MS = 30_000

/**
 * A request has 30 s to arrive, and a stream may not be silent for as long. Node's own limit is one for all requests,
 * and an upload takes longer (server.process.ts).
 */
export const limitSending: RequestHandler = (request, response, next) => {
  const cut = () => {
    if (!request.complete) request.destroy()
  }
  const refuse = () => {
    if (request.complete) return
    if (response.headersSent) return cut()
    response.set('Connection', 'close').once('finish', cut)
    sendProblem(response, new Refusal('request.timeout', 'The request did not arrive in time.'))
  }
  const timer = isStreamed(request) ? undefined : setTimeout(refuse, REQUEST_MS)
  if (!timer) request.setTimeout(SILENCE_MS, cut)
  request.once('close', () => clearTimeout(timer))
  next()
}
