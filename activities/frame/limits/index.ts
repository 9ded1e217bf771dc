import { createHash } from 'node:crypto'
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { getDomain } from 'tldts'
import type { Sql } from '../../../entities/orm.ts'

interface LimitOptions {
  /** Names the limit in the table. */
  name: string
  /** So often in a window. */
  points: number
  /** Length of the window. */
  seconds: number
  /** Without a database each process counts by itself; otherwise whoever asks then gets the database's error. */
  isInsured?: boolean
}

/** Counts in the table `rate_limits`, so that a limit holds over all processes. */
export function createLimiter(sql: Sql, { name, points, seconds, isInsured = false }: LimitOptions) {
  const options = { points, duration: seconds, keyPrefix: name }
  return new RateLimiterPostgres({
    ...options,
    storeClient: sql,
    tableName: 'rate_limits',
    tableCreated: true,
    clearExpiredByTimeout: false,
    ...(isInsured && { insuranceLimiter: new RateLimiterMemory(options) }),
  })
}

/** Whose a host is: all names below one registered domain are one's, because whoever has it has as many as he likes. */
export const ownerOf = (host: string): string => getDomain(host, { allowPrivateDomains: true }) ?? host

/** What a limit of a tenant counts by for the owner of a host: a digest, for a name may be longer than a key. */
export const hostKey = (tenantId: string, host: string): string =>
  createHash('sha256')
    .update(`${tenantId} ${ownerOf(host)}`)
    .digest('base64url')

/** What may happen so often for a key in a window of time. */
export function createLimit(sql: Sql, options: LimitOptions) {
  const limiter = createLimiter(sql, options)
  return {
    /** Counts one, a refused one too. Returns undefined, or how many seconds it is too early: 1 at least. */
    async take(key: string): Promise<number | undefined> {
      try {
        await limiter.consume(key)
        return undefined
      } catch (error) {
        if (error instanceof RateLimiterRes) return Math.max(1, Math.ceil(error.msBeforeNext / 1000))
        throw error
      }
    },
    /** Takes back the count of one. */
    async giveBack(key: string): Promise<void> {
      await limiter.reward(key)
    },
    /** Forgets what was counted. */
    async forget(key: string): Promise<void> {
      await limiter.delete(key)
    },
  }
}

export type Limit = ReturnType<typeof createLimit>
