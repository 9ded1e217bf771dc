import test from 'ava'
import { Pool as PostgresPool } from 'pg'
import { createReadBudget } from '../../../activities/frame/outbound/budget.ts'
import type { Sql } from '../../../entities/orm.ts'
import { Exhausted } from '../../../protocol/errors.ts'
import { freePort } from '../../../stack/parts/ports.ts'

interface Row {
  points: number
  expire: number
}

/** Counts as the database does. The limiter knows a pool by the name of its class. */
class Pool implements Sql {
  readonly rows = new Map<string, Row>()
  readonly texts: string[] = []

  async query<Result extends object>({ text, values }: { text: string; values: unknown[] }) {
    this.texts.push(text)
    const [key, points, expire] = values as [string, number, number]
    const row = this.rows.get(key) ?? { points: 0, expire }
    this.rows.set(key, { ...row, points: row.points + points })
    return { rows: [this.rows.get(key)] as Result[] }
  }
}

/** How many reads of a host the budget allows, up to 30, and what ends them. */
async function allowed(budget: ReturnType<typeof createReadBudget>, tenantId: string, host: string) {
  for (let count = 0; count < 30; count += 1) {
    try {
      await budget.spend(tenantId, host)
    } catch (error) {
      if (error instanceof Exhausted) return { count, error }
      throw error
    }
  }
  return { count: 30 }
}

test('of a minute’s reads a sixth may come in ten seconds, and one always', async (t) => {
  for (const [perMinute, count] of [
    [120, 20],
    [12, 2],
    [11, 1],
    [6, 1],
    [1, 1],
    [0, 1],
  ] as const)
    t.is((await allowed(createReadBudget({ sql: new Pool(), perMinute }), 't', 'a.example')).count, count)
})

test('the refusal is of the part outbound, names the domain, and says when the next read may come', async (t) => {
  const { error } = await allowed(createReadBudget({ sql: new Pool(), perMinute: 12 }), 't', 'a.b.example.co.uk')
  t.is(error?.part, 'outbound')
  t.regex(error?.message ?? '', /^example\.co\.uk is not read now: at most 2 documents .* in 10 seconds\.$/)
  t.true((error?.retryAfterSeconds ?? 0) >= 9 && (error?.retryAfterSeconds ?? 0) <= 10)
  const sql = new Pool()
  const late = createReadBudget({ sql, perMinute: 6 })
  await late.spend('t', 'a.example')
  for (const row of sql.rows.values()) row.expire = 0
  t.is((await allowed(late, 't', 'a.example')).error?.retryAfterSeconds, 1, 'a clock that is behind does not make it 0')
})

test('names below one registered domain count together, addresses and names of no domain by themselves', async (t) => {
  const budget = createReadBudget({ sql: new Pool(), perMinute: 12 })
  for (const [first, second] of [
    ['a.example.com', 'b.c.example.com'],
    ['a.b.co.uk', 'b.co.uk'],
    ['192.0.2.1', '192.0.2.1'],
    ['intranet', 'intranet'],
  ] as const) {
    await budget.spend('t', first)
    t.is((await allowed(budget, 't', second)).count, 1, second)
  }
  for (const host of ['example.org', 'one.github.io', 'two.github.io', '192.0.2.2', 'other'])
    t.is((await allowed(budget, 't', host)).count, 2, host)
  t.is((await allowed(budget, 'another', 'a.example.com')).count, 2)
})

test('what is counted is in the table of limits, in clear for nobody, beside what others count there', async (t) => {
  const sql = new Pool()
  await createReadBudget({ sql, perMinute: 12 }).spend('the-tenant', 'a.example.com')
  const [key = '', ...more] = sql.rows.keys()
  t.deepEqual(more, [])
  t.regex(key, /^read:[\w-]{43}$/)
  t.is(sql.texts.length, 1)
  t.regex(sql.texts[0] ?? '', /INSERT INTO "rate_limits" VALUES/)
})

test('the budget holds without a database, in the process alone', async (t) => {
  const sql = new PostgresPool({ host: '127.0.0.1', port: await freePort(), connectionTimeoutMillis: 500 }) as Sql
  const budget = createReadBudget({ sql, perMinute: 12 })
  await budget.spend('tenant', 'a.example.com')
  await budget.spend('tenant', 'b.example.com')
  const { count, error } = await allowed(budget, 'tenant', 'c.example.com')
  t.is(count, 0)
  t.true((error?.retryAfterSeconds ?? 0) >= 1 && (error?.retryAfterSeconds ?? 0) <= 10)
  for (const host of ['one.github.io', 'one.github.io', 'two.github.io']) await budget.spend('tenant', host)
  await budget.spend('another', 'a.example.com')
})
