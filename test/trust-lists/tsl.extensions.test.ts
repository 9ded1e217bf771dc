import { constants, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import test from 'ava'
import { Refusal } from '../../protocol/errors.ts'
import { readLote } from '../../protocol/trust-lists/etsi/lote.ts'
import { readEtsiList } from '../../protocol/trust-lists/etsi/read.ts'
import { algorithmsFor } from '../../protocol/trust-lists/etsi/xml/algorithms.ts'
import { loteOf } from '../support/trust-lists/lote.ts'
import { type Scheme, tslOf } from '../support/trust-lists/tsl.ts'

const listOf = (scheme: Scheme = {}) => tslOf([{ services: [{}] }], scheme)

const unsigned = (text: string) => readEtsiList({ format: 'ts-119-612', text, signers: undefined })

test('a list that is closed has no next update', async (t) => {
  const { nextUpdate, isClosed } = await unsigned(listOf({ next: '' }))
  t.deepEqual([nextUpdate, isClosed], [undefined, true])
  t.false((await unsigned(listOf())).isClosed)
})

test('a next update that cannot be read does not close a list: the one before it goes on to count', async (t) => {
  for (const next of [
    '<x:dateTime xmlns:x="urn:x">2100-01-01T00:00:00Z</x:dateTime>',
    '<DateTime>2100-01-01T00:00:00Z</DateTime>',
    '2100-01-01T00:00:00Z',
    '<![CDATA[2100]]>',
    '<dateTime/>',
  ]) {
    const error = await t.throwsAsync(unsigned(listOf({ next })), { instanceOf: Refusal }, next)
    t.is(error?.code, 'trust_list.source_invalid', next)
  }
  for (const next of [' \n\t ', '<!-- closed -->']) t.true((await unsigned(listOf({ next }))).isClosed, next)
})

const extension = (critical: string, content: string) => `<Extension${critical}>${content}</Extension>`
const ofService = (content: string) =>
  tslOf([{ services: [{ extensions: `<ServiceInformationExtensions>${content}</ServiceInformationExtensions>` }] }])
const QUALIFIED = 'http://uri.etsi.org/TrstSvc/SvcInfoExt/eSigDir-1999-93-EC-TrustedList/#'

test('a critical extension that nobody knows has the list refused; one that is known, or not critical, does not', async (t) => {
  const known = [
    '<AdditionalServiceInformation><URI xml:lang="en">http://a.example</URI></AdditionalServiceInformation>',
    '<ExpiredCertsRevocationInfo>2016-01-01T00:00:00Z</ExpiredCertsRevocationInfo>',
    `<q:Qualifications xmlns:q="${QUALIFIED}"/>`,
    '<t:TakenOverBy xmlns:t="http://uri.etsi.org/02231/v2/additionaltypes#"/>',
  ].map((content) => extension(' Critical="true"', content))
  t.is((await unsigned(ofService(known.join('')))).services.length, 1)
  const other = '<x:Other xmlns:x="urn:x"/>'
  for (const critical of ['false', '0', ' false ']) {
    const content = extension(` Critical="${critical}"`, other)
    t.is((await unsigned(ofService(content))).services.length, 1)
    t.is((await unsigned(listOf({ more: `<SchemeExtensions>${content}</SchemeExtensions>` }))).services.length, 1)
  }
  const refused = async (text: string) => {
    const error = await t.throwsAsync(unsigned(text), { instanceOf: Refusal })
    t.is(error?.code, 'trust_list.source_extension', text.slice(0, 2_000))
    return error?.message ?? ''
  }
  for (const critical of [' Critical="true"', ' Critical="1"', ' Critical="TRUE"', ' critical="false"', '']) {
    t.regex(await refused(ofService(extension(critical, other))), /does not know: urn:x Other/)
    await refused(listOf({ more: `<SchemeExtensions>${extension(critical, other)}</SchemeExtensions>` }))
  }
  const [additional = ''] = known
  await refused(ofService(extension(' Critical="true"', '')))
  await refused(ofService(additional.replace('</Extension>', `${other}</Extension>`)))
  const elsewhere = '<x:AdditionalServiceInformation xmlns:x="urn:x"/>'
  await refused(ofService(extension(' Critical="true"', elsewhere)))
  await refused(listOf({ more: `<SchemeExtensions>${additional}</SchemeExtensions>` }))
  const inProvider = `<TSPInformationExtensions>${extension(' Critical="true"', other)}</TSPInformationExtensions></TSPInformation>`
  await refused(listOf().replace('</TSPInformation>', inProvider))
})

test('in JSON an extension is critical that says so by either name, and what is no list of objects is refused', (t) => {
  const inScheme = (extensions: unknown) => loteOf([{}], { SchemeExtensions: extensions })
  const inEntity = (extensions: unknown) => {
    const document = loteOf([{}])
    for (const entity of document.LoTE.TrustedEntitiesList)
      Object.assign(entity.TrustedEntityInformation, { TEInformationExtensions: extensions })
    return document
  }
  const inService = (extensions: unknown) => {
    const document = loteOf([{}])
    for (const { ServiceInformation } of document.LoTE.TrustedEntitiesList.flatMap(
      (each) => each.TrustedEntityServices,
    ))
      Object.assign(ServiceInformation, { ServiceInformationExtensions: extensions })
    return document
  }
  for (const listWith of [inScheme, inEntity, inService]) {
    const codeOf = (extensions: unknown) =>
      t.throws(() => readLote(listWith(extensions)), { instanceOf: Refusal }, JSON.stringify(extensions))?.code
    for (const extensions of [{ critical: true }, 'critical', true, [1], [['critical']], [null]])
      t.is(codeOf(extensions), 'trust_list.source_invalid')
    for (const extension of [
      { Critical: false, critical: true },
      { Critical: 'false', critical: 1 },
      { Critical: true, critical: false },
      { Critical: null },
    ])
      t.is(codeOf([{ Other: 1 }, extension]), 'trust_list.source_extension')
    for (const extensions of [undefined, null, [], [{ Other: 1, Critical: false, critical: 'false' }]])
      t.is(readLote(listWith(extensions)).services.length, 1)
  }
})

test('a key of a signer that may not be used so has not signed, and the next one is tried', (t) => {
  const name = 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1'
  const bound = generateKeyPairSync('rsa-pss', {
    ...{ modulusLength: 2048, hashAlgorithm: 'sha512', mgf1HashAlgorithm: 'sha512' },
  })
  const good = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
  const value = sign('sha256', Buffer.from('signed'), { key: good.privateKey, ...pss })
  t.throws(
    () => verify('sha256', Buffer.from('signed'), { key: bound.publicKey, ...pss }, value),
    undefined,
    'it throws',
  )
  const isBy = (...keys: KeyObject[]) => {
    const Verifier = algorithmsFor(keys, () => undefined).signatures[name]
    if (!Verifier) return undefined
    return new Verifier().verifySignature('signed', bound.publicKey, value.toString('base64'))
  }
  t.false(isBy(bound.publicKey))
  t.true(isBy(bound.publicKey, good.publicKey))
  t.true(isBy(good.publicKey, bound.publicKey))
})
