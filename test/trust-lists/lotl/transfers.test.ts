import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createTransferRules } from '../../../activities/administration/transfers/rules/index.ts'
import { trustListStaleAt } from '../../../activities/administration/transfers/rules/trust-lists.ts'
import { OPERATOR_SCOPES } from '../../../protocol/tokens-logs/index.ts'
import { heldEntry } from '../../../protocol/trust-lists/lists.ts'
import { refusal } from '../../support/credentials/templates.ts'
import { addClient } from '../../support/frame/tenants.ts'
import { fileOf, linesOf, rowsOf, transfersOf } from '../../support/transfers/transfers.ts'
import type { TrustListAnswer } from '../../support/trust-lists/lists.ts'
import { trustListsOf } from '../../support/trust-lists/lists.ts'
import { type LotlWorld, openLotlWorld } from '../../support/trust-lists/lotl.world.ts'

let here: LotlWorld
test.before(async () => {
  here = await openLotlWorld({ workflows: true, env: { RATE_LIMIT_PER_MINUTE: '100000' } })
})
test.after.always(() => here?.close())

/** Whose lists never become stale. */
const endless = (file: Uint8Array) =>
  fileOf(linesOf(file).map((line) => line.replace(/^(\{"kind":"trustLists".*)"staleAt":"[^"]*"/, '$1"staleAt":null')))

test('a list of lists, and what is known of it, go with the tenant to another platform', async (t) => {
  const { world } = here
  const client = await world.addTenant()
  const token = await world.tokenOf(client)
  const at = await here.places()
  at.publishLotl([at.pointer()])
  at.publishList([here.one.certificatePem])
  const made = await trustListsOf(world, token).create({ name: 'QEAA', formats: ['mobile'], source: at.source() })
  t.is(made.status, 201, made.text)
  const before = made.json<TrustListAnswer>()
  const { systemSql } = world.dependencies
  const operator = await world.tokenOf(
    await addClient(systemSql, { tenantId: world.first.tenantId, scopes: OPERATOR_SCOPES }),
  )
  const transfers = transfersOf(world, operator)
  const { id } = await transfers.exported(client.tenantId)
  const file = await transfers.content(client.tenantId, id)
  // nothing is read there that would say when it ends
  for (const path of [at.lotlPath, at.listPath]) here.names.elsewhere.delete(path)
  t.deepEqual(
    rowsOf(endless(file), 'trustLists').map(({ staleAt }) => staleAt),
    [null],
  )
  const done = await transfers.imported(endless(file))
  t.deepEqual([done.state, done.failure], ['DONE', null])
  const { clientId, clientSecret } = done.client
  const lists = trustListsOf(
    world,
    await world.tokenOf({ tenantId: done.tenantId, clientId, clientSecret: clientSecret ?? '' }),
  )
  const [after] = (await lists.list()).json<{ data: TrustListAnswer[] }>().data
  t.deepEqual([after?.source, after?.imported], [before.source, before.imported])
  t.is(after?.staleAt, before.staleAt, 'as it follows from the facts, whatever the file says')
  at.publishLotl([at.pointer()], { sequence: '299' })
  t.is(refusal(await lists.refresh(after?.id ?? ''), 400), 'trust_list.lotl_older')

  const errorsOf = createTransferRules(world.dependencies)
  const [row = {}] = rowsOf(file, 'trustLists')
  const [source, facts] = [Object(row.source), Object(row.facts)]
  const codes = async (more: object) =>
    (await errorsOf('trustLists', { ...row, ...more }, client.tenantId)).map(({ path, code }) => [path, code])
  t.deepEqual(await codes({}), [])
  const sources = [
    { ...source, listOfLists: null },
    { ...source, listOfLists: { url: 1, signers: [] } },
    { ...source, listOfLists: { ...source.listOfLists, signers: 'none' } },
    { ...source, listOfLists: { ...source.listOfLists, location: 1 } },
    { ...source, listOfLists: { ...source.listOfLists, followPivots: 1 } },
    { ...source, signers: [here.austria.signer], listOfLists: undefined },
  ]
  for (const wrong of sources) t.deepEqual(await codes({ source: wrong }), [['row.source', 'source']])
  const known = facts.listOfLists
  for (const listOfLists of [undefined, null, {}, { ...known, sequenceNumber: '300' }, { ...known, issuedAt: 'today' }])
    t.deepEqual(await codes({ facts: { ...facts, listOfLists } }), [['row.source', 'source']])
  const wrongFacts = [
    ...[{ sequenceNumber: -1 }, { sequenceNumber: 2 ** 53 }, { issuedAt: '2026-01-01' }, { nextUpdate: 'May 2099' }],
    ...[{ issuedAt: new Date(Date.now() + 2 * 86_400_000).toISOString() }, { signedBy: 'a' }],
  ]
  for (const wrong of wrongFacts) {
    t.deepEqual(await codes({ facts: { ...facts, ...wrong } }), [['row.source', 'source']], JSON.stringify(wrong))
    t.deepEqual(await codes({ facts: { ...facts, listOfLists: { ...known, ...wrong } } }), [['row.source', 'source']])
  }
  t.deepEqual(await codes({ facts: { ...facts, sequenceNumber: Number.MAX_SAFE_INTEGER } }), [], 'as lists may have it')
  const listedAs = (...identifiers: string[]) => ({
    formats: ['sd-jwt-vc'],
    entries: identifiers.map((identifier) => heldEntry({ identifier })),
  })
  t.deepEqual(await codes(listedAs('did:web:a.example', 'https://b.example')), [])
  for (const wrong of ['', 'a.example', 'http://a.example'])
    t.deepEqual(await codes(listedAs('did:web:a.example', wrong)), [['row.entries.1.identifier', 'identifier']], wrong)
  t.deepEqual(await codes(listedAs('did:web:a.example', 'did:web:a.example')), [['row.entries.1', 'repeated']])
  const many = (count: number, of = 'a') =>
    listedAs(...Array.from({ length: count }, (_, nth) => `did:web:${of}${nth}.example`))
  t.deepEqual(await codes(many(2_000)), [])
  t.deepEqual(await codes(many(2_001)), [['row.entries', 'count']])
  const more = ['a', 'b', 'c', 'd', 'e', 'f'].map((of) =>
    JSON.stringify({ kind: 'trustLists', row: { ...row, id: randomUUID(), ...many(2_000, of) } }),
  )
  const lines = linesOf(file).flatMap((line) => (line.startsWith('{"kind":"trustLists"') ? more : [line]))
  const tooMany = await transfers.imported(fileOf(lines))
  t.deepEqual([tooMany.state, tooMany.failure?.code], ['FAILED', 'tenant_import.row_refused'])
  t.like(tooMany.failure?.errors[0], { path: 'trustLists.entries', code: 'count' })

  const pivots = { followed: 2, signers: 'a'.repeat(64) }
  for (const right of [pivots, { ...pivots, sequence: 200 }])
    t.deepEqual(await codes({ facts: { ...facts, listOfLists: { ...known, pivots: right } } }), [])
  const wrongPivots = [{ followed: 11 }, { signers: 'a' }, { sequence: '200' }, { sequence: 2 ** 53 }]
  for (const wrong of [1, {}, ...wrongPivots.map((each) => ({ ...pivots, ...each }))])
    t.deepEqual(await codes({ facts: { ...facts, listOfLists: { ...known, pivots: wrong } } }), [
      ['row.source', 'source'],
    ])
  for (const signers of [-1, 51])
    t.deepEqual(await codes({ facts: { ...facts, listOfLists: { ...known, signers } } }), [['row.source', 'source']])
  for (const closed of [{ nextUpdate: null }, { listOfLists: { ...known, nextUpdate: null } }]) {
    t.deepEqual(await codes({ facts: { ...facts, ...closed } }), [['row.entries', 'closed']])
    t.deepEqual(await codes({ facts: { ...facts, ...closed }, entries: [] }), [])
  }
  for (const url of ['http://lists.example/at.xml', 'https://lists.example:22/at.xml']) {
    const refused = url.startsWith('http:') ? 'outbound.not_https' : 'outbound.port'
    t.deepEqual(await codes({ source: { ...source, url } }), [['row', refused]])
    t.deepEqual(await codes({ source: { ...source, listOfLists: { ...source.listOfLists, url } } }), [['row', refused]])
  }
  const last = new Date(Math.min(Date.parse(facts.nextUpdate), Date.parse(known.nextUpdate)) + 24 * 3_600_000)
  for (const staleAt of [null, '9999-01-01T00:00:00Z']) t.deepEqual(trustListStaleAt({ ...row, staleAt }), last)
  const given = '2027-01-01T00:00:00.000Z'
  t.is(trustListStaleAt({ ...row, staleAt: '2020-01-01T00:00:00Z' })?.getFullYear(), 2020, 'it may be earlier')
  t.is(trustListStaleAt({ ...row, staleAt: given, entries: [] })?.toISOString(), given)
  const unsigned = { ...source, listOfLists: { ...source.listOfLists, signers: [] } }
  t.deepEqual(await codes({ source: unsigned }), [['row.source.listOfLists.signers', 'required']])
  const both = { ...source, signers: [here.austria.signer] }
  t.deepEqual(await codes({ source: both }), [['row.source.signers', 'variant']])
})
