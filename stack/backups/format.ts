/**
 * A backup is one gzip file of SQL, which psql reads too: a comment that says what it is, COPY statements with their rows,
 * and a comment that says what must have come before it. A file without its last line was cut off.
 */
export const FIRST = '-- countersign backup '
export const LAST = '-- complete '

export const END_OF_ROWS = '\\.'

export interface Head {
  format: 1
  createdAt: string
  /** Migrations in their order. */
  schema: string[]
  /** Of the PostgreSQL that was read. */
  server: string
  /** The master key that sealed what the rows hold (`masterKeyId`), where the database said so. */
  masterKeyId?: string
}

export interface Measured {
  rows: number
  /** The SHA-256 of each row in COPY's text form, added up in words of 32 bits; in hex. */
  digest: string
}

export interface Tail {
  tables: Record<string, Measured>
  /** Last number given out, as text: a bigint. */
  sequences: Record<string, string>
}

/** So that the same rows are the same text, whatever server and session write them. */
export const SESSION = `set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres'; set local timezone = 'UTC';
set local extra_float_digits = 1; set local bytea_output = 'hex'; set local client_encoding = 'UTF8';
set local row_security = on; set local statement_timeout = 0;
set local lock_timeout = '10s'; set local idle_in_transaction_session_timeout = 0`

const place = (table: string, columns: string[]) =>
  `public.${table} (${columns.map((column) => `"${column}"`).join(', ')})`

export const copyOut = (table: string, columns: string[]) => `COPY ${place(table, columns)} TO stdout`
export const copyIn = (table: string, columns: string[]) => `COPY ${place(table, columns)} FROM stdin`

const COPY = /^COPY public\.([a-z][a-z0-9_]*) \(((?:"[a-z][a-z0-9_]*"(?:, )?)+)\) FROM stdin;$/

/** Table and columns of a COPY statement as we write it; undefined for anything else. */
export function parseCopy(line: string): { table: string; columns: string[] } | undefined {
  const [, table, columns] = COPY.exec(line) ?? []
  if (!table || !columns) return undefined
  return { table, columns: columns.split(', ').map((column) => column.slice(1, -1)) }
}
