import test from 'ava'
import { createActivities } from '../../activities/index.ts'
import { makeForeignIaca } from '../support/credentials/mobile.issuers.ts'
import { refusal } from '../support/credentials/templates.ts'
import { type Names, openNames } from '../support/frame/names.ts'
import { type TrustListAnswer, trustListsOf } from '../support/trust-lists/lists.ts'
import { inHours, newPath } from '../support/trust-lists/lote.ts'
import {
  historyOf,
  openXmlOperator,
  QEAA,
  type Signing,
  svcStatus,
  TIMESTAMPS,
  tslOf,
} from '../support/trust-lists/tsl.ts'
import { openWorld, type World } from '../support/world.ts'

const HOUR_MS = 3_600_000

let names: Names
let world: World
let ec: Awaited<ReturnType<typeof openXmlOperator>>
let one: string
let other: string
let third: string
test.before(async () => {
  names = await openNames()
  world = await openWorld({ env: names.env })
  names.platform.apiPort = world.config.port
  ec = await openXmlOperator()
  one = (await makeForeignIaca()).certificatePem
  other = (await makeForeignIaca({ commonName: 'Another' })).certificatePem
  third = (await makeForeignIaca({ commonName: 'A third' })).certificatePem
})
test.after.always(async () => {
  await world?.close()
  await names?.close()
})

const sourceOf = (more: object) => ({
  ...{ format: 'ts-119-612', signers: [ec.signer], serviceTypes: [QEAA] },
  ...more,
})

/** In a tenant of its own, which has room for it. */
async function importing(source: object) {
  const lists = trustListsOf(world, await world.tokenOf(await world.addTenant()))
  return { lists, reply: await lists.create({ name: 'QEAA', formats: ['mobile'], source: sourceOf(source) }) }
}

test('a trusted list in XML is imported: services of the types that are granted now, with the names of their providers', async (t) => {
  const subject = '<DigitalId><X509SubjectName>CN=The same</X509SubjectName></DigitalId>'
  const list = tslOf([
    {
      services: [
        { certificates: [one, other], identities: subject },
        { certificates: [third], status: svcStatus('withdrawn'), more: historyOf({ certificates: [third] }) },
        { certificates: [third], since: inHours(1) },
        { certificates: [third], type: TIMESTAMPS },
      ],
    },
    { name: 'A company', services: [{ identities: '<DigitalId><X509SKI>AAAA</X509SKI></DigitalId>' }] },
  ])
  const { lists, reply } = await importing({ document: await ec.sign(list) })
  t.is(reply.status, 201, reply.text)
  const created = reply.json<TrustListAnswer>()
  t.deepEqual(
    created.entries.map(({ name, certificate }) => [name, certificate === null]),
    [
      ['The registry', false],
      ['The registry', false],
    ],
  )
  t.like(created, {
    state: 'current',
    entryCount: 2,
    imported: { type: 'http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUgeneric', sequenceNumber: 41, skipped: 1 },
    source: { format: 'ts-119-612', url: null, serviceTypes: [QEAA] },
  })
  const unsigned = await lists.update(created.id, {
    source: sourceOf({ document: list, signers: [], serviceTypes: [TIMESTAMPS] }),
  })
  t.like(unsigned.json<TrustListAnswer>(), { entryCount: 1, source: { signers: [] } }, 'the caller vouches for it')
})

test('a list of this machine is read where its addresses are in an allowed range (docs/trust-lists.md)', async (t) => {
  const path = newPath()
  names.elsewhere.set(path, await ec.sign(tslOf([{ services: [{ certificates: [one] }] }])))
  const { reply } = await importing({ url: `https://localhost:${names.port}${path}` })
  t.is(reply.status, 201, reply.text)
})

/** RFC 9231 and XML Signature 1.1, as SignXML has them. */
const SIGNINGS: [kind: 'ec' | 'rsa', signing: Signing][] = [
  ['ec', { algorithm: 'ECDSA_SHA384', digest: 'SHA384' }],
  ['ec', { algorithm: 'ECDSA_SHA512', digest: 'SHA512' }],
  ['rsa', {}],
  ['rsa', { algorithm: 'RSA_SHA384' }],
  ['rsa', { algorithm: 'RSA_SHA512', digest: 'SHA512' }],
  ['rsa', { algorithm: 'SHA256_RSA_MGF1' }],
  ['rsa', { algorithm: 'SHA512_RSA_MGF1', digest: 'SHA384' }],
]

test('signatures of another implementation verify by each algorithm that is taken', async (t) => {
  const rsa = await openXmlOperator('rsa')
  const xml = tslOf([{ services: [{ certificates: [one] }] }])
  for (const kind of ['ec', 'rsa'] as const) {
    const operator = kind === 'ec' ? ec : rsa
    const signings = SIGNINGS.flatMap(([of, signing]) => (of === kind ? [{ xml, ...signing }] : []))
    for (const [at, document] of (await operator.signAll(signings)).entries()) {
      const { reply } = await importing({ document, signers: [ec.signer, rsa.signer] })
      t.is(reply.status, 201, `${JSON.stringify(signings[at]?.algorithm)} ${reply.text}`)
    }
  }
})

test('a signer whose certificate has expired, or of another list, is refused', async (t) => {
  const document = await ec.sign(tslOf([{ services: [{ certificates: [one] }] }]))
  for (const signers of [[ec.expiredSigner], [one]])
    t.is(refusal((await importing({ document, signers })).reply, 400), 'trust_list.source_signature')
  const json = await importing({ document, format: 'ts-119-602' })
  t.is(refusal(json.reply, 400), 'trust_list.source_signature', 'the format is the one that the source names')
})

test('a list in XML with no service of the types in force, or over, or of the future, is refused', async (t) => {
  const none = tslOf([{ services: [{ certificates: [one], status: svcStatus('withdrawn') }] }])
  const over = tslOf([{ services: [{ certificates: [one] }] }], { next: `<dateTime>${inHours(-48)}</dateTime>` })
  const future = tslOf([{ services: [{ certificates: [one] }] }], { issued: inHours(2) })
  const stateless = tslOf([{ services: [{ certificates: [one], status: null }] }])
  const codes: string[] = []
  for (const document of await ec.signAll([none, over, future, stateless].map((xml) => ({ xml }))))
    codes.push(refusal((await importing({ document })).reply, 400))
  t.deepEqual(
    codes,
    ['source_empty', 'source_expired', 'source_invalid', 'source_invalid'].map((code) => `trust_list.${code}`),
  )
})

test('a list in XML of a URL is read again by the schedule; one with an older sequence number is refused', async (t) => {
  const path = newPath()
  const listOf = (certificate: string, sequence: string) =>
    tslOf([{ services: [{ certificates: [certificate] }] }], { sequence })
  const [first = '', older = '', newer = ''] = await ec.signAll([
    { xml: listOf(one, '41') },
    { xml: listOf(other, '40') },
    { xml: listOf(other, '42') },
  ])
  names.elsewhere.set(path, first)
  const { lists, reply } = await importing({ url: `https://elsewhere.test:${names.port}${path}` })
  t.is(reply.status, 201, reply.text)
  const { id } = reply.json<TrustListAnswer>()
  const read = async () => (await lists.read(id)).json<TrustListAnswer>()
  const pass = (hours: number) => {
    const now = () => new Date(Date.now() + hours * HOUR_MS)
    return createActivities({ ...world.dependencies, now }).refreshTrustLists()
  }
  names.elsewhere.set(path, older)
  await pass(7)
  t.like(await read(), {
    state: 'failing',
    failure: { code: 'trust_list.source_older' },
    imported: { sequenceNumber: 41 },
  })
  names.elsewhere.set(path, newer)
  await pass(8)
  const { entries, ...after } = await read()
  t.like(after, { state: 'current', failure: null, imported: { sequenceNumber: 42 } })
  t.is(entries[0]?.certificate?.trim(), other.trim())
})

test('a list of 5 MB, as that of a large country, is read in a thread', async (t) => {
  const path = newPath()
  const provider = {
    services: Array.from({ length: 12 }, () => ({ type: TIMESTAMPS, certificates: [one, other, third] })),
  }
  const big = tslOf([...Array.from({ length: 180 }, () => provider), { services: [{ certificates: [one] }] }])
  t.true(big.length > 5_000_000, String(big.length))
  names.elsewhere.set(path, await ec.sign(big))
  const { reply } = await importing({ url: `https://elsewhere.test:${names.port}${path}` })
  t.is(reply.status, 201, reply.text)
  t.is(reply.json<TrustListAnswer>().entryCount, 1)
})

test('a list that takes too much to be read ends with a refusal, and the platform goes on', async (t) => {
  const path = newPath()
  const signed = await ec.sign(tslOf([{ services: [{ certificates: [one] }] }]))
  const attributes = Array.from({ length: 12 }, (_, at) => `a${at}=""`).join(' ')
  const filling = `<b>${`<a ${attributes}/>`.repeat(1_900)}</b>`.repeat(45)
  names.elsewhere.set(path, signed.replace('<SchemeInformation>', `${filling}$&`))
  const { lists, reply } = await importing({ url: `https://elsewhere.test:${names.port}${path}` })
  t.is(refusal(reply, 400), 'trust_list.source_too_complex', reply.text)
  t.is((await lists.list()).status, 200)
})
