import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'
import test from 'ava'
import { CompactSign } from 'jose'
import { Refusal } from '../../protocol/errors.ts'
import { bytesOfPem } from '../../protocol/mobile-credentials/certificates.read.ts'
import { type ListText, readEtsiList } from '../../protocol/trust-lists/etsi/read.ts'
import { loteOf, openListOperator } from '../support/trust-lists/lote.ts'
import { openXmlOperator, signOtherwise, tslOf } from '../support/trust-lists/tsl.ts'

type JsonOperator = Awaited<ReturnType<typeof openListOperator>>
type XmlOperator = Awaited<ReturnType<typeof openXmlOperator>>

let json: JsonOperator
let otherJson: JsonOperator
let xml: XmlOperator
let otherXml: XmlOperator
let signedXml: string
test.before(async () => {
  json = await openListOperator()
  otherJson = await openListOperator()
  xml = await openXmlOperator('rsa')
  otherXml = await openXmlOperator('rsa')
  signedXml = await xml.sign(tslOf([{ services: [] }]))
})

type Cause = [cause: string, text: () => string | Promise<string>, message: () => string, who?: () => object]

const KEY_PAIRS: Readonly<Record<string, { privateKey: KeyObject; publicKey: KeyObject }>> = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  Ed25519: generateKeyPairSync('ed25519'),
}

const list = () => loteOf([{ ids: ['did:web:issuer.example'] }])

const fingerprintOf = (pem: string) =>
  createHash('sha256')
    .update(bytesOfPem(pem) ?? '')
    .digest('hex')

async function refusalOf(text: ListText): Promise<[code: string, message: string]> {
  try {
    await readEtsiList(text)
  } catch (error) {
    if (error instanceof Refusal) return [error.code, error.message]
    throw error
  }
  throw new Error('the list was read')
}

/** The same JWS over another content. */
async function changed(): Promise<string> {
  const parts = (await json.sign(list())).split('.')
  return parts.with(1, Buffer.from(JSON.stringify(loteOf([]))).toString('base64url')).join('.')
}

/** Signed with another algorithm than those of the signers. */
const signedBy = (alg: string) => {
  const { privateKey } = KEY_PAIRS[alg] ?? {}
  if (!privateKey) throw new Error(`no key for ${alg}`)
  return new CompactSign(Buffer.from(JSON.stringify(list()))).setProtectedHeader({ alg }).sign(privateKey)
}

/** Each cause with its own sentence, whose beginning no other one has. */
const JSON_CAUSES: Cause[] = [
  ['no signature', () => JSON.stringify(list()), () => 'The list is JSON without a signature'],
  ['no JWS', () => 'a.b', () => 'The list is no compact JWS: expected three parts'],
  [
    'an algorithm that is not taken',
    async () => `${Buffer.from('{"alg":"none"}').toString('base64url')}.${(await changed()).split('.')[1]}.`,
    () => 'The algorithm of the signature is not taken: none. Expected one of ES256,',
  ],
  [
    'an algorithm that is no text',
    async () => `${Buffer.from('{"alg":7}').toString('base64url')}.e30.e30`,
    () => 'The algorithm of the signature is not taken: none that is a text.',
  ],
  ...Object.keys(KEY_PAIRS).map(
    (alg): Cause => [
      `an algorithm of other keys, ${alg}`,
      () => signedBy(alg),
      () => `The algorithm of the signature, ${alg}, is none of the keys`,
    ],
  ),
  [
    'an unknown critical parameter',
    () => json.sign(list(), { crit: ['unknown'], unknown: 1 }),
    () => 'The signature has a critical header parameter that the platform does not know: unknown.',
  ],
  ['another content', changed, () => 'The signature names a signer of the source, and does not fit'],
  [
    'another signer',
    () => otherJson.sign(list()),
    () =>
      `None of the signers of the source signed the list: its signature names another certificate, with the SHA-256 fingerprint ${fingerprintOf(otherJson.signer)}.`,
  ],
  [
    'no certificate in the header',
    () => otherJson.sign(list(), { x5c: undefined }),
    () =>
      'None of the signers of the source signed the list, or it was changed since. Its signature names no certificate',
  ],
  [
    'a certificate in the header that is none',
    () => otherJson.sign(list(), { x5c: ['AAAA'] }),
    () =>
      'None of the signers of the source signed the list, or it was changed since. Its signature names no certificate',
  ],
  [
    'a signer that has expired, beside another one',
    () => json.sign(list()),
    () => 'The signature names a signer of the source whose certificate is not valid now',
    () => ({ signers: [otherJson.signer], lapsed: [json.expiredSigner] }),
  ],
  [
    'signers that have all expired',
    () => json.sign(list()),
    () => 'No certificate of the signers of the source is valid now.',
    () => ({ signers: [], lapsed: [json.expiredSigner] }),
  ],
]

const XML_CAUSES: Cause[] = [
  ['no signature', () => tslOf([{ services: [] }]), () => 'The list has no signature.'],
  [
    'an algorithm that is not taken',
    () => signedXml.replace('xmldsig-more#rsa-sha256', 'xmldsig-more#rsa-md5'),
    () =>
      'The SignatureMethod of the signature has an algorithm that is not taken: http://www.w3.org/2001/04/xmldsig-more#rsa-md5',
  ],
  [
    'another content',
    () => signedXml.replace('>AT<', '>DE<'),
    () => 'The list has another content than the one that was signed (its digest differs).',
  ],
  [
    'another value of the signature',
    () => signedXml.replace(/(<ds:SignatureValue>)(.)/, (_, tag: string, at: string) => tag + (at === 'A' ? 'B' : 'A')),
    () => 'The signature names a signer of the source, and does not fit',
  ],
  [
    'another signer',
    () => otherXml.sign(tslOf([{ services: [] }])),
    () =>
      `None of the signers of the source signed the list: its signature names another certificate, with the SHA-256 fingerprint ${fingerprintOf(otherXml.signer)}.`,
  ],
  [
    'another signer that names no certificate',
    () => signOtherwise(otherXml.key, tslOf([{ services: [] }]), {}),
    () =>
      'None of the signers of the source signed the list, or it was changed since. Its signature names no certificate',
  ],
  [
    'a signer that has expired, beside another one',
    () => signedXml,
    () => 'The signature names a signer of the source whose certificate is not valid now',
    () => ({ signers: [otherXml.signer], lapsed: [xml.expiredSigner] }),
  ],
  [
    'signers that have all expired',
    () => signedXml,
    () => 'No certificate of the signers of the source is valid now.',
    () => ({ signers: [], lapsed: [xml.expiredSigner] }),
  ],
]

function says(format: ListText['format'], what: string, causes: readonly Cause[], signer: () => string): void {
  for (const [cause, text, message, who] of causes)
    test(`a list in ${what} that is refused for its signature says why: ${cause}`, async (t) => {
      const [code, detail] = await refusalOf({ format, text: await text(), signers: [signer()], ...who?.() })
      t.is(code, 'trust_list.source_signature')
      t.true(detail.startsWith(message()), detail)
    })
}
says('ts-119-602', 'JSON', JSON_CAUSES, () => json.signer)
says('ts-119-612', 'XML', XML_CAUSES, () => xml.signer)

test('a signer with a key of another kind keeps no other one from having signed', async (t) => {
  const signers = [xml.signer, otherJson.signer, json.signer]
  const read = await readEtsiList({ format: 'ts-119-602', text: await json.sign(list()), signers })
  t.is(read.services.length, 1)
  const ofXml = await readEtsiList({ format: 'ts-119-612', text: signedXml, signers: [json.signer, xml.signer] })
  t.is(ofXml.sequence, 41)
})
