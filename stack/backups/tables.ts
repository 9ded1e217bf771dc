import { hash } from 'node:crypto'
import { type Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { PoolClient } from 'pg'
import { to } from 'pg-copy-streams'
import { RESTORE_MARK } from '../../entities/administration/restore-mark.ts'
import { copyOut, type Measured } from './format.ts'

export interface Table {
  name: string
  columns: string[]
}

const TABLES = `select c.relname as name,
  (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
   where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname not in ('migrations', '${RESTORE_MARK}') order by 1`

/** What a row of `name` must find when it comes in; a constraint that waits for the commit asks for no order. */
const REFERENCES = `select distinct c.conrelid::regclass::text as name, c.confrelid::regclass::text as wants from pg_constraint c
where c.contype = 'f' and not c.condeferred and c.conrelid <> c.confrelid and c.connamespace = 'public'::regnamespace`

/** The rows that stand for themselves; which migrations ran is in the head of a backup. Those that others refer to come first. */
export async function tablesInOrder(client: PoolClient): Promise<Table[]> {
  const { rows: tables } = await client.query<Table>(TABLES)
  const { rows: references } = await client.query<{ name: string; wants: string }>(REFERENCES)
  const ordered: Table[] = []
  const left = new Set(tables)
  while (left.size > 0) {
    const names = new Set([...left].map(({ name }) => name))
    const free = [...left].filter(({ name }) => !references.some((one) => one.name === name && names.has(one.wants)))
    if (free.length === 0) throw new Error(`Tables refer to each other in a circle: ${[...names].join(', ')}.`)
    for (const table of free) {
      ordered.push(table)
      left.delete(table)
    }
  }
  return ordered
}

const LINE_FEED = 10

/**
 * Counts and digests the rows that pass, one line of COPY's text form each. In a sum of digests their order does not count:
 * PostgreSQL puts rows where there is room.
 */
export function measure() {
  const sums = new Uint32Array(8)
  let rows = 0
  let begun: Buffer[] = []
  const addRow = (line: Buffer) => {
    const digest = hash('sha256', line, 'buffer')
    sums.forEach((sum, at) => {
      sums[at] = sum + digest.readUInt32BE(at * 4)
    })
    rows += 1
  }
  return {
    add(chunk: Buffer): void {
      let from = 0
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
        const line = chunk.subarray(from, at + 1)
        addRow(begun.length > 0 ? Buffer.concat([...begun, line]) : line)
        begun = []
        from = at + 1
      }
      if (from < chunk.length) begun.push(chunk.subarray(from))
    },
    result: (): Measured => ({
      rows,
      digest: [...sums].map((sum) => sum.toString(16).padStart(8, '0')).join(''),
    }),
  }
}

/** The rows of a table as they are now. */
export const rowsOf = (client: PoolClient, { name, columns }: Table): Readable =>
  client.query(to(copyOut(name, columns)))

export async function measureTable(client: PoolClient, table: Table): Promise<Measured> {
  const measured = measure()
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      measured.add(chunk)
      done()
    },
  })
  await pipeline(rowsOf(client, table), sink)
  return measured.result()
}
