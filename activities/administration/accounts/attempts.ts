import { createHash } from 'node:crypto'
import { TooMany } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import { createLimit, type Limit } from '../../frame/limits/index.ts'

/** Attempts in a row without a pause; a person mistypes. */
const FREE = 5
const LONGEST_PAUSE_SECONDS = 900
const FORGOTTEN_AFTER = `interval '24 hours'`

/**
 * Counts an attempt as failed before its password is looked at, in one statement: of any number at once each takes its
 * turn. No row comes back during a pause.
 */
const RESERVE = `insert into account_attempts as a (key, failures, next_at, last_at) values ($1, 1, now(), now())
on conflict (key) do update set
  failures = case when a.last_at < now() - ${FORGOTTEN_AFTER} then 1 else least(a.failures + 1, 1000) end,
  next_at = now() + make_interval(secs => case when a.last_at < now() - ${FORGOTTEN_AFTER} or a.failures + 1 < ${FREE} then 0
    else least(${LONGEST_PAUSE_SECONDS}, power(2, least(a.failures, 100) + 1 - ${FREE})) end),
  last_at = now()
where a.next_at <= now()
returning failures`

const PAUSE = 'select extract(epoch from next_at - now())::float8 as seconds from account_attempts where key = $1'

const tooMany = (seconds: number) =>
  new TooMany(
    'login.too_many',
    'Too many attempts. Try again after the time in Retry-After, or reset the password.',
    Math.max(1, Math.ceil(seconds)),
  )

/** What strangers may do, by the address that they come from. */
export function createAddressLimits({ config, sql }: Pick<Dependencies, 'config' | 'sql'>) {
  const { failuresPerMinute, requestsPerHour } = config.accounts
  const failures = createLimit(sql, { name: 'login-failures', points: failuresPerMinute, seconds: 60 })
  const requests = createLimit(sql, { name: 'account-requests', points: requestsPerHour, seconds: 3600 })
  const take = async (limit: Limit, address: string): Promise<void> => {
    const seconds = await limit.take(address)
    if (seconds !== undefined) throw tooMany(seconds)
  }
  return {
    /** Counts an attempt as failed, until `succeeded`. Throws `login.too_many`. */
    attempt: (address: string) => take(failures, address),
    succeeded: (address: string) => failures.giveBack(address),
    /** Counts what causes a mail: registrations, and requests to reset a password. Throws `login.too_many`. */
    request: (address: string) => take(requests, address),
  }
}

export type AddressLimits = ReturnType<typeof createAddressLimits>

/** Attempts at one account, whether it exists or not: some at once, then one after pauses that double (D-625). */
export function createAttempts({ systemSql }: Pick<Dependencies, 'systemSql'>) {
  return {
    /** What attempts are counted by: the address of the account, and a device that its owner has used before. */
    keyOf: (emailIndex: Buffer, device: string | undefined): Buffer =>
      createHash('sha256')
        .update(`${emailIndex.toString('hex')} ${device ?? 'strangers'}`)
        .digest(),

    /** Throws `login.too_many`. */
    async reserve(key: Buffer): Promise<void> {
      const { rows } = await systemSql.query({ name: 'reserve-attempt', text: RESERVE, values: [key] })
      if (rows.length > 0) return
      const { rows: pauses } = await systemSql.query<{ seconds: number }>({ text: PAUSE, values: [key] })
      throw tooMany(pauses[0]?.seconds ?? 1)
    },

    /** The attempt was not decided: it counts as little as one that was not made. */
    async giveBack(key: Buffer): Promise<void> {
      const text = 'update account_attempts set failures = greatest(failures - 1, 0), next_at = now() where key = $1'
      await systemSql.query({ text, values: [key] })
    },

    /** The attempt was the owner's. */
    async forget(key: Buffer): Promise<void> {
      await systemSql.query({ text: 'delete from account_attempts where key = $1', values: [key] })
    },
  }
}

export type Attempts = ReturnType<typeof createAttempts>
