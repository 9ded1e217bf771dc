import type { Request, RequestHandler } from 'express'
import { type RateLimitInfo, rateLimit, type Store } from 'express-rate-limit'
import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import { type RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { singleFlight } from '../../../activities/frame/caches.ts'
import { createLimiter } from '../../../activities/frame/limits/index.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { sendProblem } from '../errors.ts'

const WINDOW_SECONDS = 60

interface Lease {
  hits: number
  left: number
  /** The limit is reached, until the window ends. */
  over: boolean
  resetTime: Date
}

/**
 * express-rate-limit over rate-limiter-flexible's PostgreSQL limiter, so that a limit holds over all processes. A
 * process takes hits in leases of half a percent of the limit: most requests then need no round trip, and the
 * limit is exact to one lease per process. Without a database, each process limits by itself.
 */
class LeasedStore implements Store {
  readonly localKeys = false
  readonly #limiter: RateLimiterPostgres
  readonly #leaseSize: number
  readonly #leases = new LRUCache<string, Lease>({
    // by size, because `max` would take the memory of all entries at once
    maxSize: 100_000,
    sizeCalculation: () => 1,
    ttl: WINDOW_SECONDS * 1000,
  })
  readonly #drawing = singleFlight<void>()

  constructor(pool: Pool, limit: number, name: string) {
    this.#leaseSize = Math.max(1, Math.floor(limit / 200))
    this.#limiter = createLimiter(pool, { name, points: limit, seconds: WINDOW_SECONDS, isInsured: true })
  }

  async increment(key: string) {
    for (;;) {
      const lease = this.#leases.get(key)
      if (lease && (lease.left > 0 || lease.over) && lease.resetTime.getTime() > Date.now()) {
        lease.left--
        lease.hits++
        return { totalHits: lease.hits, resetTime: lease.resetTime }
      }
      // concurrent requests share one lease: a lease for each would use up the limit
      await this.#drawing(key, () => this.#draw(key))
    }
  }

  async #draw(key: string): Promise<void> {
    const usage = await this.#limiter.consume(key, this.#leaseSize).catch((error: unknown) => {
      if (error instanceof RateLimiterRes) return error
      throw error
    })
    const { points } = this.#limiter
    const over = usage.remainingPoints <= 0 && usage.consumedPoints > points
    const hits = usage.consumedPoints - this.#leaseSize
    this.#leases.set(key, {
      hits: over ? Math.max(hits, points) : hits,
      left: this.#leaseSize,
      over,
      resetTime: new Date(Date.now() + usage.msBeforeNext),
    })
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
  /** The key that a request counts for; undefined: the request does not count. */
  by(request: Request): string | undefined
  /** False for responses that caches keep: the headers have a digest of the request's key. */
  showsHeaders?: boolean
}

/** RateLimit-* headers (draft-ietf-httpapi-ratelimit-headers), and 429 with Retry-After beyond the limit. */
export const limitRate = ({ pool, perMinute, name, by, showsHeaders = true }: Limit): RequestHandler =>
  rateLimit({
    windowMs: WINDOW_SECONDS * 1000,
    limit: perMinute,
    standardHeaders: showsHeaders && 'draft-8',
    legacyHeaders: false,
    identifier: name,
    store: new LeasedStore(pool, perMinute, name),
    skip: (request) => by(request) === undefined,
    keyGenerator: (request) => by(request) ?? '',
    handler: (request, response) => {
      const { resetTime } = Reflect.get(request, 'rateLimit') as RateLimitInfo
      const resetMs = (resetTime?.getTime() ?? 0) - Date.now()
      response.set('Retry-After', String(Math.max(1, Math.ceil(resetMs / 1000))))
      sendProblem(
        response,
        new Refusal('request.too_many', 'Too many requests. Try again after the time in Retry-After.'),
      )
    },
  })
