import type { Logger } from 'pino'
import type { Sql } from '../../entities/orm.ts'
import type { Witness } from './epoch.witness.ts'

/** How often a process compares the database with what is remembered of it elsewhere, and moves both on. */
const BEAT_SECONDS = 15
/** A mark that moved in this time was moved by a process that runs now and knows where the database stands. */
const FRESH_SECONDS = 60

/** What tells that rows were put back, or that the newest may be missing. */
const SIGNS = {
  moved: 'the rows were written in another database, cluster or timeline',
  behind: 'the database is behind its last recorded state',
  unwitnessed: 'the last state of the database is not recorded anywhere',
  told: 'an operator says that the database was restored',
}
type RestoreSign = keyof typeof SIGNS

export interface KnownEpoch {
  /** Another one in each epoch. */
  id: string
  /** The database had come so far when it was last compared. */
  mark: number
}

interface Seen extends KnownEpoch {
  epoch: number
  here: boolean
  silentSeconds: number
}

const LOOK = `select id, epoch, mark, incarnation = database_incarnation() as here,
  coalesce(extract(epoch from clock_timestamp() - marked_at), 0)::float8 as "silentSeconds" from platform_epoch`

/** A new id besides: where two databases have come from one, each is remembered apart from then on. */
const BEGIN = `update platform_epoch set id = gen_random_uuid(), epoch = epoch + 1, mark = greatest(mark, $2) + 1,
  marked_at = clock_timestamp(), incarnation = database_incarnation(), restored_at = clock_timestamp()
where epoch = $1 returning epoch`

const ADVANCE = `update platform_epoch set mark = mark + 1, marked_at = clock_timestamp()
where id = $1 and (marked_at is null or marked_at < clock_timestamp() - make_interval(secs => $2))`

interface Parts {
  /** The system role's. */
  systemSql: Sql
  /** Remembers the mark outside of the database; undefined: only the database's own signs are seen. */
  witness: Witness | undefined
  log: Pick<Logger, 'error' | 'warn'>
  beatSeconds?: number
}

/**
 * Sees that the database was restored, and then has everything begin anew that must not be given out twice (D-185). The
 * database is written before the witness: a crash between the two leaves the witness behind, which is no sign of anything.
 */
export function createEpoch({ systemSql, witness, log, beatSeconds = BEAT_SECONDS }: Parts) {
  let known: KnownEpoch | undefined
  let checking: Promise<KnownEpoch> | undefined
  let failing = false

  async function look(): Promise<Seen> {
    const [row] = (await systemSql.query<Seen>({ text: LOOK, values: [] })).rows
    if (!row) throw new Error('The row of platform_epoch is missing: the database was not migrated as a whole.')
    return row
  }

  /** Of processes that see the same sign at once, one begins the epoch. */
  async function begin(seen: Seen, sign: RestoreSign, witnessMark = 0): Promise<Seen> {
    const { rows } = await systemSql.query<{ epoch: number }>({ text: BEGIN, values: [seen.epoch, witnessMark] })
    if (rows[0])
      log.error(
        { sign, epoch: rows[0].epoch },
        `${SIGNS[sign]}: new status lists are opened (docs/operations.md, Backup and restore)`,
      )
    return look()
  }

  /** What the witness says, if there is one: the row after that, and the mark that it holds under the row's id. */
  async function testify(seen: Seen): Promise<{ seen: Seen; witnessMark?: number }> {
    const witnessMark = await witness?.read(seen.id)
    if (witnessMark !== undefined && witnessMark > seen.mark) return { seen: await begin(seen, 'behind', witnessMark) }
    const isForgotten = witness && witnessMark === undefined && seen.mark > 0 && !known
    if (isForgotten && seen.silentSeconds > FRESH_SECONDS) return { seen: await begin(seen, 'unwitnessed') }
    return { seen, witnessMark }
  }

  async function compare(): Promise<KnownEpoch> {
    const first = await look()
    const { seen, witnessMark } = await testify(first.here ? first : await begin(first, 'moved'))
    await systemSql.query({ text: ADVANCE, values: [seen.id, beatSeconds / 2] })
    const { id, mark } = await look()
    if (mark !== witnessMark) await witness?.write(id, mark)
    known = { id, mark }
    return known
  }

  /** Throws `Unavailable('keys')` while the witness is away; what was known stays so. */
  function check(): Promise<KnownEpoch> {
    checking ??= compare().finally(() => {
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

    /** Throws as `check` until it went well once: nothing may be given out by a database that may be an older one. */
    current: async (): Promise<KnownEpoch> => known ?? check(),

    /** Id of the epoch that this process knows of, if it knows of one. */
    get known(): string | undefined {
      return known?.id
    },

    /** For an operator who restored something that shows no sign of it. */
    async restored(): Promise<KnownEpoch> {
      await begin(await look(), 'told')
      return check()
    },

    close: () => clearInterval(timer),
  }
}

export type Epoch = ReturnType<typeof createEpoch>
