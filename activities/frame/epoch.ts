import type { Logger } from 'pino'
import type { Sql } from '../../entities/orm.ts'
import { Unavailable } from '../../protocol/errors.ts'
import type { Witness } from './epoch.witness.ts'

/** How often a process compares the database's mark with the witness, and increases both. */
const BEAT_SECONDS = 15
/** A mark that was increased within this time was increased by a process that still runs and knows the state. */
const FRESH_SECONDS = 60
/** How often a process compares in a row when the row or the witness changes meanwhile. */
const ROUNDS = 5

/** Signs that the database was restored, or that its newest rows may be missing. */
const SIGNS = {
  moved: 'the rows were written in another database, cluster or timeline',
  behind: 'the database is behind its last recorded state',
  unwitnessed: 'the last state of the database is not recorded anywhere',
  told: 'an operator says that the database was restored',
}
type RestoreSign = keyof typeof SIGNS

export interface KnownEpoch {
  /** Different in each epoch. */
  id: string
  /** The database's mark at the last comparison. */
  mark: number
}

interface Seen extends KnownEpoch {
  epoch: number
  here: boolean
  silentSeconds: number
}

interface Testimony {
  seen: Seen
  witnessMark?: number
}

const LOOK = `select id, epoch, mark, incarnation = database_incarnation() as here,
  coalesce(extract(epoch from clock_timestamp() - marked_at), 0)::float8 as "silentSeconds" from platform_epoch`

/** Sets a new id as well, so that two copies of one database have separate witnesses from then on. */
const BEGIN = `update platform_epoch set id = gen_random_uuid(), epoch = epoch + 1, mark = greatest(mark, $2) + 1,
  marked_at = clock_timestamp(), incarnation = database_incarnation(), restored_at = clock_timestamp()
where epoch = $1 returning epoch`

/** Increases only the mark that was compared: the row of a database that was put back since then keeps its sign. */
const ADVANCE = `update platform_epoch set mark = mark + 1, marked_at = clock_timestamp()
where id = $1 and mark = $2 and (marked_at is null or marked_at < clock_timestamp() - make_interval(secs => $3))`

/** Whether the row, read later than `before`, is older: epoch and mark of a database only increase. */
const isOlder = (row: Seen, before: Seen) =>
  row.epoch < before.epoch || (row.id === before.id && row.mark < before.mark)

interface Parts {
  /** The system role's pool. */
  systemSql: Sql
  /** Stores the mark outside of the database; undefined: only the database's own signs are checked. */
  witness: Witness | undefined
  log: Pick<Logger, 'error' | 'warn'>
  beatSeconds?: number
}

/**
 * Detects that the database was restored, and begins a new epoch, so that nothing is given out twice (D-185). Writes
 * the database before the witness: a crash in between leaves the witness behind, which is not a sign of a restore.
 */
export function createEpoch({ systemSql, witness, log, beatSeconds = BEAT_SECONDS }: Parts) {
  let known: Seen | undefined
  let checking: Promise<KnownEpoch> | undefined
  let failing = false

  async function look(): Promise<Seen> {
    const [row] = (await systemSql.query<Seen>({ text: LOOK, values: [] })).rows
    if (!row) throw new Error('The row of platform_epoch is missing: the migration of the database is incomplete.')
    return row
  }

  /** Begins an epoch; of processes that see the same sign at once, only one does. */
  async function begin(seen: Seen, sign: RestoreSign, witnessMark = 0): Promise<Seen> {
    const { rows } = await systemSql.query<{ epoch: number }>({ text: BEGIN, values: [seen.epoch, witnessMark] })
    if (rows[0])
      log.error(
        { sign, epoch: rows[0].epoch },
        `${SIGNS[sign]}: new status lists are opened (docs/operations.md, Backup and restore)`,
      )
    return look()
  }

  /**
   * `now`: the row as it was read after the witness. Until then another process may have increased both, or begun an
   * epoch; a row that is read later than the witness is behind it only in a restored database.
   */
  async function confirm(now: Seen, witnessId: string, witnessMark: number): Promise<Testimony> {
    if (now.id !== witnessId) return testify(now)
    if (witnessMark > now.mark) return { seen: await begin(now, 'behind', witnessMark) }
    return { seen: now, witnessMark }
  }

  /**
   * Compares with the witness, if there is one; returns the row after that, and the witness's mark for the row's id.
   */
  async function testify(seen: Seen): Promise<Testimony> {
    const witnessMark = await witness?.read(seen.id)
    if (witnessMark !== undefined && witnessMark > seen.mark) return confirm(await look(), seen.id, witnessMark)
    const isForgotten = witness && witnessMark === undefined && seen.mark > 0 && !known
    if (isForgotten && seen.silentSeconds > FRESH_SECONDS) return { seen: await begin(seen, 'unwitnessed') }
    return { seen, witnessMark }
  }

  /** Returns the row without the database's own signs of a restore, and without a row older than `before`. */
  async function newest(before: Seen | undefined): Promise<Seen> {
    const row = await look()
    if (!row.here) return begin(row, 'moved')
    return before && isOlder(row, before) ? begin(row, 'behind', before.mark) : row
  }

  /** Returns the mark that the witness has after it was given the row's. */
  async function record({ id, mark }: Seen, witnessMark = -1): Promise<number> {
    if (!witness || mark === witnessMark) return mark
    return witness.write(id, mark)
  }

  /** `before`: the row that this process compared last. */
  async function compare(before: Seen | undefined, rounds = ROUNDS): Promise<KnownEpoch> {
    const { seen, witnessMark } = await testify(await newest(before))
    await systemSql.query({ text: ADVANCE, values: [seen.id, seen.mark, beatSeconds / 2] })
    const now = await look()
    const isCompared = now.id === seen.id && now.mark >= seen.mark
    if (isCompared && (await record(now, witnessMark)) <= now.mark) {
      known = now
      return known
    }
    if (rounds === 1) throw new Unavailable('database', 'The record of restores changes too fast. Try again.')
    return compare(seen, rounds - 1)
  }

  /** Throws `Unavailable('keys')` while the witness is unavailable; the known epoch stays. */
  function check(): Promise<KnownEpoch> {
    checking ??= compare(known).finally(() => {
      checking = undefined
    })
    return checking
  }

  const beat = () =>
    check().then(
      () => {
        failing = false
      },
      (error: unknown) => {
        if (!failing) log.warn({ err: error }, 'the check for a restored database failed')
        failing = true
      },
    )
  const timer = setInterval(beat, beatSeconds * 1000).unref()

  return {
    check,

    /** Throws as `check` until it succeeded once: a database that may be an older copy must give out nothing. */
    current: async (): Promise<KnownEpoch> => known ?? check(),

    /** Id of the epoch that this process knows, if any. */
    get known(): string | undefined {
      return known?.id
    },

    /** For an operator who restored a database without a sign of it. */
    async restored(): Promise<KnownEpoch> {
      await begin(await look(), 'told')
      return check()
    },

    close: () => clearInterval(timer),
  }
}

export type Epoch = ReturnType<typeof createEpoch>
