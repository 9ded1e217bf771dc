import test from 'ava'
import { createFairTurns, type FairTurnsOptions } from '../../activities/frame/limits/fair-turns.ts'

/** Who is served in what order, one task at a time; each task costs what its tenant's do. */
function served(tasks: string[], costs: Record<string, number> = {}, options: FairTurnsOptions = {}): string {
  const turns = createFairTurns<string>(options)
  for (const tenant of tasks) turns.add(tenant, tenant)
  let order = ''
  for (let turn = turns.next(); turn; turn = turns.next()) {
    order += turn.task
    turn.end(costs[turn.task] ?? 1)
  }
  return order
}

test('tenants take turns, however many tasks one of them has (D-195)', (t) => {
  t.is(served([...'aaaaabb']), 'ababaaa')
  t.is(served([...'aaabbbccc']), 'abcabcabc')
})

test('turns are weighed by what tasks have cost: four cheap ones for one that costs four times as much (D-195)', (t) => {
  const order = served([...'aaaa', ...'b'.repeat(16)], { a: 4, b: 1 })
  const first = order.slice(0, 12)
  t.true([...first].filter((tenant) => tenant === 'b').length >= 8, order)
  t.is(order.length, 20)
})

test('within a tenant: first come, first served (D-145)', (t) => {
  const turns = createFairTurns<number>()
  for (const nth of [1, 2, 3]) turns.add('a', nth)
  const order = []
  for (let turn = turns.next(); turn; turn = turns.next()) {
    order.push(turn.task)
    turn.end(10 * turn.task)
  }
  t.deepEqual(order, [1, 2, 3])
})

test('who comes after a pause is next, and has saved nothing (D-195)', (t) => {
  const turns = createFairTurns<string>()
  const serve = (cost = 1) => {
    const turn = turns.next()
    turn?.end(cost)
    return turn?.task
  }
  for (let nth = 0; nth < 100; nth++) turns.add('a', 'a')
  for (let nth = 0; nth < 50; nth++) serve()
  turns.add('b', 'b')
  t.is(serve(), 'b')
  for (let nth = 0; nth < 20; nth++) turns.add('b', 'b')
  const next = Array.from({ length: 10 }, () => serve()).join('')
  t.is([...next].filter((tenant) => tenant === 'b').length, 5, next)
})

test('who goes away between tasks does not get rid of what they have cost (D-195)', (t) => {
  const turns = createFairTurns<string>()
  turns.add('a', 'a')
  turns.add('b', 'b')
  const [a, b] = [turns.next(), turns.next()]
  a?.end(100)
  b?.end(1)
  turns.add('a', 'a')
  turns.add('b', 'b')
  t.is(turns.next()?.task, 'b')
})

test('no tenant has more tasks under way than it may (D-195)', (t) => {
  const turns = createFairTurns<string>({ perTenant: 2 })
  for (const tenant of 'aaab') turns.add(tenant, tenant)
  const begun = [turns.next(), turns.next(), turns.next(), turns.next()]
  t.deepEqual(
    begun.map((turn) => turn?.task),
    ['a', 'b', 'a', undefined],
  )
  t.is(turns.sizeOf('a'), 1)
  begun[0]?.end(1)
  t.is(turns.next()?.task, 'a')
})

test('a task that is taken back is not served, and counts for nothing', (t) => {
  const turns = createFairTurns<string>()
  turns.add('a', 'one')
  turns.add('a', 'two')
  t.true(turns.remove('a', 'one'))
  t.false(turns.remove('a', 'one'))
  t.is(turns.size(), 1)
  t.is(turns.next()?.task, 'two')
  t.false(turns.remove('a', 'two'), 'it is under way')
  t.is(turns.tenants(), 1)
})

test('tenants that are gone take up no memory', (t) => {
  const turns = createFairTurns<number>()
  for (let nth = 0; nth < 10_000; nth++) {
    turns.add(`tenant ${nth}`, nth)
    turns.next()?.end(1)
  }
  t.is(turns.tenants(), 0)
  t.is(turns.size(), 0)
  t.true(turns.known() <= 1_000)
})
