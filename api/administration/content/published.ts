import type { Controller } from '@tsoa/runtime'
import type { Request } from 'express'
import type { Reader } from '../../../activities/administration/content/entries.ts'
import { etagOf, isFresh } from '../../../protocol/etag.ts'

/** Who reads a public page: with a token of an operator, what is not published is shown too. */
export const readerOf = ({ caller }: Request): Reader => ({
  isOperator: caller?.scopes.includes('platform:read') ?? false,
})

/** Caches keep what strangers read, and nothing that an operator sees. Returns undefined for 304. */
export function publish<Body extends object>(controller: Controller, request: Request, body: Body): Body | undefined {
  controller.setHeader('Vary', 'Authorization')
  if (readerOf(request).isOperator) return body
  const etag = etagOf(JSON.stringify(body))
  controller.setHeader('ETag', etag)
  controller.setHeader('Cache-Control', 'public, max-age=60')
  if (!isFresh(request.headers['if-none-match'], etag)) return body
  controller.setStatus(304)
  return undefined
}
