import type { MikroORM, SqlEntityManager } from '@mikro-orm/postgresql'
import { asSystem } from '../../../entities/orm.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import type { LoginRecords } from './gate.ts'

interface Row {
  refusals: number
  reason: string
  tried: string[]
  next_at: number
  trying_until: number
  now: number
}

const ADD = 'insert into key_store_logins (login) values (?) on conflict do nothing'

const milliseconds = (moment: string) => `(extract(epoch from ${moment}) * 1000)::float8`

const LOCK = `select refusals, reason, tried, ${milliseconds('next_at')} as next_at,
  ${milliseconds('trying_until')} as trying_until, ${milliseconds('clock_timestamp()')} as now
from key_store_logins where login = ? for update`

const KEEP = `update key_store_logins set refusals = ?, reason = ?, tried = ?::text[],
  next_at = to_timestamp(?::float8 / 1000), trying_until = to_timestamp(?::float8 / 1000) where login = ?`

/** Returns the locked row; inserts it where there is none, or where it was deleted in between. */
async function lockedRow(em: SqlEntityManager, login: string): Promise<Row> {
  for (;;) {
    await em.execute(ADD, [login])
    const [row] = await em.execute<Row[]>(LOCK, [login])
    if (row) return row
  }
}

/**
 * Past logins in the database, by its clock, so that all processes share them. `system`: the ORM of the system role.
 * Throws `Unavailable('database')`, so that its errors are not taken for Vault's.
 */
export const databaseRecords = (system: MikroORM): LoginRecords => ({
  change: (login, decide) =>
    asSystem(system, async (em) => {
      const { refusals, reason, tried, next_at: nextAt, trying_until: tryingUntil, now } = await lockedRow(em, login)
      const [kept, result] = decide({ refusals, reason, tried, nextAt, tryingUntil }, now)
      if (kept === undefined) await em.execute('delete from key_store_logins where login = ?', [login])
      else {
        const list = `{${kept.tried.join(',')}}` // digests in base64url: nothing to escape
        await em.execute(KEEP, [kept.refusals, kept.reason, list, kept.nextAt, kept.tryingUntil, login])
      }
      return result
    }).catch((cause: unknown) => {
      throw new Unavailable('database', 'Logins to the key store cannot be recorded now.', undefined, { cause })
    }),
})
