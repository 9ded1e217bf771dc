import type { RequestHandler } from 'express'
import { ipKeyGenerator, rateLimit, type Store } from 'express-rate-limit'
import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { Refusal } from '../protocol/errors.ts'
import { sendProblem } from './errors.ts'

const WINDOW_SECONDS = 60

interface Lease {
  hits: number
  left: number
  resetTime: Date
}

/**
 * express-rate-limit over rate-limiter-flexible's PostgreSQL limiter, so that a limit holds over all processes. A
 * process draws its hits in leases of half a percent of the limit: most requests then cost no round trip, and the
 * limit is exact to one lease per process. Without a database, each process limits by itself.
 */
class LeasedStore implements Store {
  readonly localKeys = false
  readonly #limiter: RateLimiterPostgres
  readonly #leaseSize: number
  readonly #leases = new LRUCache<string, Lease>({ max: 100_000, ttl: WINDOW_SECONDS * 1000 })

  constructor(pool: Pool, limit: number, keyPrefix: string) {
    this.#leaseSize = Math.max(1, Math.floor(limit / 200))
    const options = { points: limit, duration: WINDOW_SECONDS, keyPrefix }
    this.#limiter = new RateLimiterPostgres({
      ...options,
      storeClient: pool,
      tableName: 'rate_limits',
      tableCreated: true,
      clearExpiredByTimeout: false,
      insuranceLimiter: new RateLimiterMemory(options),
    })
  }

  async increment(key: string) {
    const lease = this.#leases.get(key)
    if (lease && lease.left > 0 && lease.resetTime.getTime() > Date.now()) {
      lease.left--
      lease.hits++
      return { totalHits: lease.hits, resetTime: lease.resetTime }
    }
    const drawn = await this.#limiter.consume(key, this.#leaseSize).catch((refused: unknown) => {
      if (refused instanceof RateLimiterRes) return refused
      throw refused
    })
    const resetTime = new Date(Date.now() + drawn.msBeforeNext)
    const hits = drawn.consumedPoints - this.#leaseSize + 1
    const over = drawn.remainingPoints <= 0 && drawn.consumedPoints > this.#limiter.points
    const totalHits = over ? Math.max(hits, this.#limiter.points + 1) : hits
    this.#leases.set(key, { hits: totalHits, left: over ? 0 : this.#leaseSize - 1, resetTime })
    return { totalHits, resetTime }
  }

  /** Required by the interface; a request that was counted stays counted. */
  decrement(): void {}

  async resetKey(key: string) {
    this.#leases.delete(key)
    await this.#limiter.delete(key)
  }
}

interface Limit {
  pool: Pool
  perMinute: number
  /** Names the limit in the table. */
  name: string
  by: 'client' | 'address'
}

/** RateLimit-* headers (draft-ietf-httpapi-ratelimit-headers), and 429 with Retry-After beyond the limit. */
export const limitRate = ({ pool, perMinute, name, by }: Limit): RequestHandler =>
  rateLimit({
    windowMs: WINDOW_SECONDS * 1000,
    limit: perMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    identifier: name,
    store: new LeasedStore(pool, perMinute, name),
    keyGenerator: (request) =>
      by === 'client' && request.caller ? request.caller.clientId : ipKeyGenerator(request.ip ?? '', 56),
    handler: (_request, response) =>
      sendProblem(
        response,
        new Refusal('request.too_many', 'Too many requests; wait until the limit resets (Retry-After).'),
      ),
  })
