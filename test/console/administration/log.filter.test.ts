import { mock } from 'node:test'
import test from 'ava'
import { filterOf } from '../../../console/pages/log/filter.ts'

const DAY_MS = 86_400_000
const NOW = Date.parse('2027-01-31T12:34:56Z')

test.before(() => mock.timers.enable({ apis: ['Date'], now: NOW }))
test.after.always(() => mock.timers.reset())

const spanOf = (query: Record<string, string>) => {
  const { dateFrom, dateTo } = filterOf(query)
  return { from: Date.parse(dateFrom), to: Date.parse(dateTo) }
}

test('without a filter the last day is shown, and a name is looked for in all times', (t) => {
  const { from, to } = spanOf({})
  t.true(from <= NOW - DAY_MS && from >= NOW - DAY_MS - 3_600_000)
  t.true(to > NOW)
  for (const name of ['ids', 'requestId', 'objectId']) t.is(spanOf({ [name]: 'x' }).from, 0, name)
  t.is(spanOf({ type: 'DID_CREATE_SUCCESS' }).from, from)
  t.is(spanOf({ requestId: 'x', from: '2027-01-30T00:00:00Z' }).from, Date.parse('2027-01-30T00:00:00Z'))
  t.is(spanOf({ from: 'yesterday' }).from, from, 'what is no time is none')
})

test('a page that is open for days still shows what is new, and asks no other question each moment', (t) => {
  const first = filterOf({})
  mock.timers.setTime(NOW + 1_000)
  t.deepEqual(filterOf({}), first)
  const later = NOW + 3 * DAY_MS
  mock.timers.setTime(later)
  const { from, to } = spanOf({})
  t.true(to > later)
  t.true(from > later - 2 * DAY_MS, 'of the last day, not of the days before')
})
