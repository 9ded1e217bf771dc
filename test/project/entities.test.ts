import { readFileSync } from 'node:fs'
import test from 'ava'
import { SOURCES } from '../../activities/administration/transfers/sources.ts'
import { RIGHTS } from '../../entities/orm.ts'
import { PERSONAL_DATA } from '../../entities/personal-data.ts'
import { TRANSFERS } from '../../entities/transfers.ts'
import { KIND_NAMES } from '../../protocol/administration/transfers/kinds.ts'
import { type Fence, openFence } from '../support/frame/fence.ts'
import { connected } from '../support/stack/backup.ts'

let fence: Fence
test.before(async () => {
  fence = await openFence()
})
test.after.always(() => fence?.close())

interface Column {
  table: string
  name: string
  type: string
  nullable: boolean
}

/** As the superuser: the view shows a role the tables alone that it has a right to. */
const columnsOfTables = async (): Promise<Column[]> => {
  const { rows } = await connected(fence.database.superuserUrl, (client) =>
    client.query<Column>(
      `select table_name as table, column_name as name, udt_name as type, is_nullable = 'YES' as nullable
       from information_schema.columns where table_schema = 'public' order by 1, ordinal_position`,
    ),
  )
  return rows
}

/** What MikroORM calls the types of our columns. Our JSON is json, which keeps a document as it was given. */
const TYPES: Record<string, string> = {
  uuid: 'uuid',
  text: 'text',
  'text[]': '_text',
  'uuid[]': '_uuid',
  boolean: 'bool',
  int: 'int4',
  bigint: 'int8',
  bytea: 'bytea',
  jsonb: 'json',
  'timestamptz(6)': 'timestamptz',
}

function columnsOfEntities(): Column[] {
  const all = [...fence.database.tenants.getMetadata().getAll().values()]
  return all.flatMap(({ tableName: table, props }) =>
    props.flatMap(({ fieldNames, columnTypes, nullable = false }) =>
      fieldNames.map((name, at) => ({
        table,
        name,
        type: TYPES[columnTypes[at] ?? ''] ?? columnTypes[at] ?? '',
        nullable,
      })),
    ),
  )
}

const place = ({ table, name }: Column) => `${table}.${name}`

/** Columns of owned tables that are in no entity, each with its reason. */
const STATEMENTS_ALONE: Record<string, string> = {
  'idempotency_keys.*': 'claimed, answered and released by functions, one round trip each',
  'credential_holders.*': 'noted, read and forgotten in one statement each',
  'log_chain.*': 'places of entries: written by the sequencer, walked in slices',
  'log_counts.*': 'counted by the sequencer, summed in one statement',
  'log_pending.*': 'written by a trigger, taken by the sequencer',
  'log_seals.*': 'signed heads and checkpoints, compared with the chain in SQL',
  'openid_reissuance_credentials.*': 'noted and read in one statement each; they go with their grant',
  'openid_used_jtis.*': 'digests, written and compared in one statement each',
  'oidc_payloads.*': 'written, found and consumed in one statement each',
  'openid_used_nonces.*': 'digests, written and compared in one statement each',
  'openid_user_claims.*': 'keyed digests, replaced and compared in SQL: a search opens no user that it does not find',
  'tenant_export_chunks.*': 'parts of a file, written and read in one statement each',
  'status_lists.publish_after': '-infinity, which no Date can be, until a list failed; the sweep compares it in SQL',
  'credentials.subjects': 'keyed digests, written by functions and compared in SQL',
  'credential_revocations.pass': 'how far revoke_credential_slice has come, which moves it',
  'credential_revocations.cursor_id': 'as pass',
  'credential_revocations.cursor_time': 'as pass',
  'credential_revocations.cursor_number': 'as pass',
  'credential_revocations.horizon': 'an xid8, which the function alone compares',
}

test('every column of an entity is a column of its table, of the type and as nullable as the entity says', async (t) => {
  const columns = new Map((await columnsOfTables()).map((column) => [place(column), column]))
  const expected = columnsOfEntities()
  t.true(expected.length > 150)
  for (const column of expected) t.deepEqual(columns.get(place(column)), column, place(column))
})

test('every column of an owned table is in its entity, or a known one with a reason', async (t) => {
  const known = new Set(columnsOfEntities().map(place))
  const owned = await fence.ownedTables()
  const missing = (await columnsOfTables()).filter(
    (column) => owned.includes(column.table) && !known.has(place(column)),
  )
  const reasons = missing.map(({ table, name }) =>
    `${table}.*` in STATEMENTS_ALONE ? `${table}.*` : `${table}.${name}`,
  )
  t.deepEqual([...new Set(reasons)].sort(), Object.keys(STATEMENTS_ALONE).sort())
})

test('every table has rights in the file of its area, and every right a table', async (t) => {
  const tables = new Set((await columnsOfTables()).map(({ table }) => table))
  t.deepEqual(RIGHTS.map(([table]) => table).sort(), [...tables].sort())
})

test('every table says whether it can hold personal data, and docs/personal-data.md names each that can', (t) => {
  const tables = RIGHTS.map(([table]) => table).sort()
  t.deepEqual(Object.keys(PERSONAL_DATA).sort(), tables)
  const page = readFileSync(new URL('../../docs/personal-data.md', import.meta.url), 'utf8')
  const [, stored = ''] = /^## What is stored$(.*?)^## /ms.exec(page) ?? []
  const named = new Set([...stored.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name))
  const holding = tables.filter((table) => PERSONAL_DATA[table] !== 'nothing')
  t.true(holding.length > 15)
  const missing = holding.filter((table) => !named.has(table))
  t.deepEqual(missing, [])
})

test('every table says whether a tenant takes its rows along, and docs/transfers.md names each and why', (t) => {
  const tables = RIGHTS.map(([table]) => table).sort()
  t.deepEqual(Object.keys(TRANSFERS).sort(), tables)
  const page = readFileSync(new URL('../../docs/transfers.md', import.meta.url), 'utf8')
  const kinds = new Set<string>()
  for (const [table, transfer] of Object.entries(TRANSFERS)) {
    if (!('exported' in transfer)) {
      const reason = 'derived' in transfer ? transfer.derived : transfer.leftOut
      t.true(page.includes(reason) && page.includes(`\`${table}\``), `${table}: ${reason}`)
      continue
    }
    for (const kind of transfer.exported) kinds.add(kind)
  }
  t.deepEqual([...kinds].sort(), [...KIND_NAMES].sort())
  for (const kind of KIND_NAMES) {
    const { table } = SOURCES[kind]
    const transfer = TRANSFERS[table]
    t.true(transfer && 'exported' in transfer && transfer.exported.includes(kind), kind)
    t.true(page.includes(`\`${kind}\``), kind)
  }
})
