import test from 'ava'
import { Refusal } from '../../protocol/errors.ts'
import { readEtsiList } from '../../protocol/trust-lists/etsi/read.ts'
import {
  ENVELOPED,
  EXCLUSIVE,
  type OtherSigning,
  openXmlOperator,
  RSA_SHA256,
  type Scheme,
  signOtherwise as signBy,
  tslOf,
} from '../support/trust-lists/tsl.ts'

type Operator = Awaited<ReturnType<typeof openXmlOperator>>

let operator: Operator
let stranger: Operator
let good: string
let strange: string
let bySchemes: Map<Scheme, string>

const listOf = (scheme: Scheme = {}) => tslOf([{ services: [{ certificates: [operator.signer] }] }], scheme)

/** Each is signed as it ought to be. Its message, and what is wrong in it. */
const SCHEMES: [what: string, scheme: Scheme, message: RegExp][] = [
  ['another namespace', { namespace: 'http://uri.etsi.org/02231/v3#' }, /root of the list is not/],
  ['another root', { root: 'TrustList' }, /root of the list is not the TrustServiceStatusList/],
  ['a version that nobody knows', { version: '7' }, /TSLVersionIdentifier of the list is none of/],
  ['a sequence number that is none', { sequence: '-1' }, /TSLSequenceNumber of the list is no whole number/],
  ['an empty sequence number', { sequence: ' ' }, /TSLSequenceNumber of the list is no text/],
  [
    'two sequence numbers',
    { more: '<TSLSequenceNumber>99</TSLSequenceNumber>' },
    /has TSLSequenceNumber twice in one SchemeInformation/,
  ],
  ['a time of issue that is none', { issued: 'today' }, /ListIssueDateTime of the list is no time/],
  ['a next update that is none', { next: '<dateTime>2027-02-30</dateTime>' }, /NextUpdate of the list is no time/],
]

test.before(async () => {
  operator = await openXmlOperator('rsa')
  stranger = await openXmlOperator('rsa')
  const schemes = SCHEMES.map(([, scheme]) => scheme)
  const [first = '', ...others] = await operator.signAll([
    { xml: listOf() },
    ...schemes.map((of) => ({ xml: listOf(of) })),
  ])
  good = first
  bySchemes = new Map(schemes.map((scheme, at) => [scheme, others[at] ?? '']))
  strange = await stranger.sign(listOf())
})

const read = (text: string, signers: string[] | undefined = [operator.signer]) =>
  readEtsiList({ format: 'ts-119-612', text, signers })

async function refusalOf(text: string, signers?: string[]): Promise<[code: string, message: string]> {
  const error: unknown = await read(text, signers).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return error instanceof Refusal ? [error.code, error.message] : ['none', String(error)]
}

const signOtherwise = (xml: string, signing: OtherSigning) => signBy(operator.key, xml, signing)

const whole = '/*'
const BOMB = `<!DOCTYPE b [<!ENTITY a0 "ha">${Array.from({ length: 30 }, (_, at) => `<!ENTITY a${at + 1} "&a${at};&a${at};">`).join('')}]>`

const head = (declared: string) => listOf().replace(/^<\?xml[^>]*\?>/, declared)
const inRoot = (xml: string, more: string) => xml.replace('<SchemeInformation>', `${more}<SchemeInformation>`)
const signatureIn = (xml: string) => /<ds:Signature [\s\S]*<\/ds:Signature>/.exec(xml)?.[0] ?? ''
const unsigned = (xml: string) => xml.replace(signatureIn(xml), '')
const withName = (xml: string) => xml.replaceAll('The registry', 'The impostor')

/** What is no list, whatever it is signed with. */
const INVALID: [what: string, text: () => string, message: RegExp][] = [
  ['nothing', () => '', /must contain a root element/],
  ['a JWS', () => 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln', /text data outside of root node/],
  ['JSON', () => JSON.stringify({ LoTE: {} }), /text data outside of root node/],
  ['a list that is cut off', () => good.slice(0, -30), /unclosed tag|unexpected end/],
  ['two roots', () => `${good}<more/>`, /may contain only one root/],
  [
    'an external entity',
    () => head('<!DOCTYPE TrustServiceStatusList [<!ENTITY x SYSTEM "file:///etc/passwd">]>').replace('>AT<', '>&x;<'),
    /DOCTYPE/,
  ],
  ['a document type elsewhere', () => head('<!DOCTYPE x SYSTEM "https://a.example/x.dtd">'), /DOCTYPE/],
  ['entities of entities (billion laughs)', () => head(BOMB).replace('>AT<', '>&a30;<'), /DOCTYPE/],
  ['an entity that is nowhere', () => good.replace('>AT<', '>&at;<'), /undefined entity/],
  ['a processing instruction', () => inRoot(good, '<?php x?>'), /processing instruction/],
  ['a prefix that is not bound', () => inRoot(good, '<x:y/>'), /unbound namespace prefix/],
  ['an attribute twice', () => inRoot(good, '<x a="1" a="2"/>'), /duplicate attribute/],
  ['a control character', () => good.replace('>AT<', '>A\u0001T<'), /disallowed character/],
  ['another version of XML', () => head('<?xml version="1.1"?>'), /another version than 1\.0/],
  ['another encoding', () => head('<?xml version="1.0" encoding="UTF-16"?>'), /not in UTF-8/],
  ['deep nesting', () => inRoot(good, '<a>'.repeat(5_000) + '</a>'.repeat(5_000)), /nested deeper than 64/],
  [
    'elements without end',
    () => inRoot(good, `<b>${'<a/>'.repeat(1_999)}</b>`.repeat(60)),
    /more than 100000 elements/,
  ],
  ['too many side by side', () => inRoot(good, '<a/>'.repeat(2_001)), /more than 2000 others/],
  [
    'too many attributes',
    () => inRoot(good, `<a ${Array.from({ length: 65 }, (_, at) => `a${at}=""`).join(' ')}/>`),
    /more than 64 attributes/,
  ],
]

for (const [what, text, message] of INVALID)
  test(`a list in XML: ${what} is refused (source_invalid)`, async (t) => {
    const [code, detail] = await refusalOf(text())
    t.is(code, 'trust_list.source_invalid', detail)
    t.regex(detail, message)
    t.is((await refusalOf(text(), []))[0], code, 'whoever signed')
  })

for (const [what, scheme, message] of SCHEMES)
  test(`a list in XML that is signed, with ${what}, is refused (source_invalid)`, async (t) => {
    const [code, detail] = await refusalOf(bySchemes.get(scheme) ?? '')
    t.is(code, 'trust_list.source_invalid', detail)
    t.regex(detail, message)
  })

const reference = (more: Partial<{ transforms: string[]; digest: string }> = {}) => ({
  references: [{ xpath: whole, transforms: [ENVELOPED, EXCLUSIVE], ...more }],
})

/** Who signed what, and how: each would let somebody else's content in, or rest on something weak. */
const FORGED: [what: string, text: () => string, message: RegExp][] = [
  ['no signature', listOf, /has no signature/],
  ['another content than the one that was signed', () => withName(good), /another content/],
  [
    'another value of the signature',
    () =>
      good.replace(/(<ds:SignatureValue>)(.)/, (_, tag: string, first: string) => tag + (first === 'A' ? 'B' : 'A')),
    /names a signer of the source, and does not fit/,
  ],
  [
    'the signature of somebody who brings the certificate along',
    () => strange,
    /names another certificate, with the SHA-256/,
  ],
  [
    'two signatures',
    () => good.replace('</TrustServiceStatusList>', `${signatureIn(good)}$&`),
    /more than one signature/,
  ],
  [
    'a signature that is not in its root',
    () => unsigned(good).replace('<SchemeInformation>', `$&${signatureIn(good)}`),
    /not directly in its root/,
  ],
  [
    'the list that was signed inside of another one (signature wrapping)',
    () =>
      withName(listOf())
        .replace('Id="list"', 'Id="other"')
        .replace('</TrustServiceStatusList>', `<x>${unsigned(good)}</x>${signatureIn(good)}$&`),
    /something else than the list/,
  ],
  [
    'the list that was signed inside of its signature (signature wrapping)',
    () =>
      withName(listOf())
        .replace('Id="list"', 'Id="other"')
        .replace(
          '</TrustServiceStatusList>',
          `${signatureIn(good).replace('</ds:Signature>', `<ds:Object>${unsigned(good)}</ds:Object>$&`)}$&`,
        ),
    /transforms a part of itself|not of the list/,
  ],
  ['an Id twice (signature wrapping)', () => inRoot(good, '<x Id="list"/>'), /same Id twice/],
  ['two SignedInfo', () => good.replace(/<ds:SignedInfo>[\s\S]*<\/ds:SignedInfo>/, '$&$&'), /more than one SignedInfo/],
  [
    'a SignedInfo of somebody else besides',
    () => inRoot(good, '<SignedInfo xmlns="urn:x"/>'),
    /more than one SignedInfo/,
  ],
  [
    'two values of the signature',
    () => good.replace(/<ds:SignatureValue>[^<]*<\/ds:SignatureValue>/, '$&$&'),
    /more than one SignatureValue/,
  ],
  [
    'something unknown in its signature',
    () => good.replace('<ds:KeyInfo', '<ds:Manifest/>$&'),
    /unknown element Manifest/,
  ],
  [
    'a reference to another document',
    () => good.replace('URI="#list"', 'URI="https://a.example/list.xml"'),
    /something else than the list/,
  ],
  ['a reference to nothing', () => good.replace('URI="#list"', 'URI="#nothing"'), /something else than the list/],
  ['a reference without address', () => good.replace('URI="#list" ', ''), /something else than the list/],
  [
    'a transform by XPath',
    () =>
      good
        .replace(EXCLUSIVE, 'http://www.w3.org/TR/1999/REC-xpath-19991116')
        .replace(
          `Algorithm="${EXCLUSIVE}"/></ds:Transforms>`,
          'Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"/></ds:Transforms>',
        ),
    /algorithm that is not taken: http:\/\/www\.w3\.org\/TR\/1999\/REC-xpath/,
  ],
  [
    'a transform with parameters',
    () => good.replace(`Algorithm="${ENVELOPED}"/>`, `Algorithm="${ENVELOPED}"><x/></ds:Transform>`),
    /unknown parameters/,
  ],
  [
    'an HMAC',
    () => good.replace(RSA_SHA256, 'http://www.w3.org/2000/09/xmldsig#hmac-sha1'),
    /SignatureMethod .* not taken/,
  ],
  [
    'SHA-1 as its digest',
    () => signOtherwise(listOf(), reference({ digest: 'http://www.w3.org/2000/09/xmldsig#sha1' })),
    /DigestMethod of the signature has an algorithm that is not taken: .*#sha1/,
  ],
  [
    'SHA-1 in its signature',
    () => signOtherwise(listOf(), { algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }),
    /SignatureMethod of the signature has an algorithm that is not taken: .*rsa-sha1/,
  ],
  [
    'comments in what is signed',
    () => signOtherwise(listOf(), reference({ transforms: [ENVELOPED, `${EXCLUSIVE}WithComments`] })),
    /Transform of the signature has an algorithm that is not taken: .*WithComments/,
  ],
  [
    'comments in its SignedInfo',
    () => signOtherwise(listOf(), { canonical: `${EXCLUSIVE}WithComments` }),
    /CanonicalizationMethod of the signature has an algorithm that is not taken/,
  ],
  [
    'a signature of a part',
    () =>
      signOtherwise(listOf().replace('<SchemeInformation>', '<SchemeInformation Id="scheme">'), {
        references: [{ xpath: '/*/*[1]', transforms: [EXCLUSIVE] }],
      }),
    /something else than the list/,
  ],
  [
    'a signature that does not leave itself out',
    () => good.replace(`<ds:Transform Algorithm="${ENVELOPED}"/>`, ''),
    /not of the whole list/,
  ],
  [
    'a signature of the list twice',
    () =>
      signOtherwise(listOf(), {
        references: Array.from({ length: 2 }, () => ({ xpath: whole, transforms: [ENVELOPED, EXCLUSIVE] })),
      }),
    /more than once/,
  ],
  [
    'references without end',
    () =>
      signOtherwise(listOf(), {
        references: Array.from({ length: 6 }, () => ({ xpath: whole, transforms: [ENVELOPED, EXCLUSIVE] })),
      }),
    /more than 5 references/,
  ],
]

for (const [what, text, message] of FORGED)
  test(`a list in XML with ${what} is refused (source_signature)`, async (t) => {
    const [code, detail] = await refusalOf(text())
    t.is(code, 'trust_list.source_signature', detail)
    t.regex(detail, message)
  })

test('no certificate that is valid now: nobody has signed the list', async (t) => {
  t.deepEqual(await refusalOf(good, []), [
    'trust_list.source_signature',
    'No certificate of the signers of the source is valid now.',
  ])
})

test('what the same key signed in the ordinary way is read, by this signer too', async (t) => {
  t.is((await read(signOtherwise(listOf(), {}))).sequence, 41)
  t.is((await read(`\uFEFF\n${good}\n`)).sequence, 41)
})

test('a comment that somebody adds changes nothing of what is read: it is no part of what is signed', async (t) => {
  const [before, after] = [await read(good), await read(good.replace('The registry', 'The <!-- impostor -->registry'))]
  t.deepEqual(after, before)
  t.is(after.services[0]?.entity, 'The registry')
})
