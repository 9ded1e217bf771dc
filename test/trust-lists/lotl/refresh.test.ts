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

const next = (hours: number) => `<dateTime>${inHours(hours)}</dateTime>`

test.serial('the schedule reads both lists: signers come and go with the list of the lists', async (t) => {
  const { read, publishLotl, publishList, pointer } = await here.imported()
  publishLotl([pointer({ certificates: [here.stranger.signer] })], { sequence: '301' })
  publishList([here.other.certificatePem], { sequence: '42' }, here.stranger)
  await here.pass(1)
  t.like(await read(), { imported: { sequenceNumber: 41, listOfLists: { sequenceNumber: 300 } } }, 'it is not due')
  await here.pass(7)
  const { entries, ...after } = await read()
  t.like(after, {
    ...{ state: 'current', failure: null },
    imported: { sequenceNumber: 42, listOfLists: { sequenceNumber: 301 } },
  })
  t.is(entries[0]?.certificate?.trim(), here.other.certificatePem.trim())
  publishList([here.one.certificatePem], { sequence: '43' }, here.austria)
  await here.pass(14)
  t.like(await read(), { state: 'failing', entryCount: 1, failure: { code: 'trust_list.source_signature' } })
})

test.serial(
  'a failure says which of the lists failed, why, and what to do; what was read last goes on to count',
  async (t) => {
    const { id, lists, lotlPath, listPath, read, codes, publishLotl, publishList, pointer } = await here.imported()
    const failsWith = async (code: string, message: RegExp, remedy: RegExp) => {
      const { failure, ...list } = await read()
      t.like(list, { state: 'failing', entryCount: 1, imported: { sequenceNumber: 41 } })
      t.is(failure?.code, `trust_list.${code}`)
      t.regex(failure?.message ?? '', message)
      t.regex(failure?.remedy ?? '', remedy)
    }
    here.names.elsewhere.delete(lotlPath)
    await here.pass(7)
    await failsWith('lotl_unavailable', /^The list of the lists: .*404/, /its URL can be called/)
    publishLotl([pointer()], { sequence: '301' })
    here.names.elsewhere.delete(listPath)
    await here.pass(8)
    await failsWith('source_unavailable', /^The address of the list answered/, /the URL can be called/)
    publishLotl([], { sequence: '302' })
    await here.pass(9)
    await failsWith('lotl_no_pointer', /no pointer to https:\/\/elsewhere\.test/, /Send as location/)
    publishLotl([pointer()], { sequence: '303' }, here.stranger)
    t.is(refusal(await lists.refresh(id), 400), 'trust_list.lotl_signature', 'by hand')
    await failsWith('lotl_signature', /None of the signers/, /current certificates/)
    t.deepEqual([...(await codes(4))].sort(), [
      ...['lotl_no_pointer', 'lotl_signature', 'lotl_unavailable', 'source_unavailable'].map(
        (code) => `trust_list.${code}`,
      ),
    ])
    publishLotl([pointer()], { sequence: '304' })
    publishList([here.one.certificatePem], { sequence: '42' })
    await here.pass(10)
    t.like(await read(), { state: 'current', failure: null, imported: { listOfLists: { sequenceNumber: 304 } } })
  },
)

test.serial('a list of lists that is older than the known one is refused, by the schedule and by hand', async (t) => {
  const { id, lists, read, publishLotl, publishList, pointer } = await here.imported()
  publishLotl([pointer({ certificates: [here.stranger.signer] })], { sequence: '299' })
  publishList([here.other.certificatePem], { sequence: '42' }, here.stranger)
  await here.pass(7)
  t.like(await read(), {
    state: 'failing',
    failure: { code: 'trust_list.lotl_older' },
    imported: { sequenceNumber: 41 },
  })
  publishLotl([pointer({ certificates: [here.stranger.signer] })], { issued: inHours(-2) })
  t.is(refusal(await lists.refresh(id), 400), 'trust_list.lotl_older', 'with its number, but issued before it')
  publishLotl([pointer({ certificates: [here.stranger.signer] })], { sequence: '1000' })
  t.is((await lists.refresh(id)).status, 200)
})

/** A signer whose key was stolen is taken out of the list of lists: whoever has the key keeps the older one. */
test.serial('a list of lists that was read once is known, whatever came of the list then (D-862)', async (t) => {
  for (const byHand of [false, true]) {
    const { id, lists, read, publishLotl, publishList, pointer } = await here.imported()
    const readAgain = async (hours: number) => {
      if (byHand) t.is((await lists.refresh(id)).status, 400)
      else await here.pass(hours)
    }
    publishLotl([pointer({ certificates: [here.stranger.signer] })], { sequence: '301' })
    publishList([here.other.certificatePem], { sequence: '42' })
    await readAgain(7)
    t.like(await read(), {
      failure: { code: 'trust_list.source_signature' },
      imported: { sequenceNumber: 41, listOfLists: { sequenceNumber: 301 } },
    })
    publishLotl([pointer()], { sequence: '300' })
    await readAgain(8)
    const after = await read()
    t.like(after, { entryCount: 1, failure: { code: 'trust_list.lotl_older' }, imported: { sequenceNumber: 41 } })
    t.is(after.entries[0]?.certificate?.trim(), here.one.certificatePem.trim())
  }
})

test.serial('a list of lists that is closed names nobody: a known list trusts nobody from then on', async (t) => {
  const { read, codes, publishLotl, pointer } = await here.imported()
  publishLotl([pointer()], { sequence: '301', next: '' })
  await here.pass(7)
  const closed = await read()
  t.like(closed, {
    ...{ state: 'failing', entryCount: 0, failure: { code: 'trust_list.lotl_closed' } },
    imported: { sequenceNumber: 41, listOfLists: { sequenceNumber: 301, nextUpdate: null } },
  })
  await here.pass(14)
  t.deepEqual((await read()).failure, closed.failure, 'since the first time')
  t.deepEqual(await codes(1), ['trust_list.lotl_closed'], 'once')
})

test.serial(
  'the next update of the list of lists is heeded: both are read then, and nothing counts after its grace',
  async (t) => {
    const rules = { refreshHours: 168, graceHours: 1 }
    const { lotlPath, read, codes, publishLotl, publishList, pointer } = await here.imported(rules, {
      lotl: { next: next(2) },
    })
    publishLotl([pointer()], { sequence: '301', next: next(20) })
    publishList([here.other.certificatePem], { sequence: '42' })
    await here.pass(2.01)
    t.like(await read(), { imported: { sequenceNumber: 42, listOfLists: { sequenceNumber: 301 } } })
    here.names.elsewhere.delete(lotlPath)
    await here.pass(20.95)
    t.is((await read()).failure?.code, 'trust_list.lotl_unavailable')
    await here.pass(21.01)
    t.true((await codes(2)).includes('trust_list.stale'))
  },
)

test.serial('a list of lists that is published no more, but not replaced, ends with its time', async (t) => {
  const { read, created } = await here.imported({ graceHours: 0 }, { lotl: { next: next(2) } })
  t.is(created.staleAt, created.imported?.listOfLists?.nextUpdate ?? '')
  await here.pass(3)
  t.like((await read()).failure, { code: 'trust_list.lotl_expired' })
})

test.serial('what a tenant knows of a list of lists, and its lists, are no one else’s', async (t) => {
  const first = await here.imported()
  first.publishLotl([first.pointer()], { sequence: '301' })
  t.is((await first.lists.refresh(first.id)).status, 200)
  first.publishLotl([first.pointer()], { sequence: '300' })
  const second = await here.places()
  const made = await second.lists.create({ name: 'QEAA', formats: ['mobile'], source: first.source() })
  t.is(made.status, 201, 'it has never seen the newer one')
  t.is(made.json<TrustListAnswer>().imported?.listOfLists?.sequenceNumber, 300)
  t.is(refusal(await first.lists.refresh(first.id), 400), 'trust_list.lotl_older')
  t.is(refusal(await second.lists.read(first.id), 404), 'trust_list.not_found')
  t.is(refusal(await second.lists.refresh(first.id), 404), 'trust_list.not_found')
})

test.serial(
  'a list that was changed while its list of lists was read keeps the change, and is not blamed',
  async (t) => {
    const { id, lists, lotlPath, read, publishLotl, pointer } = await here.imported()
    publishLotl([pointer()], { sequence: '301' })
    here.names.meanwhile.set(lotlPath, () => lists.update(id, { name: 'Changed' }))
    t.is(refusal(await lists.refresh(id), 409), 'trust_list.changed')
    t.like(await read(), { name: 'Changed', state: 'current', imported: { listOfLists: { sequenceNumber: 300 } } })
    here.names.meanwhile.delete(lotlPath)
  },
)
