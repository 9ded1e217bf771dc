import test from 'ava'
import { momentOf } from '../../../protocol/dates.ts'
import { createDid, payload, sign } from '../../support/credentials/credentials.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

/** Outside of the calendar, of XML Schema's zones, or of the years 1 to 9999 once they are read in UTC. */
const NONE = [
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59-14:00',
  '2026-02-29T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2016-12-31T23:59:60Z',
  '2026-01-01T00:00:00+14:01',
  '2026-01-01T00:00:00+15:00',
  '+010000-01-01T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '2026-01-01 00:00:00Z',
  '2026-1-1T00:00:00Z',
]

test('what is no moment is none (XML Schema 1.1 part 2, section 3.3.7)', (t) => {
  for (const text of NONE) t.is(momentOf(text, { zoneRequired: false }), undefined, text)
  t.is(momentOf('2026-01-01T00:00:00', { zoneRequired: false })?.toISOString(), '2026-01-01T00:00:00.000Z')
  t.is(momentOf('2026-01-01T00:00:00', { zoneRequired: true }), undefined)
  t.is(momentOf('2026-01-01T00:00:00+14:00', { zoneRequired: true })?.toISOString(), '2025-12-31T10:00:00.000Z')
})

/** Log filters are no credential's dates: they take what JavaScript and PostgreSQL read alike. */
const READ_BY_FILTERS = ['2026-01-01 00:00:00Z', '2026-01-01T00:00:00+14:01', '2026-01-01T00:00:00+15:00']

test('what is no moment is a 400 in a credential and in a status; no date is a fault of ours', async (t) => {
  const did = await createDid(world)
  const { id } = await sign(world, did, { revocable: true })
  const contexts = ['https://www.w3.org/2018/credentials/v1', { course: 'https://schema.org/courseCode' }]
  for (const text of NONE) {
    for (const more of [{ validFrom: text }, { '@context': contexts, issuanceDate: text }]) {
      const body = { payload: payload(did, more), proofType: 'eddsa-rdfc-2022', revocable: false }
      const reply = await world.ask('/v1/credentials/web-semantic/sign', { token: world.token, body })
      t.is(reply.status, 400, `${JSON.stringify(more)}: ${reply.text}`)
    }
    const at = `/v1/credentials/web-semantic/${id}/revocation-status?at=${encodeURIComponent(text)}`
    t.is((await world.ask(at, { token: world.token })).status, 400, `at=${text}`)
    const filter = { categories: [], types: [], ids: [], requestIds: [], dateFrom: text, dateTo: text }
    const logs = await world.ask('/v1/analytics/events', { token: world.token, body: filter })
    t.is(logs.status, READ_BY_FILTERS.includes(text) ? 200 : 400, `logs of ${text}: ${logs.text}`)
  }
})
