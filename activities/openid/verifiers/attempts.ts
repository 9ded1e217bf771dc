import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Refusal } from '../../../protocol/errors.ts'
import { digestOf } from '../../frame/secrets.ts'

/** Wrong presentations after which a request is over. */
export const MAX_FAILURES = 5

/** Answers to one request that are verified at most, also where they come all at once: each may cost reads of others (D-1062). */
const MAX_ATTEMPTS = 2 * MAX_FAILURES

/** By which the same answer of a wallet is known again. */
export const answerDigest = (says: object): string => digestOf(JSON.stringify(says)).toString('base64url')

interface Attempt<Found> {
  /** A transaction of the tenant. */
  inOne<Result>(work: (em: SqlEntityManager) => Promise<Result>): Promise<Result>
  /** Finds the request, and locks it. */
  find(em: SqlEntityManager): Promise<Found>
  over(): Error
}

/**
 * Verifies an answer as one of the attempts that its request has: it is taken before, in a transaction of its own, and given
 * back where a fault of the platform ended it, because the wallet is asked to try again then.
 */
export async function asAttempt<Found extends { row: { attempts: number } }, Result>(
  { inOne, find, over }: Attempt<Found>,
  verify: (found: Found) => Promise<Result>,
): Promise<Result> {
  const begun = await inOne(async (em) => {
    const found = await find(em)
    if (found.row.attempts >= MAX_ATTEMPTS) throw over()
    found.row.attempts += 1
    return found
  })
  try {
    return await verify(begun)
  } catch (error) {
    if (error instanceof Refusal) throw error
    await inOne(async (em) => {
      const { row } = await find(em)
      row.attempts -= 1
    }).catch((failure: unknown) => {
      // the request has ended meanwhile, or the fault is that of the database: the first error is the one to tell
      if (error instanceof Error) error.cause ??= failure
    })
    throw error
  }
}
