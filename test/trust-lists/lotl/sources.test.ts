import test from 'ava'
import { OutboundFault } from '../../../activities/frame/outbound/faults.ts'
import { createActivities } from '../../../activities/index.ts'
import { Exhausted, Unavailable } from '../../../protocol/errors.ts'

import { makeForeignIaca } from '../../support/credentials/mobile.issuers.ts'
import { refusal } from '../../support/credentials/templates.ts'
import { connected } from '../../support/stack/backup.ts'
import { inHours } from '../../support/trust-lists/lote.ts'
import { type LotlWorld, openLotlWorld } from '../../support/trust-lists/lotl.world.ts'

let here: LotlWorld
test.before(async () => {
  here = await openLotlWorld()
})
test.after.always(() => here?.close())

const HOUR_MS = 3_600_000
const hoursFromNow = (moment: string | null | undefined) => (Date.parse(moment ?? '') - Date.now()) / HOUR_MS

/** The schedule's pass, where reads of one address fail so. */
function passWithout(path: string, error: () => Error, hours: number) {
  const { outbound } = here.world.dependencies
  const fetch: typeof outbound.fetch = async (request) => {
    if (request.url.endsWith(path)) throw error()
    return outbound.fetch(request)
  }
  const now = () => new Date(Date.now() + hours * HOUR_MS)
  return createActivities({ ...here.world.dependencies, outbound: { ...outbound, fetch }, now }).refreshTrustLists()
}

test.serial(
  'a closed list of lists ends all at once: nothing becomes stale, and it is read again when it is due',
  async (t) => {
    const rules = { refreshHours: 5, graceHours: 1 }
    const { read, codes, created, publishLotl, pointer } = await here.imported(rules, {
      list: { next: `<dateTime>${inHours(12)}</dateTime>` },
    })
    publishLotl([pointer()], { sequence: '301', next: '' })
    await here.pass(6)
    const closed = await read()
    t.like(closed, { state: 'failing', entryCount: 0, staleAt: null, fetchedAt: created.fetchedAt })
    t.is(Math.round(hoursFromNow(closed.nextRefreshAt)), 11)
    for (const hours of [13, 19, 25]) await here.pass(hours)
    t.is(Math.round(hoursFromNow((await read()).nextRefreshAt)), 30)
    t.deepEqual(await codes(1), ['trust_list.lotl_closed'])
  },
)

test.serial(
  'an update of the same source lets no older list in, and another URL or signer forgets (D-1006)',
  async (t) => {
    const at = await here.imported()
    const { lists, id, publishLotl, publishList, pointer, source } = at
    const update = (more: object = {}) => lists.update(id, { source: source(more) })
    publishLotl([pointer()], { sequence: '299' })
    t.is(refusal(await update({ graceHours: 5 }), 400), 'trust_list.lotl_older')
    publishLotl([pointer()], { sequence: '301' })
    publishList([here.one.certificatePem], { sequence: '40' })
    t.is(refusal(await update({ graceHours: 5 }), 400), 'trust_list.source_older')
    t.is(refusal(await update({ listOfLists: null, signers: [here.austria.signer] }), 400), 'trust_list.source_older')
    publishList([here.one.certificatePem], { sequence: '42' })
    t.is((await update({ graceHours: 5 })).status, 200)
    publishList([here.one.certificatePem], { sequence: '41' }, here.stranger)
    t.is((await update({ listOfLists: null, signers: [here.stranger.signer] })).status, 200, 'of another signer')
    publishList([here.one.certificatePem], { sequence: '3' }, here.stranger)
    t.is(refusal(await lists.refresh(id), 400), 'trust_list.source_older')
    const elsewhere = await here.places()
    elsewhere.publishLotl([elsewhere.pointer()], { sequence: '1' })
    elsewhere.publishList([here.one.certificatePem], { sequence: '1' })
    t.is((await lists.update(id, { source: elsewhere.source() })).status, 200, 'at other addresses')
  },
)

test.serial('the number of a list of lists counts while the source names its signer', async (t) => {
  const { lists, id, lotlUrl, publishLotl, pointer, source } = await here.imported()
  publishLotl([pointer()], { sequence: '999999999999999' })
  t.is((await lists.refresh(id)).status, 200, 'a thief has its key')
  publishLotl([pointer()], { sequence: '301' }, here.stranger)
  const by = (signers: string[]) => lists.update(id, { source: source({ listOfLists: { url: lotlUrl, signers } }) })
  const { signer } = here.commission
  t.is(refusal(await by([signer, here.stranger.signer]), 400), 'trust_list.lotl_older')
  t.is((await by([here.stranger.signer])).status, 200)
})

test.serial(
  'what the platform cannot do now is no failure of a list; the list of lists that it has read is kept',
  async (t) => {
    const busy: (() => Error)[] = [
      () => new Exhausted('outbound', 'Too much of it was read.', 7),
      () => new OutboundFault('busy', 'Too many calls wait.'),
      () => new Unavailable('documents', 'The machine is busy.', 5),
    ]
    for (const error of busy) {
      const { read, lotlPath, listPath, publishLotl, pointer, codes } = await here.imported()
      const begun = Date.now()
      await passWithout(lotlPath, error, 7)
      const after = await read()
      t.like(after, { state: 'current', failure: null, imported: { listOfLists: { sequenceNumber: 300 } } })
      const seconds = (Date.parse(after.nextRefreshAt ?? '') - begun) / 1_000 - 7 * 3_600
      t.true(seconds > 4 && seconds < 600, `${seconds}: not the 15 minutes of a failure`)
      publishLotl([pointer()], { sequence: '301' })
      await passWithout(listPath, error, 8)
      t.like(await read(), { state: 'current', failure: null, imported: { listOfLists: { sequenceNumber: 301 } } })
      publishLotl([pointer()])
      await here.pass(9)
      t.deepEqual(await codes(1), ['trust_list.lotl_older'])
    }
  },
)

test.serial('a refresh by hand of a tenant that is full keeps the failure and the list of lists', async (t) => {
  const { lists, id, read, codes, publishLotl, publishList, pointer } = await here.imported()
  publishLotl([pointer()], { sequence: '301' })
  publishList([here.one.certificatePem, here.other.certificatePem], { sequence: '42' })
  const filler = Array.from({ length: 9_999 }, (_, each) => ({ identifier: `did:web:${each}.example`, issuer: 'a' }))
  const full = await lists.created()
  await connected(here.world.superuserUrl, (client) =>
    client.query('update trust_lists set entries = $1 where id = $2', [JSON.stringify(filler), full.id]),
  )
  t.is(refusal(await lists.refresh(id), 409), 'trust_list.too_many_entries')
  t.like(await read(), {
    ...{ state: 'failing', entryCount: 1, failure: { code: 'trust_list.too_many_entries' } },
    imported: { sequenceNumber: 41, listOfLists: { sequenceNumber: 301 } },
  })
  t.deepEqual(await codes(1), ['trust_list.too_many_entries'])
})

test.serial('signers of a list are its certificates that can be read', async (t) => {
  const garbage = Buffer.from('none').toString('base64')
  const at = await here.places()
  at.publishLotl([at.pointer({ certificates: [here.austria.signer, garbage, here.austria.expiredSigner] })])
  at.publishList([(await makeForeignIaca()).certificatePem])
  const made = (await here.create(at)).json<{ imported: { listOfLists: { signers: number } } }>()
  t.is(made.imported.listOfLists.signers, 2)
})

test.serial(
  'a refresh by hand over which the budget of reads ends keeps the list of lists, and no failure',
  async (t) => {
    await here.close()
    // three reads of a host within 10 seconds
    here = await openLotlWorld({ env: { OUTBOUND_READS_PER_MINUTE: '18' } })
    const { lists, id, listUrl, lotlPath, read, publishLotl, pointer } = await here.imported()
    publishLotl([pointer()], { sequence: '301' })
    const { systemSql, outbound } = here.world.dependencies
    const found = await systemSql.query<{ tenantId: string }>({
      text: 'select tenant_id as "tenantId" from trust_lists where id = $1',
      values: [id],
    })
    const request = { url: listUrl, accept: '*/*', maxBytes: 1_000_000, timeoutMs: 5_000 }
    const readFor = found.rows[0]?.tenantId ?? ''
    here.names.meanwhile.set(lotlPath, async () => {
      for (let error: unknown; !(error instanceof Exhausted); )
        error = await outbound.fetch({ ...request, readFor }).catch((reason: unknown) => reason)
    })
    t.is((await lists.refresh(id)).status, 429)
    t.like(await read(), { state: 'current', failure: null, imported: { listOfLists: { sequenceNumber: 301 } } })
  },
)
