import { setTimeout } from 'node:timers/promises'
import test from 'ava'
import { Exhausted } from '../../../protocol/errors.ts'
import type { TrustListAnswer } from '../../support/trust-lists/lists.ts'
import { type LotlWorld, openLotlWorld } from '../../support/trust-lists/lotl.world.ts'

let here: LotlWorld
test.before(async () => {
  here = await openLotlWorld()
})
test.after.always(() => here?.close())

const MINUTE = 1 / 60

type Imported = Awaited<ReturnType<LotlWorld['imported']>>

/** Another tenant's list with the same source. */
async function alsoImported(first: Imported, source: object = {}) {
  const second = await here.places()
  const reply = await second.lists.create({ name: 'QEAA', formats: ['mobile'], source: first.source(source) })
  if (reply.status !== 201) throw new Error(`no list: ${reply.text}`)
  const { id } = reply.json<TrustListAnswer>()
  const read = async () => (await second.lists.read(id)).json<TrustListAnswer>()
  return { read, refresh: () => second.lists.refresh(id) }
}

test.serial(
  'the schedule fetches once what several tenants name, and each list verifies it itself (D-866)',
  async (t) => {
    const first = await here.imported()
    const same = await alsoImported(first)
    const { lotlUrl, lotlPath, listPath } = first
    const signers = [here.stranger.signer, here.commission.signer]
    const others = await alsoImported(first, { listOfLists: { url: lotlUrl, signers } })
    first.publishLotl([first.pointer()], { sequence: '301' })
    const { pass } = here.schedule()
    t.like(await pass(7), { [lotlPath]: 1, [listPath]: 1 })
    for (const list of [first, same, others])
      t.like(await list.read(), { state: 'current', imported: { listOfLists: { sequenceNumber: 301 } } })
    t.like(await pass(13 + 6 * MINUTE), { [lotlPath]: 1, [listPath]: 1 }, 'anew after five minutes')
  },
)

test.serial('what fails by a text that was fetched for another list is read anew (D-866)', async (t) => {
  const first = await here.imported({ refreshHours: 7 })
  const second = await alsoImported(first, { refreshHours: 8 })
  const { lotlPath, listPath } = first
  const { pass } = here.schedule()
  t.like(await pass(7 + 58 * MINUTE), { [lotlPath]: 1, [listPath]: 1 })
  first.publishLotl([first.pointer({ certificates: [here.stranger.signer] })], { sequence: '301' })
  first.publishList([here.other.certificatePem], { sequence: '42' }, here.stranger)
  t.is((await second.refresh()).status, 200, 'by hand it is read as it is now')
  t.like(await pass(8 + MINUTE), { [lotlPath]: 1, [listPath]: 1 }, 'what was kept is older than what is known')
  t.like(await second.read(), { state: 'current', imported: { sequenceNumber: 42 } })
})

test.serial('what keeps one tenant from reading an address is no failure of another tenant (D-866)', async (t) => {
  const first = await here.imported()
  const second = await alsoImported(first)
  first.publishLotl([first.pointer()], { sequence: '301' })
  let exhausted: string | undefined
  const { pass } = here.schedule(async ({ url, readFor }) => {
    if (!url.endsWith(first.lotlPath)) return
    exhausted ??= readFor
    await setTimeout(300)
    if (readFor === exhausted) throw new Exhausted('outbound', 'The tenant has read too much.', 7)
  })
  t.is((await pass(7))[first.lotlPath], 2)
  const lists = [await first.read(), await second.read()]
  t.deepEqual(
    lists.map(({ failure }) => failure),
    [null, null],
  )
  t.deepEqual(lists.map(({ imported }) => imported?.listOfLists?.sequenceNumber).sort(), [300, 301])
})
