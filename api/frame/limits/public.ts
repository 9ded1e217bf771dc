import type { RequestHandler } from 'express'
import type { Pool } from 'pg'
import { limitRate } from './index.ts'

/**
 * Limit of documents that everybody may read, by address: a caller who is known has no more of it than a stranger.
 * Browsers of any origin read them, and so must be able to read a refusal (Fetch standard, CORS protocol).
 */
export function limitPublished(limit: { pool: Pool; perMinute: number }): RequestHandler {
  const limited = limitRate({ ...limit, name: 'public', by: ({ address }) => address, showsHeaders: false })
  return (request, response, next) => {
    response.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'Retry-After' })
    return limited(request, response, next)
  }
}
