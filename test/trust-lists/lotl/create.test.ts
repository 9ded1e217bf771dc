import test from 'ava'
import { refusal } from '../../support/credentials/templates.ts'
import type { TrustListAnswer } from '../../support/trust-lists/lists.ts'
import { inHours } from '../../support/trust-lists/lote.ts'
import { LOTL_TYPE, lotlOf } from '../../support/trust-lists/lotl.ts'
import { type LotlWorld, openLotlWorld } from '../../support/trust-lists/lotl.world.ts'
import { tslOf } from '../../support/trust-lists/tsl.ts'

let here: LotlWorld
test.before(async () => {
  here = await openLotlWorld()
})
test.after.always(() => here?.close())

type Places = Awaited<ReturnType<LotlWorld['places']>>

const errorsOf = (reply: { json<T>(): T }) =>
  reply.json<{ errors: { path: string; code: string }[] }>().errors.map(({ path, code }) => [path, code])

test('a national list is verified by the signers that the list of the lists names (D-860)', async (t) => {
  const at = await here.places()
  const [lotl = ''] = await here.commission.signAll([
    {
      xml: lotlOf(
        [
          at.pointer({ location: 'https://lists.example/be.xml', certificates: [here.stranger.signer] }),
          at.pointer({ certificates: [here.stranger.expiredSigner, here.austria.signer] }),
        ],
        { next: `<dateTime>${inHours(48)}</dateTime>` },
      ),
    },
  ])
  here.names.elsewhere.set(at.lotlPath, lotl)
  const list = tslOf([{ services: [{ certificates: [here.one.certificatePem] }] }])
  here.names.elsewhere.set(at.listPath, await here.austria.sign(list))
  const reply = await here.create(at)
  t.is(reply.status, 201, reply.text)
  const { id, source, imported, ...created } = reply.json<TrustListAnswer>()
  t.like(created, { state: 'current', entryCount: 1, failure: null })
  const named = { url: at.lotlUrl, signers: [here.commission.signer] }
  t.deepEqual(source?.listOfLists, { ...named, location: null, followPivots: false })
  t.deepEqual(source?.signers, [])
  t.like(imported, { sequenceNumber: 41, listOfLists: { sequenceNumber: 300, signers: 2 } })
  const over = Date.parse(imported?.listOfLists?.nextUpdate ?? '') + 24 * 3_600_000
  t.is(Date.parse(created.staleAt ?? ''), over, 'the earlier of both next updates, and its grace')
  t.deepEqual((await at.lists.read(id)).json(), reply.json())
})

/** Each with a source that is new: nothing is stored. */
const REFUSED: [what: string, publish: (at: Places) => void, code: string, source?: () => object][] = [
  [
    'a list of lists that somebody else signed',
    (at) => at.publishLotl([at.pointer()], {}, here.stranger),
    'lotl_signature',
  ],
  [
    'a list of lists whose signer has expired',
    (at) => at.publishLotl([at.pointer()]),
    'lotl_signature',
    () => ({ signers: [here.commission.expiredSigner] }),
  ],
  [
    'a list of lists without a signature',
    (at) => here.names.elsewhere.set(at.lotlPath, lotlOf([at.pointer()])),
    'lotl_signature',
  ],
  ['no pointer', (at) => at.publishLotl([at.pointer({ location: `${at.listUrl}2` })]), 'lotl_no_pointer'],
  ['two pointers with its location', (at) => at.publishLotl([at.pointer(), at.pointer()]), 'lotl_ambiguous'],
  ['a pointer without certificates', (at) => at.publishLotl([at.pointer({ certificates: [] })]), 'lotl_no_signer'],
  [
    'a pointer to signers who have all expired',
    (at) => at.publishLotl([at.pointer({ certificates: [here.austria.expiredSigner] })]),
    'lotl_no_signer',
  ],
  [
    'a list of lists that is over',
    (at) => at.publishLotl([at.pointer()], { next: `<dateTime>${inHours(-25)}</dateTime>` }),
    'lotl_expired',
  ],
  ['a list of lists of the future', (at) => at.publishLotl([at.pointer()], { issued: inHours(2) }), 'lotl_invalid'],
  ['a list of lists that is closed', (at) => at.publishLotl([at.pointer()], { next: '' }), 'lotl_closed'],
  [
    'a critical extension of the list of lists',
    (at) =>
      at.publishLotl([at.pointer()], {
        more: '<SchemeExtensions><Extension Critical="true"><x:Other xmlns:x="urn:x"/></Extension></SchemeExtensions>',
      }),
    'lotl_extension',
  ],
  [
    'a list of services in place of the list of lists',
    (at) => at.publishLotl([at.pointer()], { type: LOTL_TYPE.replace('listofthelists', 'generic') }),
    'lotl_invalid',
  ],
  ['a list of lists that is nowhere', () => undefined, 'lotl_unavailable'],
  [
    'a list of lists at a private address',
    () => undefined,
    'lotl_unavailable',
    () => ({ url: 'https://10.0.0.1/lotl.xml' }),
  ],
  [
    'a list of lists without end',
    (at) => here.names.elsewhere.set(at.lotlPath, 'a'.repeat(9 * 1024 * 1024)),
    'lotl_unavailable',
  ],
  [
    'a list of lists of more elements than one has',
    (at) => at.publishLotl([at.pointer()], { more: `<b>${'<a/>'.repeat(1_999)}</b>`.repeat(60) }),
    'lotl_invalid',
  ],
  [
    'a list of lists that takes too much to be read',
    (at) => {
      const attributes = Array.from({ length: 12 }, (_, each) => `a${each}=""`).join(' ')
      const filling = `<b>${`<a ${attributes}/>`.repeat(1_900)}</b>`.repeat(45)
      const signed = here.commission.signNow(lotlOf([at.pointer()]))
      here.names.elsewhere.set(at.lotlPath, signed.replace('<SchemeInformation>', `${filling}$&`))
    },
    'lotl_too_complex',
  ],
  [
    'a national list that is signed by nobody whom the pointer names',
    (at) => {
      at.publishLotl([at.pointer()])
      at.publishList([here.one.certificatePem], {}, here.stranger)
    },
    'source_signature',
  ],
  [
    'a national list that the signer of the list of lists signed',
    (at) => {
      at.publishLotl([at.pointer()])
      at.publishList([here.one.certificatePem], {}, here.commission)
    },
    'source_signature',
  ],
  [
    'a national list without a signature',
    (at) => {
      at.publishLotl([at.pointer()])
      const list = tslOf([{ services: [{ certificates: [here.one.certificatePem] }] }])
      here.names.elsewhere.set(at.listPath, list)
    },
    'source_signature',
  ],
]

for (const [what, publish, code, lists] of REFUSED)
  test.serial(`with ${what} no list is made (${code})`, async (t) => {
    const at = await here.places()
    at.publishList([here.one.certificatePem])
    publish(at)
    const listOfLists = { ...at.source().listOfLists, ...lists?.() }
    const reply = await here.create(at, { listOfLists })
    t.is(refusal(reply, 400), `trust_list.${code}`, reply.text)
    if (code.startsWith('lotl_')) t.regex(reply.json<{ detail: string }>().detail, /list of (the )?lists|pointer/i)
    t.is((await at.lists.list()).json<{ totalCount: number }>().totalCount, 0)
  })

test('a list at another address than its location is found by the location, which is as the list of lists has it', async (t) => {
  const at = await here.places()
  const location = 'http://www.lists.example/tl/at.xml'
  at.publishLotl([at.pointer({ location })])
  at.publishList([here.one.certificatePem])
  t.is(refusal(await here.create(at), 400), 'trust_list.lotl_no_pointer')
  const listOfLists = { ...at.source().listOfLists, location }
  const reply = await here.create(at, { listOfLists })
  t.is(reply.status, 201, reply.text)
  t.deepEqual(reply.json<TrustListAnswer>().source?.listOfLists, { ...listOfLists, followPivots: false })
})

test('a file is verified by the signers of a location of the list of lists, and needs their signature (D-860)', async (t) => {
  const at = await here.places()
  at.publishLotl([at.pointer()])
  const withDocument = (document: string, location: string | undefined = at.listUrl) =>
    here.create(at, { url: null, document, listOfLists: { ...at.source().listOfLists, ...(location && { location }) } })
  const good = at.list([here.one.certificatePem])
  t.deepEqual(errorsOf(await withDocument(good, '')), [['source.listOfLists.location', 'required']])
  const unsigned = tslOf([{ services: [{ certificates: [here.one.certificatePem] }] }])
  for (const wrong of [unsigned, at.list([here.one.certificatePem], {}, here.stranger)])
    t.is(refusal(await withDocument(wrong), 400), 'trust_list.source_signature')
  const reply = await withDocument(good)
  t.is(reply.status, 201, reply.text)
  t.like(reply.json<TrustListAnswer>(), {
    ...{ nextRefreshAt: null, entryCount: 1, source: { url: null } },
    imported: { listOfLists: { sequenceNumber: 300, signers: 1 } },
  })
})

test('a source with a list of lists that does not fit is refused at its place, before anything is read', async (t) => {
  const at = await here.places()
  const { listOfLists } = at.source()
  const cases: [source: object, place: string, code: string][] = [
    [{ signers: [here.austria.signer] }, 'source.signers', 'variant'],
    [{ listOfLists: { ...listOfLists, signers: [] } }, 'source.listOfLists.signers', 'required'],
    [{ listOfLists: { ...listOfLists, signers: ['none'] } }, 'source.listOfLists.signers.0', 'pem'],
    [{ listOfLists: null }, 'source.signers', 'required'],
    [{ listOfLists: { ...listOfLists, url: 'http://lists.example/lotl.xml' } }, 'source.listOfLists.url', 'not_https'],
  ]
  for (const [source, place, code] of cases) {
    const reply = await here.create(at, source)
    t.is(refusal(reply, 400), 'trust_list.invalid', reply.text)
    t.deepEqual(errorsOf(reply), [[place, code]])
  }
  const twice = { ...listOfLists, signers: [here.commission.signer, here.commission.signer] }
  t.is((await here.create(at, { listOfLists: twice })).status, 400)
  for (const location of ['', 'at.xml', 'https://a.example/a b', `https://a.example/${'a'.repeat(2_000)}`])
    t.is((await here.create(at, { listOfLists: { ...listOfLists, location } })).status, 400, location.slice(0, 40))
})

test('a source that named its signers takes them from a list of lists from then on, and back', async (t) => {
  const at = await here.places()
  at.publishLotl([at.pointer()])
  at.publishList([here.one.certificatePem])
  const own = at.source({ signers: [here.austria.signer], listOfLists: null })
  const made = await at.lists.create({ name: 'QEAA', formats: ['mobile'], source: own })
  t.is(made.status, 201, made.text)
  const { id, ...list } = made.json<TrustListAnswer>()
  t.like(list, { source: { listOfLists: null }, imported: { listOfLists: null } })
  const changed = (await at.lists.update(id, { source: at.source() })).json<TrustListAnswer>()
  t.like(changed, {
    source: { signers: [], listOfLists: { url: at.lotlUrl } },
    imported: { listOfLists: { signers: 1 } },
  })
  const back = (await at.lists.update(id, { source: own })).json<TrustListAnswer>()
  t.like(back, { source: { listOfLists: null }, imported: { listOfLists: null } })
})
