import { randomBytes, randomUUID } from 'node:crypto'
import test from 'ava'
import pg from 'pg'
import { pino } from 'pino'
import {
  createStatusEntries,
  LIST_SIZE,
  type StatusEntry,
} from '../../activities/credentials/status-lists/allocation.ts'
import { createEpoch, type Epoch } from '../../activities/frame/epoch.ts'
import type { Sql } from '../../entities/orm.ts'
import { roleUrl } from '../../entities/roles.ts'
import { until } from '../support/credentials/dids.ts'
import { openDatabase, type TestDatabase } from '../support/parts/database.ts'

const masterKey = randomBytes(32)
let database: TestDatabase
let pools: [pg.Pool, pg.Pool]
let epoch: Epoch

/** Of a process, as the application's role; a slow machine ends no wait of it. */
function openPool(): pg.Pool {
  const pool = new pg.Pool({ connectionString: roleUrl(database.url, masterKey, 'app'), max: 4 })
  return pool.on('error', () => undefined) // the server may end before the last socket is closed
}

test.before(async () => {
  database = await openDatabase(masterKey)
  pools = [openPool(), openPool()]
  epoch = createEpoch({ systemSql: database.systemSql, witness: undefined, log: pino({ level: 'silent' }) })
})
test.after.always(async () => {
  epoch?.close()
  await Promise.all(pools?.map((pool) => pool.end()) ?? [])
  await database?.close()
})

/** What a process reserves at a time. */
const LEASE = 32

type Owner = Parameters<ReturnType<typeof createStatusEntries>['take']>[0]

const newOwner = (): Owner => ({
  tenantId: randomUUID(),
  issuerId: randomUUID(),
  kind: 'BitstringStatusList',
  purpose: 'revocation',
  proofType: 'eddsa-rdfc-2022',
})

const processOn = (connection: pg.Pool | pg.PoolClient) =>
  createStatusEntries({ sql: connection as Sql, uuid: randomUUID, epoch })

async function takeMany({ take }: ReturnType<typeof createStatusEntries>, owner: Owner, count: number) {
  const taken: StatusEntry[] = []
  while (taken.length < count) taken.push(await take(owner))
  return taken
}

const distinct = (entries: StatusEntry[]) => new Set(entries.map(({ listId, index }) => `${listId} ${index}`)).size
const listsOf = (entries: StatusEntry[]) => new Set(entries.map(({ listId }) => listId)).size

/** The owner's list with so many entries left. */
async function openList(owner: Owner, left: number): Promise<void> {
  await processOn(pools[0]).take(owner)
  const text = 'update status_lists set used = size - $2 where did_id = $1'
  await database.systemSql.query({ text, values: [owner.issuerId, left] })
}

/** Two processes reserve for one owner, and take what they reserved: the second asks while the first one's transaction is not committed. */
async function interleaved(owner: Owner): Promise<[StatusEntry[], StatusEntry[]]> {
  const client = await pools[0].connect()
  try {
    await client.query('begin')
    const slow = processOn(client)
    const mine = await takeMany(slow, owner, 1)
    const other = processOn(pools[1])
    const asked = takeMany(other, owner, 1)
    asked.catch(() => undefined) // awaited below
    await until('the second process to wait for the first', async () => {
      const text = 'select exists (select from pg_locks where not granted) as blocked'
      return (await database.systemSql.query<{ blocked: boolean }>({ text, values: [] })).rows[0]?.blocked
    })
    await client.query('commit')
    const others = [...(await asked), ...(await takeMany(other, owner, LEASE - 1))]
    return [[...mine, ...(await takeMany(slow, owner, LEASE - 1))], others]
  } finally {
    await client.query('rollback')
    client.release()
  }
}

test.serial('two processes that reserve at once are given no entry twice, and use one list', async (t) => {
  const owner = newOwner()
  await openList(owner, LIST_SIZE - LEASE)
  const entries = (await interleaved(owner)).flat()
  t.is(entries.length, 2 * LEASE)
  t.is(distinct(entries), entries.length)
  t.is(listsOf(entries), 1)
})

for (const left of [1, LEASE - 1, LEASE, LEASE + 1, 2 * LEASE - 1, 2 * LEASE])
  test.serial(
    `two processes that reserve at once at the end of a list, ${left} left, share what is left`,
    async (t) => {
      const owner = newOwner()
      await openList(owner, left)
      const [mine, other] = await interleaved(owner)
      const entries = [...mine, ...other]
      t.is(distinct(entries), entries.length)
      t.true(entries.every(({ index }) => index >= 0 && index < LIST_SIZE))
      const full = mine[0]?.listId
      t.is(entries.filter(({ listId }) => listId === full).length, left, 'none is left out')
    },
  )

test.serial('many processes that reserve at once, over and over, are given no entry twice', async (t) => {
  const owner = newOwner()
  const processes = Array.from({ length: 8 }, (_, at) => processOn(pools[at % 2 === 0 ? 0 : 1]))
  const taken = await Promise.all(processes.map((each) => takeMany(each, owner, 4 * LEASE)))
  t.is(distinct(taken.flat()), 8 * 4 * LEASE)
  const text = 'select sum(used)::int as used from status_lists where did_id = $1'
  const { rows } = await database.systemSql.query<{ used: number }>({ text, values: [owner.issuerId] })
  t.is(rows[0]?.used, 8 * 4 * LEASE, 'what is taken is used')
})

test.serial('callers of one process who take at once are given no entry twice', async (t) => {
  const owner = newOwner()
  const { take } = processOn(pools[0])
  const taken = await Promise.all(Array.from({ length: 5 * LEASE }, () => take(owner)))
  t.is(distinct(taken), 5 * LEASE)
  t.is(listsOf(taken), 1)
})
