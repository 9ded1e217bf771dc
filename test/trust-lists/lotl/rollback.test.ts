import test from 'ava'
import { refusal } from '../../support/credentials/templates.ts'
import { inHours } from '../../support/trust-lists/lote.ts'
import { type LotlWorld, openLotlWorld } from '../../support/trust-lists/lotl.world.ts'

let here: LotlWorld
test.before(async () => {
  here = await openLotlWorld()
})
test.after.always(() => here?.close())

type Imported = Awaited<ReturnType<LotlWorld['imported']>>

const next = (hours: number) => `<dateTime>${inHours(hours)}</dateTime>`
const hoursFromNow = (moment: string | null) => Math.round((Date.parse(moment ?? '') - Date.now()) / 360_000) / 10

/** What a newer list of lists may say in place of who signs the list. */
const NAMING_NOBODY: [what: string, publish: (at: Imported) => void, code: string][] = [
  ['no pointer', (at) => at.publishLotl([], { sequence: '302' }), 'lotl_no_pointer'],
  ['two pointers', (at) => at.publishLotl([at.pointer(), at.pointer()], { sequence: '302' }), 'lotl_ambiguous'],
  ['no certificate', (at) => at.publishLotl([at.pointer({ certificates: [] })], { sequence: '302' }), 'lotl_no_signer'],
  [
    'an expired certificate',
    (at) => at.publishLotl([at.pointer({ certificates: [here.austria.expiredSigner] })], { sequence: '302' }),
    'lotl_no_signer',
  ],
  [
    'a pointer with two locations',
    (at) =>
      at.publishLotl([at.pointer({ location: 'https://a.example</TSLLocation><TSLLocation>b' })], { sequence: '302' }),
    'lotl_invalid',
  ],
  [
    'a critical extension that nobody knows',
    (at) =>
      at.publishLotl([at.pointer()], {
        sequence: '302',
        more: '<SchemeExtensions><Extension Critical="true"><x:Other xmlns:x="urn:x"/></Extension></SchemeExtensions>',
      }),
    'lotl_extension',
  ],
  ['a time that is over', (at) => at.publishLotl([at.pointer()], { sequence: '302', next: next(-25) }), 'lotl_expired'],
]

for (const byHand of [false, true])
  for (const [what, publish, code] of NAMING_NOBODY)
    test.serial(
      `a newer list of lists with ${what} is known (D-862) ${byHand ? 'by hand' : 'by the schedule'}`,
      async (t) => {
        const at = await here.imported()
        const readAgain = async (hours: number) => {
          if (byHand) t.is((await at.lists.refresh(at.id)).status, 400)
          else await here.pass(hours)
        }
        publish(at)
        await readAgain(7)
        t.like(await at.read(), {
          entryCount: 1,
          failure: { code: `trust_list.${code}` },
          imported: { sequenceNumber: 41, listOfLists: { sequenceNumber: 302 } },
        })
        at.publishLotl([at.pointer()])
        await readAgain(8)
        t.is((await at.read()).failure?.code, 'trust_list.lotl_older')
      },
    )

test.serial('an older list of lists without a pointer is refused as older', async (t) => {
  const at = await here.imported()
  at.publishLotl([], { sequence: '299' })
  t.is(refusal(await at.lists.refresh(at.id), 400), 'trust_list.lotl_older')
  t.is((await at.read()).imported?.listOfLists?.sequenceNumber, 300)
})

test.serial(
  'the number of a list counts only while its signer is named: a thief locks nobody out (D-1004)',
  async (t) => {
    const { lists, id, read, publishLotl, publishList, pointer } = await here.imported()
    publishList([here.other.certificatePem], { sequence: '999999999999999' })
    t.is((await lists.refresh(id)).status, 200, 'the thief has the key of the signer')
    publishList([here.one.certificatePem], { sequence: '42' }, here.stranger)
    publishLotl([pointer({ certificates: [here.austria.signer, here.stranger.signer] })], { sequence: '301' })
    t.is(refusal(await lists.refresh(id), 400), 'trust_list.source_older', 'as long as its signer is named')
    publishLotl([pointer({ certificates: [here.stranger.signer] })], { sequence: '302' })
    t.is((await lists.refresh(id)).status, 200)
    const genuine = await read()
    t.like(genuine, { state: 'current', imported: { sequenceNumber: 42 } })
    t.is(genuine.entries[0]?.certificate?.trim(), here.one.certificatePem.trim())
    publishList([here.other.certificatePem], { sequence: '41' }, here.stranger)
    t.is(refusal(await lists.refresh(id), 400), 'trust_list.source_older', 'of the signer that is named now')
  },
)

test.serial(
  'a signer with another certificate of its key is the same: an older list of it stays refused',
  async (t) => {
    const { lists, id, publishLotl, publishList, pointer } = await here.imported()
    const { expiredSigner, signer } = here.austria
    publishLotl([pointer({ certificates: [expiredSigner, here.stranger.signer] })], { sequence: '301' })
    publishList([here.one.certificatePem], { sequence: '40' }, here.stranger)
    t.is(
      refusal(await lists.refresh(id), 400),
      'trust_list.source_older',
      'its key is named, by a certificate that expired',
    )
    publishLotl([pointer({ certificates: [signer] })], { sequence: '302' })
    publishList([here.one.certificatePem], { sequence: '40' })
    t.is(refusal(await lists.refresh(id), 400), 'trust_list.source_older')
  },
)

test.serial(
  'where its signer is named no more, a list counts for its grace at most, from the first reading on',
  async (t) => {
    for (const graceHours of [3, 0]) {
      const { listPath, read, codes, publishLotl, pointer } = await here.imported({ graceHours })
      publishLotl([pointer({ certificates: [here.stranger.signer] })], { sequence: '301' })
      await here.pass(7)
      const dropped = await read()
      t.like(dropped, { entryCount: 1, failure: { code: 'trust_list.source_signature' } })
      t.is(hoursFromNow(dropped.staleAt), 7 + graceHours)
      here.names.elsewhere.delete(listPath)
      await here.pass(8)
      t.is((await read()).staleAt, dropped.staleAt, 'no later one by a later reading')
      publishLotl([], { sequence: '302' })
      await here.pass(9)
      t.is((await read()).staleAt, dropped.staleAt, 'nor by a list of lists that says nothing of its signers')
      await here.pass(10.1)
      await here.pass(10.5)
      const stale = (await codes(4)).filter((code) => code === 'trust_list.stale')
      t.is(stale.length, 1, 'once')
      publishLotl([pointer()], { sequence: '303' })
      await here.pass(11)
      t.true(hoursFromNow((await read()).staleAt) > 20, 'its signer is named again')
    }
  },
)

test.serial(
  'the time of a list of lists counts from its reading on, though the list itself fails (D-1005)',
  async (t) => {
    const soon = next(10)
    const { listPath, created, read, publishLotl, pointer } = await here.imported(
      { graceHours: 2 },
      { lotl: { next: soon } },
    )
    t.is(hoursFromNow(created.staleAt), 12)
    here.names.elsewhere.delete(listPath)
    publishLotl([pointer()], { sequence: '301', next: next(50) })
    await here.pass(7)
    t.like(await read(), { failure: { code: 'trust_list.source_unavailable' } })
    t.is(hoursFromNow((await read()).staleAt), 52, 'later: it names the signer')
    publishLotl([pointer()], { sequence: '302', next: next(20) })
    await here.pass(8)
    t.is(hoursFromNow((await read()).staleAt), 22, 'earlier')
    publishLotl([], { sequence: '303', next: next(60) })
    await here.pass(9)
    t.is(hoursFromNow((await read()).staleAt), 22, 'no later one by who does not name the signer')
    publishLotl([], { sequence: '304', next: next(12) })
    await here.pass(10)
    t.is(hoursFromNow((await read()).staleAt), 14, 'but an earlier one')
  },
)

test.serial(
  'a list that became stale by its list of lists counts again once a newer one names its signer',
  async (t) => {
    const { listPath, lotlPath, read, codes, publishLotl, pointer } = await here.imported(
      { graceHours: 0 },
      { lotl: { next: next(2) } },
    )
    here.names.elsewhere.delete(listPath)
    here.names.elsewhere.delete(lotlPath)
    await here.pass(2.1)
    t.true((await codes(2)).includes('trust_list.stale'))
    publishLotl([pointer()], { sequence: '301', next: next(5) })
    await here.pass(3)
    t.is(hoursFromNow((await read()).staleAt), 5)
    await here.pass(5.1)
    t.is((await codes(4)).filter((code) => code === 'trust_list.stale').length, 2, 'and it is said when it ends again')
  },
)
