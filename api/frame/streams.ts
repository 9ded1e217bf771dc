import type { Hash } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Request, RequestHandler, Response } from 'express'
import { Refusal } from '../../protocol/errors.ts'
import type { Called } from './authentication.ts'
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
    // whoever watches it learns that it is over, also where the caller had gone before its head
    response.flushHeaders()
    response.end()
  })
}

/** What a compressed source holds; fails as the source does, also where that has ended before anybody reads. */
export function gunzipped(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const gunzip = createGunzip()
  return Readable.from(source)
    .once('error', (error) => gunzip.destroy(error))
    .pipe(gunzip)
}

/** A refused upload is still read for this long, so that its sender receives the problem. */
const DRAIN_MS = 5_000

/** What an upload has beside its rows. */
export interface Received {
  /** SHA-256 of the body, once it was read to its end. */
  digest(): Buffer
  /** Reads the body of a repeated request, for its digest alone. */
  reread(): Promise<Buffer>
  /** Discards the rest of the body, for DRAIN_MS at most. */
  drain(): Promise<void>
}

/** `read` gives the bytes of the body, and counts them in `hash`. */
export function received(request: IncomingMessage, hash: Hash, read: () => AsyncIterable<Uint8Array>): Received {
  let digest: Buffer | undefined
  const digestOnce = () => {
    digest ??= hash.digest()
    return digest
  }
  return {
    digest: digestOnce,
    async reread() {
      for await (const _bytes of read());
      return digestOnce()
    },
    async drain() {
      if (request.complete || request.destroyed) return
      request.resume()
      await once(request, 'end', { signal: AbortSignal.timeout(DRAIN_MS) }).catch(() => undefined)
    },
  }
}

interface Making<Made> {
  /** The digest of the upload that made a thing before. */
  digestOf(id: string): Promise<Buffer | undefined>
  make(): Promise<Made>
}

/**
 * Makes what an upload asks for, once for its Idempotency-Key: with the same key the body must be the same too, so it is
 * read again for its digest. Throws `Replay` for a request that was answered before.
 */
export async function madeOf<Made extends { id: string }>(
  { user, replay }: Called & Request,
  upload: Pick<Received, 'reread' | 'drain'>,
  { digestOf, make }: Making<Made>,
): Promise<Made> {
  try {
    const effect = user.idempotency?.effect as Made | undefined
    const id = replay ? String((replay.body() as { id: string }).id) : effect?.id
    if (id !== undefined && !(await digestOf(id))?.equals(await upload.reread()))
      throw new Refusal(
        'idempotency.key_reused',
        'This Idempotency-Key was used with another request. Use a new key for a new request.',
      )
    if (replay) throw replay
    return effect ?? (await make())
  } catch (error) {
    await upload.drain()
    throw error
  }
}
