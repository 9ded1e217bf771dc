import { setTimeout } from 'node:timers/promises'
import test from 'ava'
import { Exhausted } from '../../../protocol/errors.ts'
import type { TrustListAnswer } from '../../support/trust-lists/lists.ts'
import { newPath } from '../../support/trust-lists/lote.ts'
import { type LotlWorld, openLotlWorld } from '../../support/trust-lists/lotl.world.ts'
import { QEAA, tslOf } from '../../support/trust-lists/tsl.ts'

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

/** Two lists with one source, of which the schedule reads the second one three minutes after the first one. */
async function inTurn() {
  const first = await here.imported({ refreshHours: 7 })
  return { first, second: await alsoImported(first, { refreshHours: 8 }) }
}
const FIRST = 7 + 58 * MINUTE
const SECOND = 8 + MINUTE

test.serial('an address that cannot be read is not read a second time (D-1022)', async (t) => {
  const { first, second } = await inTurn()
  const { lotlPath, listPath } = first
  here.names.elsewhere.delete(listPath)
  const { pass } = here.schedule()
  t.like(await pass(FIRST), { [lotlPath]: 1, [listPath]: 1 })
  const reads = await pass(SECOND)
  t.deepEqual([reads[lotlPath], reads[listPath]], [undefined, 1], 'the list of lists is kept')
  t.is((await second.read()).failure?.code, 'trust_list.source_unavailable')
})

test.serial(
  'a list fails whose tenant has no budget to read it anew, unless the text may be too old (D-1022)',
  async (t) => {
    for (const isOld of [false, true]) {
      const { first, second } = await inTurn()
      let isOver = false
      const { pass } = here.schedule(({ url }) => {
        if (isOver && url.endsWith(first.lotlPath)) throw new Exhausted('outbound', 'The tenant has read too much.', 7)
      })
      first.publishLotl(isOld ? [first.pointer()] : [], { sequence: '301' })
      t.is((await pass(FIRST))[first.lotlPath], 1)
      if (isOld) {
        first.publishLotl([first.pointer()], { sequence: '302' })
        t.is((await second.refresh()).status, 200)
      }
      isOver = true
      t.is((await pass(SECOND))[first.lotlPath], 1)
      const { failure, nextRefreshAt } = await second.read()
      t.is(failure?.code, isOld ? undefined : 'trust_list.lotl_no_pointer')
      t.truthy(nextRefreshAt)
    }
  },
)

/** The path of each list of a tenant of its own, which are due before those of the other tests. */
async function manyLists(count: number): Promise<string[]> {
  const { lists } = await here.places()
  const paths: string[] = []
  for (let made = 0; made < count; made += 1) {
    const path = newPath()
    here.names.elsewhere.set(
      path,
      here.austria.signNow(tslOf([{ services: [{ certificates: [here.one.certificatePem] }] }])),
    )
    const source = {
      ...{ format: 'ts-119-612', url: here.urlOf(path), serviceTypes: [QEAA] },
      ...{ signers: [here.austria.signer], refreshHours: 1 },
    }
    const reply = await lists.create({ name: 'QEAA', formats: ['mobile'], source })
    if (reply.status !== 201) throw new Error(`no list: ${reply.text}`)
    paths.push(path)
  }
  return paths
}

/** Resolves to whether all of the paths have been read, or to false after three seconds. */
function whenRead(paths: readonly string[]) {
  const missing = new Set(paths)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  return {
    read(url: string): void {
      missing.delete(new URL(url).pathname)
      if (missing.size === 0) resolve(true)
    },
    all: () => Promise.race([promise, setTimeout(3_000, false)]),
  }
}

test.serial('a list at a slow host keeps no other one from being read (D-1023)', async (t) => {
  const paths = await manyLists(10)
  const reads = whenRead(paths)
  let wereRead: boolean | undefined
  let isFirst = true
  const { pass } = here.schedule(async ({ url }) => {
    reads.read(url)
    if (!isFirst || !paths.includes(new URL(url).pathname)) return
    isFirst = false
    wereRead = await reads.all()
  })
  await pass(1.1)
  t.true(wereRead)
})

test.serial('the schedule reads the lists of tenants in turn (D-1023)', async (t) => {
  const many = await manyLists(10)
  const [single = ''] = await manyLists(1)
  const reads = whenRead([single])
  const waits: boolean[] = []
  const { pass } = here.schedule(async ({ url }) => {
    reads.read(url)
    if (many.includes(new URL(url).pathname)) waits.push(await reads.all())
  })
  await pass(1.1)
  t.deepEqual(
    waits,
    many.map(() => true),
  )
})
