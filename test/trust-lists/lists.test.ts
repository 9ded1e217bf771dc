import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createTrustLists } from '../../activities/trust-lists/lifecycle.ts'
import { TrustListsClosed } from '../../entities/migrations/0097-trust-lists-closed.ts'
import { TrustList } from '../../entities/trust-lists/lists.ts'
import { until } from '../support/credentials/dids.ts'
import { makeForeignIaca } from '../support/credentials/mobile.issuers.ts'
import { refusal } from '../support/credentials/templates.ts'
import { connected } from '../support/stack/backup.ts'
import { type TrustListAnswer, trustList, trustListsOf } from '../support/trust-lists/lists.ts'
import { inHours, loteOf, PID_ISSUANCE } from '../support/trust-lists/lote.ts'
import { QEAA, tslOf } from '../support/trust-lists/tsl.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let pem: string
let lists: ReturnType<typeof trustListsOf>
test.before(async () => {
  world = await openWorld()
  pem = (await makeForeignIaca()).certificatePem
  lists = trustListsOf(world, world.token)
})
test.after.always(() => world?.close())

test('a list is created, read, listed, changed and deleted, and the log names each change', async (t) => {
  const entries = [{ name: 'An authority', certificate: pem }, { identifier: 'https://issuer.example' }]
  const created = await lists.create(trustList({ formats: ['mobile', 'sd-jwt-vc'], entries }))
  t.is(created.status, 201, created.text)
  const { id, ...list } = created.json<TrustListAnswer>()
  t.is(created.headers.get('location'), `/v1/trust-lists/${id}`)
  t.like(list, { name: 'Issuers', formats: ['mobile', 'sd-jwt-vc'], enforced: false, entryCount: 2 })
  t.like(list.entries[0], { name: 'An authority', certificate: pem, identifier: null })
  t.regex(list.entries[0]?.certificateFingerprint ?? '', /^[0-9a-f]{64}$/)
  t.like(list.entries[1], { name: null, certificate: null, identifier: 'https://issuer.example' })
  t.deepEqual((await lists.read(id)).json(), created.json())
  const { data } = (await lists.list()).json<{ data: TrustListAnswer[] }>()
  t.deepEqual(
    data.map((each) => [each.id, 'entries' in each]),
    [[id, false]],
  )
  const changed = await lists.update(id, { name: 'Others' })
  t.like(changed.json<TrustListAnswer>(), { id, name: 'Others', entryCount: 2 })
  t.is((await lists.remove(id)).status, 204)
  t.is(refusal(await lists.read(id), 404), 'trust_list.not_found')
  t.is(refusal(await lists.update(randomUUID(), {}), 404), 'trust_list.not_found')
  const types = ['CREATE', 'UPDATE', 'DELETE'].map((verb) => `TRUST_LIST_${verb}_SUCCESS`)
  const span = { dateFrom: '2020-01-01T00:00:00Z', dateTo: '2999-01-01T00:00:00Z' }
  const filter = { types, objectIds: [id], ids: [], categories: [], requestIds: [], ...span }
  const logged = await until('the entries of the log', async () => {
    const reply = await world.ask('/v1/analytics/events', { token: world.token, body: filter })
    const { data } = reply.json<{ data: { type: string }[] }>()
    return data.length === 3 && data.map(({ type }) => type).sort()
  })
  t.deepEqual(logged, [...types].sort())
})

test.serial('lists are answered with the number of their entries, which are not loaded for it', async (t) => {
  const client = await world.addTenant()
  const own = trustListsOf(world, await world.tokenOf(client))
  await own.created({ entries: ['a', 'b', 'c'].map((name) => ({ identifier: `did:web:${name}.example` })) })
  await own.created()
  const loaded: boolean[] = []
  const { tenants } = world.dependencies.database
  tenants.em.getEventManager().registerSubscriber({
    getSubscribedEntities: () => [TrustList],
    async onLoad({ entity }) {
      if (entity.tenantId === client.tenantId) loaded.push(entity.entries !== undefined)
    },
  })
  const lists = createTrustLists(world.dependencies as never)
  const { trustLists, total } = await lists.listTrustLists(client.tenantId, { limit: 10, offset: 0 })
  t.deepEqual([trustLists.map(({ entryCount }) => entryCount), total], [[1, 3], 2])
  t.deepEqual(loaded, [false, false])
  const none = await lists.listTrustLists(client.tenantId, { limit: 10, offset: 10 })
  t.deepEqual(none, { trustLists: [], total: 2 })
})

test('a change of a name does not read the stored entries again', async (t) => {
  const own = trustListsOf(world, await world.tokenOf(await world.addTenant()))
  const { id } = await own.created({ entries: [{ identifier: 'did:web:a.example' }] })
  // as the rules of another release had taken it
  await connected(world.superuserUrl, (client) =>
    client.query('update trust_lists set entries = $2 where id = $1', [
      id,
      JSON.stringify([{ identifier: 'urn:former', issuer: 'urn:former' }]),
    ]),
  )
  const renamed = await own.update(id, { name: 'Renamed' })
  t.is(renamed.status, 200, renamed.text)
  t.like(renamed.json<TrustListAnswer>(), { name: 'Renamed', entryCount: 1 })
  t.is(refusal(await own.update(id, { entries: [{ identifier: 'urn:former' }] }), 400), 'trust_list.invalid')
})

/** Each with the place that is named. */
const REFUSED: [what: string, more: () => object, place: string][] = [
  ['no entries', () => ({ entries: [] }), 'entries'],
  [
    'more entries than 200',
    () => ({ entries: Array.from({ length: 201 }, (_, at) => ({ identifier: `did:web:a${at}.example` })) }),
    'entries',
  ],
  ['an entry of nobody', () => ({ entries: [{ name: 'Nobody' }] }), 'entries.0'],
  ['an entry of two', () => ({ entries: [{ certificate: pem, identifier: 'did:web:a.example' }] }), 'entries.0'],
  ['what is no certificate', () => ({ entries: [{ certificate: 'none' }] }), 'entries.0.certificate'],
  ['two certificates in one text', () => ({ entries: [{ certificate: `${pem}\n${pem}` }] }), 'entries.0.certificate'],
  ['what is no DID', () => ({ entries: [{ identifier: 'did:' }] }), 'entries.0.identifier'],
  ['an address of http', () => ({ entries: [{ identifier: 'http://a.example' }] }), 'entries.0.identifier'],
  [
    'an issuer twice',
    () => ({ entries: [{ identifier: 'did:web:a.example' }, { identifier: 'did:web:a.example' }] }),
    'entries.1',
  ],
  [
    'a certificate twice',
    () => ({ formats: ['mobile'], entries: [{ certificate: pem }, { certificate: `${pem}\n` }] }),
    'entries.1',
  ],
  ['a name of two lines', () => ({ name: 'a\nb' }), 'name'],
  [
    'an entry with a name of two lines',
    () => ({ entries: [{ name: 'a\nb', identifier: 'did:web:a.example' }] }),
    'entries.0.name',
  ],
  ['a format twice', () => ({ formats: ['compact', 'compact'] }), 'formats'],
  ['no format', () => ({ formats: [] }), 'formats'],
  ['a format that names no issuer by what it has', () => ({ formats: ['web-semantic', 'mobile'] }), 'formats.1'],
]

for (const [what, more, place] of REFUSED)
  test(`a list with ${what} is refused at its place`, async (t) => {
    const reply = await lists.create(trustList(more()))
    t.is(refusal(reply, 400), 'trust_list.invalid')
    t.deepEqual(
      reply.json<{ errors: { path: string }[] }>().errors.map(({ path }) => path),
      [place],
    )
  })

test('a tenant has 20 lists at most', async (t) => {
  const client = await world.addTenant()
  const others = trustListsOf(world, await world.tokenOf(client))
  for (let count = 0; count < 20; count += 1) await others.created()
  t.is(refusal(await others.create(trustList()), 409), 'trust_list.too_many')
})

/** Serial: it changes the table, by connections of their own. */
test.serial(
  'a list in XML that was sent when closed ones counted trusts nobody after the migration (D-876)',
  async (t) => {
    const own = trustListsOf(world, await world.tokenOf(await world.addTenant()))
    const tsl = tslOf([{ services: [{ certificates: [pem] }] }])
    const xml = { format: 'ts-119-612', serviceTypes: [QEAA], document: tsl }
    const lote = JSON.stringify(loteOf([{ certificates: [pem] }], { NextUpdate: inHours(24) }))
    const json = { format: 'ts-119-602', serviceTypes: [PID_ISSUANCE], document: lote }
    const sent = async (source: object) => {
      const reply = await own.create({ name: 'Sent', formats: ['mobile'], enforced: false, source })
      t.is(reply.status, 201, reply.text)
      return reply.json<TrustListAnswer>().id
    }
    const [closed, current, ofJson] = [await sent(xml), await sent(xml), await sent(json)]
    const migration: string[] = []
    TrustListsClosed.prototype.up.call({ addSql: (sql: string) => migration.push(sql) } as never)
    await connected(world.superuserUrl, (client) =>
      client.query(
        `update trust_lists set facts = (facts::jsonb || '{"nextUpdate":null}')::json, stale_at = null, due_at = null
        where id = any($1)`,
        [[closed, ofJson]],
      ),
    )
    for (let run = 0; run < 2; run += 1)
      await connected(world.config.database.url, (client) => client.query(migration.join('\n')))
    const read = async (id: string) => (await own.read(id)).json<TrustListAnswer>()
    const { failure, ...list } = await read(closed)
    t.like(list, { entryCount: 0, state: 'failing', source: { url: null } })
    t.is(failure?.code, 'trust_list.source_closed')
    t.true(Math.abs(Date.parse(failure?.since ?? '') - Date.now()) < 600_000, failure?.since)
    for (const id of [current, ofJson]) t.like(await read(id), { entryCount: 1, state: 'current', failure: null })
  },
)
