import test from 'ava'
import fc from 'fast-check'
import { addDuration, DURATION_UNITS, type Duration } from '../../protocol/time.ts'

const after = (start: string, duration: Duration) => addDuration(new Date(start), duration)?.toISOString()

/** Start, duration, end. The order of units is years and months, weeks and days, hours, minutes and seconds. */
const CALENDAR: [start: string, duration: Duration, end: string][] = [
  // each unit alone
  ['2026-03-15T10:20:30Z', { years: 2 }, '2028-03-15T10:20:30.000Z'],
  ['2026-03-15T10:20:30Z', { months: 11 }, '2027-02-15T10:20:30.000Z'],
  ['2026-03-15T10:20:30Z', { weeks: 3 }, '2026-04-05T10:20:30.000Z'],
  ['2026-03-15T10:20:30Z', { days: 400 }, '2027-04-19T10:20:30.000Z'],
  ['2026-03-15T10:20:30Z', { hours: 25 }, '2026-03-16T11:20:30.000Z'],
  ['2026-03-15T10:20:30Z', { minutes: 1440 }, '2026-03-16T10:20:30.000Z'],
  ['2026-03-15T10:20:30Z', { seconds: 86_400 }, '2026-03-16T10:20:30.000Z'],
  // ends of months
  ['2026-01-31T00:00:00Z', { months: 1 }, '2026-02-28T00:00:00.000Z'],
  ['2028-01-31T00:00:00Z', { months: 1 }, '2028-02-29T00:00:00.000Z'],
  ['2026-01-31T00:00:00Z', { months: 2 }, '2026-03-31T00:00:00.000Z'],
  ['2026-03-31T00:00:00Z', { months: 1 }, '2026-04-30T00:00:00.000Z'],
  ['2026-12-31T23:59:59Z', { months: 2 }, '2027-02-28T23:59:59.000Z'],
  ['2026-08-31T00:00:00Z', { months: 18 }, '2028-02-29T00:00:00.000Z'],
  // leap years, also those of centuries
  ['2028-02-29T12:00:00Z', { years: 1 }, '2029-02-28T12:00:00.000Z'],
  ['2028-02-29T12:00:00Z', { years: 4 }, '2032-02-29T12:00:00.000Z'],
  ['2096-02-29T12:00:00Z', { years: 4 }, '2100-02-28T12:00:00.000Z'],
  ['1996-02-29T12:00:00Z', { years: 4 }, '2000-02-29T12:00:00.000Z'],
  ['2027-02-28T12:00:00Z', { years: 1 }, '2028-02-28T12:00:00.000Z'],
  ['2028-02-28T12:00:00Z', { days: 1 }, '2028-02-29T12:00:00.000Z'],
  ['2100-02-28T12:00:00Z', { days: 1 }, '2100-03-01T12:00:00.000Z'],
  // together: years and months are one step, so the day is cut once, at the month that is reached
  ['2027-01-31T00:00:00Z', { years: 1, months: 1 }, '2028-02-29T00:00:00.000Z'],
  ['2028-02-29T00:00:00Z', { years: 1, months: 12 }, '2030-02-28T00:00:00.000Z'],
  ['2028-02-29T00:00:00Z', { years: 3, months: 12 }, '2032-02-29T00:00:00.000Z'],
  // months before days, days before hours
  ['2026-01-31T00:00:00Z', { months: 1, days: 1 }, '2026-03-01T00:00:00.000Z'],
  ['2026-01-30T23:00:00Z', { months: 1, hours: 2 }, '2026-03-01T01:00:00.000Z'],
  [
    '2026-01-31T23:59:59Z',
    { years: 1, months: 1, weeks: 1, days: 1, hours: 1, minutes: 1, seconds: 1 },
    '2027-03-09T01:01:00.000Z',
  ],
  // no daylight saving: a day has 24 hours in every time zone of the machine
  ['2026-03-28T12:00:00Z', { days: 1 }, '2026-03-29T12:00:00.000Z'],
  ['2026-10-24T12:00:00Z', { weeks: 1 }, '2026-10-31T12:00:00.000Z'],
  // nothing, and the last moment that there is
  ['2026-03-15T10:20:30Z', {}, '2026-03-15T10:20:30.000Z'],
  ['9998-12-31T23:59:59Z', { years: 1 }, '9999-12-31T23:59:59.000Z'],
  ['0099-12-31T00:00:00Z', { months: 2 }, '0100-02-28T00:00:00.000Z'],
]

for (const [start, duration, end] of CALENDAR)
  test(`${start} and ${JSON.stringify(duration)} are ${end} (XML Schema 1.0 part 2, appendix E)`, (t) => {
    t.is(after(start, duration), end)
  })

test('the machine’s time zone changes nothing', (t) => {
  const { TZ } = process.env
  try {
    for (const zone of ['America/New_York', 'Pacific/Apia', 'Australia/Lord_Howe', 'UTC']) {
      process.env.TZ = zone
      for (const [start, duration, end] of CALENDAR) t.is(after(start, duration), end, zone)
    }
  } finally {
    if (TZ === undefined) delete process.env.TZ
    else process.env.TZ = TZ
  }
})

test('beyond the year 9999 there is no moment, however large the numbers', (t) => {
  for (const unit of DURATION_UNITS)
    for (const value of [Number.MAX_SAFE_INTEGER, 1e15, 1e13])
      t.is(after('2026-01-01T00:00:00Z', { [unit]: value }), undefined, `${value} ${unit}`)
  t.is(after('9999-12-31T23:59:59Z', { seconds: 1 }), undefined)
  t.is(after('9999-12-01T00:00:00Z', { months: 1 }), undefined)
})

const start = fc.date({
  min: new Date('1970-01-01T00:00:00Z'),
  max: new Date('2400-12-31T23:59:59Z'),
  noInvalidDate: true,
})
const small = fc.record(
  Object.fromEntries(DURATION_UNITS.map((unit) => [unit, fc.nat(1_000)])) as Record<string, fc.Arbitrary<number>>,
  { requiredKeys: [] },
) as fc.Arbitrary<Duration>

test('a duration never goes back, and more of a unit is never earlier', (t) => {
  fc.assert(
    fc.property(start, small, fc.constantFrom(...DURATION_UNITS), (at, duration, unit) => {
      const end = addDuration(at, duration)?.getTime() ?? 0
      const later = addDuration(at, { ...duration, [unit]: (duration[unit] ?? 0) + 1 })?.getTime() ?? 0
      return end >= at.getTime() && later >= end
    }),
    { numRuns: 2_000 },
  )
  t.pass()
})

test('months keep the day of the month, or take its last day when there is none', (t) => {
  fc.assert(
    fc.property(start, fc.nat(5_000), (at, months) => {
      const end = addDuration(at, { months })
      if (!end) return false
      const passed = (end.getUTCFullYear() - at.getUTCFullYear()) * 12 + end.getUTCMonth() - at.getUTCMonth() === months
      const next = new Date(end.getTime() + 86_400_000)
      return passed && (end.getUTCDate() === at.getUTCDate() || next.getUTCDate() === 1)
    }),
    { numRuns: 2_000 },
  )
  t.pass()
})
