import test from 'ava'
import { createTransferRules } from '../../activities/administration/transfers/rules/index.ts'
import { OPERATOR_SCOPES } from '../../protocol/tokens-logs/index.ts'
import { refusal } from '../support/credentials/templates.ts'
import { addClient } from '../support/frame/tenants.ts'
import { rowsOf, transfersOf } from '../support/transfers/transfers.ts'
import type { TrustListAnswer } from '../support/trust-lists/lists.ts'
import { trustListsOf } from '../support/trust-lists/lists.ts'
import { type LotlWorld, openLotlWorld } from '../support/trust-lists/lotl.world.ts'

let here: LotlWorld
test.before(async () => {
  here = await openLotlWorld({ workflows: true, env: { RATE_LIMIT_PER_MINUTE: '100000' } })
})
test.after.always(() => here?.close())

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
  const done = await transfers.imported(file)
  t.deepEqual([done.state, done.failure], ['DONE', null])
  const { clientId, clientSecret } = done.client
  const lists = trustListsOf(
    world,
    await world.tokenOf({ tenantId: done.tenantId, clientId, clientSecret: clientSecret ?? '' }),
  )
  const [after] = (await lists.list()).json<{ data: TrustListAnswer[] }>().data
  t.deepEqual([after?.source, after?.imported], [before.source, before.imported])
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
    { ...source, signers: [here.austria.signer], listOfLists: undefined },
  ]
  for (const wrong of sources) t.deepEqual(await codes({ source: wrong }), [['row.source', 'source']])
  const known = facts.listOfLists
  for (const listOfLists of [undefined, null, {}, { ...known, sequenceNumber: '300' }, { ...known, issuedAt: 'today' }])
    t.deepEqual(await codes({ facts: { ...facts, listOfLists } }), [['row.source', 'source']])
  const unsigned = { ...source, listOfLists: { ...source.listOfLists, signers: [] } }
  t.deepEqual(await codes({ source: unsigned }), [['row.source.listOfLists.signers', 'required']])
  const both = { ...source, signers: [here.austria.signer] }
  t.deepEqual(await codes({ source: both }), [['row.source.signers', 'variant']])
})
