type Query = (text: string) => Promise<unknown[]>

/** Stands in a database from before the first row of a restore until it needs nothing more. */
export const RESTORE_MARK = 'restore_under_way'

export type RestoreState = 'none' | 'loading' | 'loaded'

const PLACE = `public.${RESTORE_MARK}`

export const MARK_RESTORE = `create table ${PLACE} as select false as loaded`
/** In the transaction of the rows, so that there are all rows or none. */
export const MARK_LOADED = `update ${PLACE} set loaded = true`
export const UNMARK_RESTORE = `drop table if exists ${PLACE}`

/** How far a restore into this database has come. `none`: it has ended, or there was none. */
export async function restoreState(query: Query): Promise<RestoreState> {
  const [place] = (await query(`select to_regclass('${PLACE}') is not null as "isMarked"`)) as { isMarked: boolean }[]
  if (!place?.isMarked) return 'none'
  const [row] = (await query(`select loaded from ${PLACE}`)) as { loaded: boolean }[]
  return row?.loaded ? 'loaded' : 'loading'
}

/** Throws a sentence where the rows of a restore are not in the database yet, or may never come. */
export function assertLoaded(state: RestoreState): void {
  if (state === 'loading')
    throw new Error(
      'A restore into this database is under way, or was interrupted: wait for it, or run npm run restore again, which begins anew.',
    )
}

/** Throws a sentence where a restore has not ended. */
export function assertNoRestore(state: RestoreState): void {
  assertLoaded(state)
  if (state === 'loaded')
    throw new Error(
      'The rows of a backup are in this database, and what a restore does after that is not done: run npm run restored before you start the platform.',
    )
}
