import { randomBytes } from 'node:crypto'
import test from 'ava'
import { asSystem, connect, sqlOf } from '../../../entities/orm.ts'
import { roleUrl } from '../../../entities/roles.ts'
import { openDatabase, type TestDatabase } from '../../support/parts/database.ts'

const masterKey = randomBytes(32)
let database: TestDatabase
test.before(async () => {
  database = await openDatabase(masterKey)
})
test.after.always(() => database?.close())

test.serial('a connection that ends within a transaction gives its place in the pool back', async (t) => {
  const orm = await connect(roleUrl(database.url, masterKey, 'system'), 2, 2_000)
  t.teardown(() => orm.close())
  const sql = await sqlOf(orm)
  for (let round = 0; round < 5; round += 1) {
    const die = asSystem(orm, (em) => em.execute('select pg_terminate_backend(pg_backend_pid())'))
    await t.throwsAsync(die, undefined, 'the server ends the connection')
  }
  const { rows } = await sql.query<{ one: number }>({ text: 'select 1 as one', values: [] })
  t.deepEqual(rows, [{ one: 1 }])
})

test.serial('a statement that is still under way when its caller gave up answers nobody else', async (t) => {
  const waits: number[] = []
  const statements: string[] = []
  const orm = await connect(roleUrl(database.url, masterKey, 'system'), 1, 2_000, {
    waited: (seconds) => waits.push(seconds),
    queried: (statement, _seconds, error) => statements.push(`${statement}${error ? ' failed' : ''}`),
  })
  t.teardown(() => orm.close())
  const sql = await sqlOf(orm)
  await sql.query({ name: 'first-look', text: 'select 1', values: [] })
  // the session's own bound is lifted, as it is where the network swallows what the server says
  await sql.query({ text: 'set statement_timeout = 0', values: [] })
  const from = performance.now()
  const late = await t.throwsAsync(sql.query({ text: 'select pg_sleep(30), 1 as one', values: [] }))
  t.is(Reflect.get(late ?? {}, 'code'), 'ETIMEDOUT')
  t.true(performance.now() - from < 15_000, 'given up after 6 s')
  const { rows } = await sql.query<{ two: number }>({ text: 'select 2 as two', values: [] })
  t.deepEqual(rows, [{ two: 2 }])
  t.deepEqual(statements.slice(-4), ['first-look', 'other', 'select failed', 'select'])
  t.is(waits.length, statements.length)
})
