import test from 'ava'
import { refusal } from '../../support/credentials/templates.ts'
import type { TrustListAnswer } from '../../support/trust-lists/lists.ts'
import { inHours, loteOf, openListOperator, PID_ISSUANCE } from '../../support/trust-lists/lote.ts'
import { lotlOf } from '../../support/trust-lists/lotl.ts'
import { type LotlWorld, openLotlWorld } from '../../support/trust-lists/lotl.world.ts'

const LOTL_TYPE = 'http://uri.etsi.org/19602/LoTLType/EUListOfTrustedLists'

type Operator = Awaited<ReturnType<typeof openListOperator>>

let here: LotlWorld
let commission: Operator
let registry: Operator
let stranger: Operator
test.before(async () => {
  here = await openLotlWorld()
  commission = await openListOperator()
  registry = await openListOperator()
  stranger = await openListOperator()
})
test.after.always(() => here?.close())

const base64Of = (pem: string): string => pem.replaceAll(/-----[A-Z ]+-----|\s/g, '')

const pointerTo = (location: unknown, certificates: string[]) => ({
  LoTELocation: location,
  ServiceDigitalIdentities: certificates.map((pem) => ({ X509Certificates: [{ val: base64Of(pem) }] })),
  LoTEQualifiers: [{ LoTEType: 'http://uri.etsi.org/19602/LoTEType/EUPIDProvidersList', MimeType: 'application/jwt' }],
})

/** A list in JSON of a tenant of its own, and its list of lists. */
async function places() {
  const { lists, listUrl, listPath, lotlUrl, lotlPath } = await here.places()
  const pointer = (certificates = [registry.signer]) => pointerTo(listUrl, certificates)
  const source = (more: object = {}) => ({
    ...{ format: 'ts-119-602', url: listUrl, serviceTypes: [PID_ISSUANCE] },
    listOfLists: { url: lotlUrl, signers: [commission.signer] },
    ...more,
  })
  const lotl = (pointers: unknown, scheme: object = {}) =>
    loteOf([], { LoTEType: LOTL_TYPE, LoTESequenceNumber: 300, PointersToOtherLoTE: pointers, ...scheme })
  return {
    ...{ lists, listUrl, lotlUrl, lotlPath, pointer, source, lotl },
    async publishLotl(pointers: unknown, scheme: object = {}, by = commission) {
      here.names.elsewhere.set(lotlPath, await by.sign(lotl(pointers, scheme)))
    },
    async publishList(scheme: object = {}, by = registry) {
      const list = loteOf([{ certificates: [here.one.certificatePem] }], scheme)
      here.names.elsewhere.set(listPath, await by.sign(list))
    },
    create: (more: object = {}) => lists.create({ name: 'PID', formats: ['mobile'], source: source(more) }),
  }
}

type Places = Awaited<ReturnType<typeof places>>

test('a list in JSON is verified by the signers that a list of lists in JSON names (D-869)', async (t) => {
  const at = await places()
  const elsewhere = pointerTo('https://lists.example/other.jwt', [stranger.signer])
  await at.publishLotl([elsewhere, at.pointer([stranger.expiredSigner, registry.signer, registry.signer])])
  await at.publishList()
  const reply = await at.create()
  t.is(reply.status, 201, reply.text)
  const { id, ...made } = reply.json<TrustListAnswer>()
  t.like(made, { state: 'current', entryCount: 1, imported: { listOfLists: { sequenceNumber: 300, signers: 2 } } })
  await at.publishLotl([at.pointer([stranger.signer])], { LoTESequenceNumber: 301 })
  t.is(refusal(await at.lists.refresh(id), 400), 'trust_list.source_signature')
  await at.publishLotl([at.pointer()])
  t.is(refusal(await at.lists.refresh(id), 400), 'trust_list.lotl_older', 'it is known, whatever came of it (D-862)')
  await at.publishLotl([at.pointer()], { LoTESequenceNumber: 302, SchemeExtensions: [{ critical: true }] })
  t.is(refusal(await at.lists.refresh(id), 400), 'trust_list.lotl_extension')
  await at.publishLotl([at.pointer()], { LoTESequenceNumber: 301 })
  t.is(refusal(await at.lists.refresh(id), 400), 'trust_list.lotl_older', 'and whatever it says (D-1020)')
  await at.publishLotl([at.pointer()], { LoTESequenceNumber: 303, NextUpdate: null })
  await at.lists.refresh(id)
  t.like((await at.lists.read(id)).json<TrustListAnswer>(), {
    ...{ entryCount: 0, failure: { code: 'trust_list.lotl_closed' } },
    imported: { listOfLists: { sequenceNumber: 303, nextUpdate: null } },
  })
})

test('a file in JSON is verified by the signers of its location', async (t) => {
  const at = await places()
  const location = 'http://www.lists.example/pid.jwt'
  await at.publishLotl([pointerTo(location, [registry.signer])], { LoTEType: 'https://a.example/EUlistofthelists' })
  const list = loteOf([{ certificates: [here.one.certificatePem] }])
  const by = (document: string) =>
    at.create({ url: null, document, listOfLists: { ...at.source().listOfLists, location } })
  t.is(refusal(await by(JSON.stringify(list)), 400), 'trust_list.source_signature')
  t.is(refusal(await by(await stranger.sign(list)), 400), 'trust_list.source_signature')
  t.is((await by(await registry.sign(list))).status, 201)
})

const WRONG: [what: string, publish: (at: Places) => Promise<void> | void, code: string][] = [
  ['somebody else’s signature', (at) => at.publishLotl([at.pointer()], {}, stranger), 'lotl_signature'],
  [
    'no signature',
    (at) => void here.names.elsewhere.set(at.lotlPath, JSON.stringify(at.lotl([at.pointer()]))),
    'lotl_signature',
  ],
  ['XML', (at) => void here.names.elsewhere.set(at.lotlPath, here.commission.signNow(lotlOf([]))), 'lotl_signature'],
  ['no pointers', (at) => at.publishLotl(undefined), 'lotl_no_pointer'],
  ['null in place of pointers', (at) => at.publishLotl(null), 'lotl_no_pointer'],
  [
    'a pointer to almost the same location',
    (at) => at.publishLotl([pointerTo(`${at.listUrl}?`, [registry.signer]), pointerTo(7, [])]),
    'lotl_no_pointer',
  ],
  ['two pointers', (at) => at.publishLotl([at.pointer(), at.pointer()]), 'lotl_ambiguous'],
  ['a pointer without certificates', (at) => at.publishLotl([at.pointer([])]), 'lotl_no_signer'],
  ['a pointer to an expired signer', (at) => at.publishLotl([at.pointer([registry.expiredSigner])]), 'lotl_no_signer'],
  [
    'a pointer with 51 certificates',
    (at) => at.publishLotl([at.pointer(Array.from({ length: 51 }, (_, each) => `${each}AAA`))]),
    'lotl_no_signer',
  ],
  ['pointers that are no list', (at) => at.publishLotl(at.pointer()), 'lotl_invalid'],
  [
    'certificates that are no list',
    (at) => at.publishLotl([{ ...at.pointer(), ServiceDigitalIdentities: [{ X509Certificates: 'none' }] }]),
    'lotl_invalid',
  ],
  ['no next update', (at) => at.publishLotl([at.pointer()], { NextUpdate: undefined }), 'lotl_invalid'],
  ['the next update long ago', (at) => at.publishLotl([at.pointer()], { NextUpdate: inHours(-25) }), 'lotl_expired'],
  ['null as its next update', (at) => at.publishLotl([at.pointer()], { NextUpdate: null }), 'lotl_closed'],
  [
    'the type of a list of entities',
    (at) => at.publishLotl([at.pointer()], { LoTEType: 'http://uri.etsi.org/19602/LoTEType/EUPIDProvidersList' }),
    'lotl_invalid',
  ],
  ['no type', (at) => at.publishLotl([at.pointer()], { LoTEType: undefined }), 'lotl_invalid'],
  [
    'a critical extension',
    (at) => at.publishLotl([at.pointer()], { SchemeExtensions: [{ Critical: true }] }),
    'lotl_extension',
  ],
  [
    'an issue date of the future',
    (at) => at.publishLotl([at.pointer()], { ListIssueDateTime: inHours(2) }),
    'lotl_invalid',
  ],
]

for (const [what, publish, code] of WRONG)
  test(`a list of lists in JSON with ${what} is refused (${code})`, async (t) => {
    const at = await places()
    await publish(at)
    await at.publishList()
    const reply = await at.create()
    t.is(refusal(reply, 400), `trust_list.${code}`, reply.text)
    t.is((await at.lists.list()).json<{ totalCount: number }>().totalCount, 0)
  })
