import type { Request, RequestHandler } from 'express'
import type { Pool } from 'pg'
import { limitRate } from './index.ts'

/**
 * Limits public documents by address, with and without a token alike. Scripts of every origin read them, so they must
 * be able to read a refusal too (Fetch standard, CORS protocol); what a browser opens as a page is not for scripts.
 */
export function limitPublished(
  limit: { pool: Pool; perMinute: number },
  isPage: (request: Request) => boolean,
): RequestHandler {
  const limited = limitRate({ ...limit, name: 'public', by: ({ address }) => address, showsHeaders: false })
  return (request, response, next) => {
    if (!isPage(request))
      response.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'ETag, Retry-After' })
    return limited(request, response, next)
  }
}
