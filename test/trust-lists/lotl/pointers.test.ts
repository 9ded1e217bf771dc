import test from 'ava'
import { Refusal } from '../../../protocol/errors.ts'
import { readListOfLists } from '../../../protocol/trust-lists/etsi/read.ts'
import { LOTL_TYPE, lotlOf, openSigner, type Pointer, type Signer } from '../../support/trust-lists/lotl.ts'
import { type Scheme, tslOf } from '../../support/trust-lists/tsl.ts'

const HERE = 'https://lists.example/at.xml'

let operator: Signer
let stranger: Signer
test.before(async () => {
  operator = await openSigner()
  stranger = await openSigner()
})

const pointer = (more: Partial<Pointer> = {}): Pointer => ({
  location: HERE,
  certificates: [stranger.signer],
  ...more,
})

const read = (xml: string, location = HERE) =>
  readListOfLists({
    format: 'ts-119-612',
    text: operator.signNow(xml),
    signers: [operator.signer],
    location,
    now: new Date(),
  })

type Unnamed = Pick<Awaited<ReturnType<typeof readListOfLists>>, 'unnamed'>

async function refusalOf(reading: Promise<Unnamed>): Promise<[code: string, message: string]> {
  const error: unknown = await reading.then(
    ({ unnamed }) => unnamed && new Refusal(unnamed.code, unnamed.message),
    (reason: unknown) => reason,
  )
  return error instanceof Refusal ? [error.code, error.message] : ['none', String(error)]
}

const base64Of = (pem: string) => pem.replaceAll(/-----[A-Z ]+-----|\s/g, '')

test('a list of lists names the signers of the list at a location, each once, and of no other one', async (t) => {
  const identity =
    '<ServiceDigitalIdentity><DigitalId><X509SubjectName>CN=A</X509SubjectName></DigitalId></ServiceDigitalIdentity>'
  const { signers, ...list } = await read(
    lotlOf([
      pointer({ location: 'https://lists.example/be.xml', certificates: [operator.signer] }),
      pointer({
        location: ` ${HERE} `,
        certificates: [stranger.signer, operator.signer, stranger.signer],
        identities: identity,
      }),
    ]),
  )
  t.like(list, { type: LOTL_TYPE, sequence: 300, isClosed: false })
  t.deepEqual(signers.map(base64Of), [stranger.signer, operator.signer].map(base64Of))
})

test('lists of lists of other countries have a type of their own', async (t) => {
  const type = 'http://uri.etsi.org/TrstSvc/TrustedList/TSLType/ZZlistofthelists'
  t.is((await read(lotlOf([pointer()], { type }))).signers.length, 1)
})

test('a closed list of lists names nobody', async (t) => {
  t.like(await read(lotlOf([pointer()], { next: '' })), { isClosed: true, signers: [] })
})

const WRONG: [what: string, xml: () => string, code: string, message: RegExp][] = [
  ['no pointers', () => lotlOf([]), 'lotl_no_pointer', /no pointer to https:\/\/lists\.example\/at\.xml/],
  [
    'a pointer to almost the same location',
    () => lotlOf([pointer({ location: `${HERE}?` }), pointer({ location: HERE.toUpperCase() })]),
    'lotl_no_pointer',
    /no pointer/,
  ],
  [
    'two pointers with the same location',
    () => lotlOf([pointer(), pointer({ certificates: [operator.signer] })]),
    'lotl_ambiguous',
    /more than one pointer/,
  ],
  ['two pointers that say the same', () => lotlOf([pointer(), pointer()]), 'lotl_ambiguous', /more than one pointer/],
  [
    'a pointer with two locations',
    () => lotlOf([pointer()]).replace(/<TSLLocation>.*<\/TSLLocation>/, '$&$&'),
    'source_invalid',
    /TSLLocation twice/,
  ],
  [
    'a pointer without certificates',
    () => lotlOf([pointer({ certificates: [] })]),
    'lotl_no_signer',
    /no certificate of its signers/,
  ],
  [
    'a pointer with 51 certificates',
    () =>
      lotlOf([
        pointer({ certificates: Array.from({ length: 51 }, (_, at) => Buffer.from(`${at}`).toString('base64')) }),
      ]),
    'lotl_no_signer',
    /more than 50 certificates/,
  ],
  [
    'certificates of another namespace',
    () =>
      lotlOf([pointer()])
        .replaceAll('<X509Certificate>', '<x:X509Certificate xmlns:x="urn:x">')
        .replaceAll('</X509Certificate>', '</x:X509Certificate>'),
    'lotl_no_signer',
    /no certificate of its signers/,
  ],
  [
    'the type of a list of services',
    () => lotlOf([pointer()], { type: LOTL_TYPE.replace('listofthelists', 'generic') }),
    'source_invalid',
    /EUgeneric, and no list of lists/,
  ],
  ['a list of services in its place', () => tslOf([]), 'source_invalid', /EUgeneric, and no list of lists/],
  [
    'a type that only begins like that of lists of lists',
    () => lotlOf([pointer()], { type: `${LOTL_TYPE}2` }),
    'source_invalid',
    /and no list of lists/,
  ],
  [
    'a critical extension',
    () =>
      lotlOf([pointer()], {
        more: '<SchemeExtensions><Extension Critical="true"><x:Other xmlns:x="urn:x"/></Extension></SchemeExtensions>',
      }),
    'source_extension',
    /does not know: urn:x Other/,
  ],
  ...(
    [
      [{ sequence: '-1' }, /TSLSequenceNumber/],
      [{ issued: 'today' }, /ListIssueDateTime/],
      [{ next: '<dateTime/>' }, /NextUpdate/],
      [{ version: '7' }, /TSLVersionIdentifier/],
      [{ root: 'LOTL' }, /root of the list/],
    ] satisfies [Scheme, RegExp][]
  ).map(([scheme, message]): [string, () => string, string, RegExp] => [
    JSON.stringify(scheme),
    () => lotlOf([pointer()], scheme),
    'source_invalid',
    message,
  ]),
]

for (const [what, xml, code, message] of WRONG)
  test(`a list of lists that is signed, with ${what}, is refused`, async (t) => {
    const [refused, detail] = await refusalOf(read(xml()))
    t.is(refused, `trust_list.${code}`, detail)
    t.regex(detail, message)
  })

test('who signs a list of lists is who its source names, and no one else', async (t) => {
  const good = operator.signNow(lotlOf([pointer()]))
  const by = (text: string, signers: string[]) =>
    refusalOf(readListOfLists({ format: 'ts-119-612', text, signers, location: HERE, now: new Date() }))
  const signature = 'trust_list.source_signature'
  t.is((await by(good, [stranger.signer]))[0], signature)
  t.is((await by(good, []))[0], signature, 'nobody is no permission')
  t.is((await by(lotlOf([pointer()]), [operator.signer]))[0], signature, 'without a signature')
  const other = good.replaceAll(base64Of(stranger.signer), base64Of(operator.signer))
  t.not(other, good)
  t.is((await by(other, [operator.signer]))[0], signature, 'with another certificate in its pointer')
  t.is((await by(good, [stranger.signer, operator.signer]))[0], 'none')
})
