import test from 'ava'
import { refusal } from '../../support/credentials/templates.ts'
import type { TrustListAnswer } from '../../support/trust-lists/lists.ts'
import { inHours } from '../../support/trust-lists/lote.ts'
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

const ENDED = { state: 'failing', entryCount: 0, staleAt: null, failure: { code: 'trust_list.lotl_closed' } } as const

test('a closed list of lists that was read for an update ends the trust, whatever is read after it', async (t) => {
  const { id, lists, read, codes, lotlPath, publishLotl, pointer, source } = await here.imported()
  const { pass } = here.schedule()
  t.is((await pass(7))[lotlPath], 1, 'the worker keeps the text')
  publishLotl([pointer()], { sequence: '301', next: '' })
  for (const graceHours of [5, 6])
    t.is(refusal(await lists.update(id, { source: source({ graceHours }) }), 400), 'trust_list.lotl_closed')
  const closed = {
    ...{ entryCount: 0, source: { graceHours: 24 } },
    imported: { sequenceNumber: 41, listOfLists: { sequenceNumber: 301, nextUpdate: null } },
  }
  t.like(await read(), { ...closed, ...ENDED })
  publishLotl([pointer()])
  await pass(7.01)
  await pass(14)
  t.like(await read(), { ...closed, failure: { code: 'trust_list.lotl_older' } })
  t.deepEqual(await codes(2), ['trust_list.lotl_older', 'trust_list.lotl_closed'], 'each once')
})

test('a list that was sent ends with its list of lists, too, which nothing else reads', async (t) => {
  const at = await here.places()
  at.publishLotl([at.pointer()])
  const document = at.list([here.one.certificatePem])
  const listOfLists = { url: at.lotlUrl, signers: [here.commission.signer], location: at.listUrl }
  const source = at.source({ url: undefined, document, listOfLists })
  const { id } = (await here.create(at, source)).json<TrustListAnswer>()
  const read = async () => (await at.lists.read(id)).json<TrustListAnswer>()
  t.is((await read()).entryCount, 1)
  at.publishLotl([at.pointer()], { sequence: '301', next: '' })
  const elsewhere = {
    ...source,
    listOfLists: { ...listOfLists, signers: [here.stranger.signer, here.commission.signer] },
  }
  t.is(refusal(await at.lists.update(id, { source: elsewhere }), 400), 'trust_list.lotl_closed')
  t.is((await read()).entryCount, 1, 'of other signers it says nothing')
  t.is(refusal(await at.lists.update(id, { source }), 400), 'trust_list.lotl_closed')
  t.like(await read(), { ...ENDED, imported: { listOfLists: { sequenceNumber: 301 } } })
})

test('a list that was sent and becomes stale a second time says so again', async (t) => {
  const at = await here.imported()
  const ends = (hours: number) => ({ next: `<dateTime>${inHours(hours)}</dateTime>` })
  at.publishLotl([at.pointer()], { sequence: '301', ...ends(2) })
  const listOfLists = { url: at.lotlUrl, signers: [here.commission.signer], location: at.listUrl }
  const source = at.source({ url: undefined, listOfLists, graceHours: 0, document: at.list([here.one.certificatePem]) })
  const made = await at.lists.update(at.id, { source })
  t.is(made.status, 200, made.text)
  await here.pass(3)
  t.deepEqual(await at.codes(1), ['trust_list.stale'])
  at.publishLotl([at.pointer()], { sequence: '302', ...ends(20) })
  const document = at.list([here.one.certificatePem], {}, here.stranger)
  t.is(refusal(await at.lists.update(at.id, { source: { ...source, document } }), 400), 'trust_list.source_signature')
  const hours = (Date.parse((await at.read()).staleAt ?? '') - Date.now()) / 3_600_000
  t.is(Math.round(hours), 20)
  for (const later of [19, 21, 22]) await here.pass(later)
  t.deepEqual(await at.codes(2), ['trust_list.stale', 'trust_list.stale'])
})
