import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Request, RequestHandler, Response } from 'express'
import { Refusal } from '../../protocol/errors.ts'
import { sendProblem } from './errors.ts'
import { ARCHIVES, UPLOADS } from './openapi/areas.ts'
import type { FindPath } from './openapi/paths.ts'

/** Whether the operation reads the body as a stream. */
function isUpload({ method, path }: Request, find: FindPath): boolean {
  const operationId = find(path)?.operations.get(method)
  return operationId !== undefined && Object.hasOwn(UPLOADS, operationId)
}

/** Whether the operation takes its body as a ZIP archive too. */
export const takesArchive =
  (find: FindPath) =>
  ({ method, path }: Request): boolean =>
    ARCHIVES.has(find(path)?.operations.get(method) ?? '')

/** Applies `handler` to every request except uploads, whose fingerprint has their headers in place of the body. */
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
 * A request must arrive within 30 s, and an upload must not be silent for 30 s. Node's own limit applies to all
 * requests, and an upload takes longer (server.process.ts).
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
      sendProblem(response, new Refusal('request.timeout', 'The request did not arrive within 30 seconds.'))
    }
    const timer = isUpload(request, find) ? undefined : setTimeout(refuse, REQUEST_MS)
    if (!timer) request.setTimeout(SILENCE_MS, cut)
    request.once('close', () => clearTimeout(timer))
    next()
  }

export const responseTo = ({ res }: Request): Response => {
  if (!res) throw new Refusal('request.malformed', 'The request has no response to write to.')
  return res
}

/**
 * Sends as fast as the caller reads. Reads the first page before it sends the status, so that a refusal is a problem.
 */
export async function sendFile(
  response: Response,
  { type, name }: { type: string; name: string },
  texts: AsyncGenerator<string | Uint8Array>,
): Promise<void> {
  const first = await texts.next()
  response.status(200).set('Content-Type', type).set('Content-Disposition', `attachment; filename="${name}"`)
  const rest = async function* () {
    if (!first.done) yield first.value
    yield* texts
  }
  // when the caller leaves, reading stops; any other failure closes the connection, so that no file looks complete
  await pipeline(Readable.from(rest()), response).catch((error: unknown) => {
    response.locals.log.info({ err: error }, 'a download broke off')
    response.destroy()
  })
}
