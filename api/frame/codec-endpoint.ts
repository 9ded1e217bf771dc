import type { Payload, PayloadCodec } from '@temporalio/common'
import express, { type NextFunction, type Request, type Response, Router } from 'express'
import { isObject } from '../../protocol/json.ts'

const MAX_BODY = '8mb'

/** A payload in protobuf's JSON form: bytes are base64 (protobuf, JSON mapping). */
interface WirePayload {
  metadata?: Record<string, string>
  data?: string
}

const isWirePayload = (value: unknown): value is WirePayload =>
  isObject(value) &&
  (value.data === undefined || typeof value.data === 'string') &&
  (value.metadata === undefined ||
    (isObject(value.metadata) && Object.values(value.metadata).every((entry) => typeof entry === 'string')))

/** Protobuf's JSON leaves an empty list out. */
function payloadsOf(body: unknown): unknown[] | undefined {
  if (!isObject(body)) return undefined
  const { payloads = [] } = body
  return Array.isArray(payloads) ? payloads : undefined
}

const fromWire = ({ metadata = {}, data = '' }: WirePayload): Payload => ({
  metadata: Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')])),
  data: Buffer.from(data, 'base64'),
})

const toWire = ({ metadata, data }: Payload): WirePayload => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
  ),
  data: Buffer.from(data ?? new Uint8Array(0)).toString('base64'),
})

const problem = (response: Response, status: number, detail: string): void => {
  response.status(status).type('application/problem+json').send({ title: 'Payloads not decoded', status, detail })
}

/** The UI's origin; for a loopback address under both names, since people type either. */
function originsOf(uiUrl: string): string[] {
  if (!URL.canParse(uiUrl)) return []
  const url = new URL(uiUrl)
  if (!['localhost', '127.0.0.1'].includes(url.hostname)) return [url.origin]
  return ['localhost', '127.0.0.1'].map((name) => url.origin.replace(url.hostname, name))
}

/**
 * `POST /codec/decode`: decrypts workflow payloads for the Temporal UI (Temporal, remote codec protocol). Who can reach
 * it can read personal data, so it is on the operator port alone, is off by default (CODEC_ENDPOINT), allows only the
 * Temporal UI's origin, and never encodes.
 */
export function codecEndpoint(codec: Pick<PayloadCodec, 'decode'>, { uiUrl }: { uiUrl: string }): Router {
  const origins = originsOf(uiUrl)
  const router = Router()

  router.use('/codec', (request, response, next) => {
    response.set({ 'cache-control': 'no-store', vary: 'Origin' })
    const from = request.get('origin')
    if (from === undefined) return next()
    if (!origins.includes(from))
      return problem(
        response,
        403,
        'Only the origin of the Temporal UI may call this from a browser; set TEMPORAL_UI_URL to it.',
      )
    response.set({
      'access-control-allow-origin': from,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type, x-namespace',
      'access-control-max-age': '600',
    })
    if (request.method === 'OPTIONS') {
      response.status(204).end()
      return
    }
    next()
  })

  // JSON content type only: a form on a foreign page cannot send it without a preflight request
  router.post('/codec/decode', express.json({ limit: MAX_BODY }), async (request: Request, response: Response) => {
    const payloads = payloadsOf(request.body)
    if (!payloads?.every(isWirePayload)) {
      return problem(response, 400, 'The body must be {"payloads": [{"metadata": {…}, "data": "…"}]}, bytes in base64.')
    }
    try {
      const decoded = await codec.decode(payloads.map(fromWire))
      response.json({ payloads: decoded.map(toWire) })
    } catch {
      // the caller must not learn which byte or key failed
      problem(response, 400, 'A payload cannot be decrypted with the keys of this process.')
    }
  })

  // the CLI asks to encode the arguments of a query even when it has none
  router.post('/codec/encode', express.json({ limit: MAX_BODY }), (request: Request, response: Response) => {
    if (payloadsOf(request.body)?.length === 0) return void response.json({ payloads: [] })
    problem(response, 400, 'This endpoint only decodes: only the platform starts workflows.')
  })

  router.use('/codec', (_error: unknown, _request: Request, response: Response, _next: NextFunction) =>
    problem(response, 400, 'The body is not JSON, or it is larger than 8 MiB.'),
  )
  return router
}
