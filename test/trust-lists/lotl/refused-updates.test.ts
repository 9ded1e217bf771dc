import test from 'ava'
import { refusal } from '../../support/credentials/templates.ts'
import { type LotlWorld, openLotlWorld } from '../../support/trust-lists/lotl.world.ts'

let here: LotlWorld
test.before(async () => {
  here = await openLotlWorld()
})
test.after.always(() => here?.close())

/** A list that is known, and an update of its source that fails as its signer is named no more. */
async function refusedUpdate(change: (url: string) => object = () => ({})) {
  const at = await here.imported()
  const { signer } = here.commission
  at.publishLotl([at.pointer({ certificates: [here.stranger.signer] })], { sequence: '301' })
  const listOfLists = { url: at.lotlUrl, signers: [signer], ...change(at.listUrl) }
  return { ...at, reply: await at.lists.update(at.id, { source: at.source({ listOfLists, graceHours: 5 }) }) }
}

test('a list of lists is known that was read for an update which was refused (D-1021)', async (t) => {
  const { id, lists, read, reply, created, publishLotl, pointer } = await refusedUpdate()
  t.is(refusal(reply, 400), 'trust_list.source_signature')
  const after = await read()
  t.like(after, {
    ...{ state: 'current', entryCount: 1, source: { graceHours: 24 } },
    imported: { sequenceNumber: 41, listOfLists: { sequenceNumber: 301 } },
  })
  const hours = (Date.parse(after.staleAt ?? '') - Date.now()) / 3_600_000
  t.is(Math.round(hours), 24, 'its signer is named no more (D-1005)')
  t.true((after.staleAt ?? '') < (created.staleAt ?? ''))
  publishLotl([pointer()])
  t.is(refusal(await lists.refresh(id), 400), 'trust_list.lotl_older')
})

test('of another location it says nothing of the signers of this one', async (t) => {
  const { read, reply, created } = await refusedUpdate((url) => ({ location: `${url}2` }))
  t.is(refusal(reply, 400), 'trust_list.lotl_no_pointer')
  const after = await read()
  t.like(after, { staleAt: created.staleAt, imported: { listOfLists: { sequenceNumber: 301, signers: 1 } } })
})

test('an update that names other signers of the list of lists and fails says nothing of the known one', async (t) => {
  const { signer } = here.stranger
  const { read, reply } = await refusedUpdate(() => ({ signers: [signer, here.commission.signer] }))
  t.is(refusal(reply, 400), 'trust_list.source_signature')
  t.is((await read()).imported?.listOfLists?.sequenceNumber, 300)
})

test('a closed list of lists that was read for an update ends the trust with the next pass of the schedule', async (t) => {
  const { id, lists, read, publishLotl, pointer, source } = await here.imported()
  publishLotl([pointer()], { sequence: '301', next: '' })
  t.is(refusal(await lists.update(id, { source: source({ graceHours: 5 }) }), 400), 'trust_list.lotl_closed')
  t.like(await read(), { entryCount: 1, source: { graceHours: 24 } })
  await here.pass(0.01)
  t.like(await read(), { entryCount: 0, failure: { code: 'trust_list.lotl_closed' } })
})
