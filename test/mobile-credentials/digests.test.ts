import { randomBytes } from 'node:crypto'
import test from 'ava'
import { type Cbor, type CborMap, decodeCbor, encodeCbor, isCborMap } from '../../protocol/cose/cbor.ts'
import { type Certificate, readCertificate } from '../../protocol/mobile-credentials/certificates.read.ts'
import { embed, nameSpacesOf } from '../../protocol/mobile-credentials/issuer-signed.ts'
import { MDOC, readMdocs } from '../../protocol/mobile-credentials/read.ts'
import { verifyMdoc } from '../../protocol/mobile-credentials/verify.ts'
import { issueElsewhere, makeForeignIaca } from '../support/credentials/mobile.issuers.ts'

const iaca = await makeForeignIaca()
const signer = await iaca.signer()

/** IssuerSigned with these namespaces, genuine but for what a test changes. */
async function issued(items: object = { 'example.1': { name: 'Ada' } }) {
  const encoded = await issueElsewhere(signer, { nameSpaces: nameSpacesOf(items, 'items') })
  const document = decodeCbor(Buffer.from(encoded, 'base64url'), MDOC)
  const nameSpaces = isCborMap(document) ? document.get('nameSpaces') : undefined
  if (!isCborMap(document) || !nameSpaces || !isCborMap(nameSpaces)) throw new Error('not an IssuerSigned')
  return { document, nameSpaces }
}

/** An element that nobody signed. */
const forged = (name: string, digestID = 0): Cbor =>
  embed(
    new Map<string, Cbor>([
      ['digestID', digestID],
      ['random', new Uint8Array(randomBytes(16))],
      ['elementIdentifier', name],
      ['elementValue', 'forged'],
    ]),
  )

async function reasonsOf(
  document: CborMap,
  certificates: readonly Uint8Array[] = [iaca.certificate],
  change: Partial<Certificate> = {},
) {
  const [mdoc] = readMdocs(encodeCbor(document))
  if (!mdoc) throw new Error('no mdoc')
  const trusted = certificates
    .map((each) => readCertificate(each))
    .flatMap((each) => (each ? { ...each, ...change } : []))
  const rules = { now: new Date(), trusted, isRevoked: () => false, statusOf: async () => 'valid' as const }
  return (await verifyMdoc(mdoc, rules)).reasons
}

const typesOf = async (...args: Parameters<typeof reasonsOf>) => (await reasonsOf(...args)).map(({ type }) => type)

/** A decoder of JavaScript may leave it out of a text, as a byte order mark: cbor-x does for long ones. */
const MARK = '\u{FEFF}'
const LONG = `example.${'x'.repeat(70)}`

test('an element of a namespace that the MSO does not have is not signed, also behind a byte order mark (D-1078)', async (t) => {
  t.deepEqual(await typesOf((await issued()).document), [])
  for (const namespace of ['example.2', `${MARK}${LONG}`, `${MARK}example.1`, 'example.1\u0000']) {
    const { document, nameSpaces } = await issued()
    nameSpaces.set(namespace, [forged('name')])
    t.deepEqual(await typesOf(document), ['Digest'], JSON.stringify(namespace))
  }
})

test('genuine elements behind a byte order mark make no forged ones genuine (D-1078)', async (t) => {
  const { document, nameSpaces } = await issued({ [LONG]: { name: 'Ada' } })
  const genuine = nameSpaces.get(LONG)
  nameSpaces.clear()
  nameSpaces.set(LONG, [forged('name')])
  nameSpaces.set(`${MARK}${LONG}`, genuine)
  t.deepEqual(await typesOf(document), ['Digest', 'Digest'])
})

test('a genuine element under another id or in another namespace is not signed', async (t) => {
  const { document, nameSpaces } = await issued({ 'example.1': { name: 'Ada' }, 'example.2': { name: 'Bob' } })
  const [one, two] = [nameSpaces.get('example.1'), nameSpaces.get('example.2')]
  nameSpaces.set('example.1', two)
  nameSpaces.set('example.2', one)
  t.deepEqual(await typesOf(document), ['Digest', 'Digest'])
})

test('of many unsigned elements with long names the verdict stays short (D-1077)', async (t) => {
  const { document, nameSpaces } = await issued()
  const elements = Array.from({ length: 1_000 }, (_, at) => forged(`${'e'.repeat(100)}${at}`, at))
  nameSpaces.set(`example.${'n'.repeat(300_000)}`, elements)
  const reasons = await reasonsOf(document)
  t.is(reasons.length, 50)
  t.true(JSON.stringify(reasons).length < 25_000)
})

test('a trusted certificate certifies signers by keyCertSign, and not by CA alone (D-1185)', async (t) => {
  const { document } = await issued()
  t.deepEqual(await typesOf(document), [])
  const crlSign = 2
  for (const keyUsage of [undefined, crlSign])
    t.deepEqual(await typesOf(document, [iaca.certificate], { keyUsage }), ['UntrustedIssuer'], String(keyUsage))
})

test('of two certificates of one IACA, one of which is over, the other counts, in any order (D-1076)', async (t) => {
  const { document } = await issued()
  const over = await iaca.renewed(-0.5)
  t.deepEqual(await typesOf(document, [over, iaca.certificate]), [])
  t.deepEqual(await typesOf(document, [iaca.certificate, over]), [])
  t.deepEqual(await typesOf(document, [over]), ['UntrustedIssuer'])
})
