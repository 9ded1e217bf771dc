import { createPrivateKey, generateKeyPairSync, type KeyObject, sign, webcrypto } from 'node:crypto'
import { parse } from '@auth0/mdl'
import { X509CertificateGenerator } from '@peculiar/x509'
import test from 'ava'
import { type Cbor, type CborMap, encodeCbor, Tag } from '../../protocol/cose/cbor.ts'
import { HEADER, sigStructure } from '../../protocol/cose/sign1.ts'
import { Refusal } from '../../protocol/errors.ts'
import { readCertificate } from '../../protocol/mobile-credentials/certificates.read.ts'
import type { Session } from '../../protocol/mobile-credentials/device-auth.ts'
import { coseKeyOf, embed } from '../../protocol/mobile-credentials/issuer-signed.ts'
import { readMdocs } from '../../protocol/mobile-credentials/read.ts'
import { toTdate } from '../../protocol/mobile-credentials/values.ts'
import { verifyMdoc } from '../../protocol/mobile-credentials/verify.ts'

const NOW = new Date('2030-01-01T00:00:00Z')
const LATER = new Date('2031-01-01T00:00:00Z')
const DOC_TYPE = 'example.document'

interface Issuer {
  certificate: Uint8Array
  key: KeyObject
}

/** A certificate of its own key. It breaks the profile of document signers, which is no matter here. */
async function newIssuer(): Promise<Issuer> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const terms = { name: 'CN=Test', notBefore: new Date('2020-01-01'), notAfter: LATER }
  const certificate = await X509CertificateGenerator.createSelfSigned({ ...terms, keys, signingAlgorithm: algorithm })
  const jwk = await webcrypto.subtle.exportKey('jwk', keys.privateKey)
  return {
    certificate: new Uint8Array(certificate.rawData),
    key: createPrivateKey({ key: { ...jwk }, format: 'jwk' }),
  }
}

/** Made with OpenSSL, because WebCrypto has no such curve. */
const BRAINPOOL: Issuer = {
  certificate: new Uint8Array(
    Buffer.from(
      'MIIBmTCCAUCgAwIBAgIUbkWjM872EzSHziZmMWtPiFt5xFUwCgYIKoZIzj0EAwIwITELMAkGA1UEBhMCTkwxEjAQBgNVBAMMCUJyYWlucG9vbDAgFw0yNjExMjIyMTIzMzRaGA8yMTI2MTAyOTIxMjMzNFowITELMAkGA1UEBhMCTkwxEjAQBgNVBAMMCUJyYWlucG9vbDBaMBQGByqGSM49AgEGCSskAwMCCAEBBwNCAAQG2FO8Z2fEguKmyNI5FrhzLRol336P5fDFPxJw7sTqKC4IT0Mcny9XPNSactNGdKqKiYpFzjOzWBGoO9m/s19Vo1MwUTAdBgNVHQ4EFgQUz/DZfVt8J90qzIlmdGaQo8q0NT8wHwYDVR0jBBgwFoAUz/DZfVt8J90qzIlmdGaQo8q0NT8wDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiBmjQMJ7IHJ7EJExRipC6flIsZB7kzqXA1h+plVWVk8RAIgLUtPKFdBLr7/Gd1gHNKi49sA5OWRwRHWz1IexKg1950=',
      'base64',
    ),
  ),
  key: createPrivateKey({
    key: Buffer.from(
      'MIGIAgEAMBQGByqGSM49AgEGCSskAwMCCAEBBwRtMGsCAQEEIFs4v1YO2an35/NDW6nBHocLCASPqCzm1WRWKw0lvIGjoUQDQgAEBthTvGdnxILipsjSORa4cy0aJd9+j+XwxT8ScO7E6iguCE9DHJ8vVzzUmnLTRnSqiomKRc4zs1gRqDvZv7NfVQ==',
      'base64',
    ),
    format: 'der',
    type: 'pkcs8',
  }),
}

const ES256: [number, Cbor] = [HEADER.alg, -7]

function signed(key: KeyObject, payload: Uint8Array, header: CborMap = new Map([ES256])): [Uint8Array, Uint8Array] {
  const bytes = encodeCbor(header)
  const signature = sign('sha256', sigStructure(bytes, payload), { key, dsaEncoding: 'ieee-p1363' })
  return [bytes, new Uint8Array(signature)]
}

const sha256 = async (value: Cbor) => new Uint8Array(await webcrypto.subtle.digest('SHA-256', encodeCbor(value)))

interface Terms {
  value?: Cbor
  protected?: CborMap
  unprotected?: CborMap
  mso?: [string, Cbor][]
  validity?: [string, Cbor][]
  namespaces?: number
}

/** IssuerSigned with one element, `name`. */
async function issuerSigned({ certificate, key }: Issuer, terms: Terms = {}): Promise<CborMap> {
  const { value = 'Ada', namespaces = 0 } = terms
  const members: [string, Cbor][] = [
    ['digestID', 0],
    ['random', new Uint8Array(16)],
    ['elementIdentifier', 'name'],
    ['elementValue', value],
  ]
  const item = embed(new Map(members))
  const validity: [string, Cbor][] = [
    ['signed', toTdate(NOW)],
    ['validFrom', toTdate(NOW)],
    ['validUntil', toTdate(LATER)],
  ]
  const mso = new Map<string, Cbor>([
    ['version', '1.0'],
    ['digestAlgorithm', 'SHA-256'],
    ['valueDigests', new Map([['space', new Map([[0, await sha256(item)]])]])],
    ['docType', DOC_TYPE],
    ['validityInfo', new Map([...validity, ...(terms.validity ?? [])])],
    ...(terms.mso ?? []),
  ])
  const payload = encodeCbor(embed(mso))
  const [header, signature] = signed(key, payload, terms.protected)
  const unprotected: CborMap = new Map([[HEADER.x5chain, certificate], ...(terms.unprotected ?? [])])
  const empty = Array.from({ length: namespaces }, (_, at): [string, Cbor] => [`space ${at}`, []])
  return new Map<string, Cbor>([
    ['nameSpaces', new Map<string, Cbor>([['space', [item]], ...empty])],
    ['issuerAuth', [header, unprotected, payload, signature]],
  ])
}

/** The failed checks but for the certificate's profile. */
async function faultsOf(document: CborMap, { certificate }: Issuer, session?: Session): Promise<string[]> {
  const trusted = [readCertificate(certificate) ?? []].flat()
  const found: string[] = []
  for (const mdoc of readMdocs(encodeCbor(document))) {
    const { reasons } = await verifyMdoc(mdoc, {
      now: NOW,
      trusted,
      isRevoked: () => false,
      statusOf: async () => 'valid' as const,
      session,
    })
    found.push(...reasons.map(({ type }) => type).filter((type) => type !== 'Certificate'))
  }
  return found
}

const response = (issued: CborMap, deviceSigned?: CborMap): CborMap =>
  new Map<string, Cbor>([
    ['version', '1.0'],
    [
      'documents',
      [
        new Map<string, Cbor>([
          ['docType', DOC_TYPE],
          ['issuerSigned', issued],
          ...(deviceSigned ? [['deviceSigned', deviceSigned] as [string, Cbor]] : []),
        ]),
      ],
    ],
    ['status', 0],
  ])

const codeOf = async (attempt: () => Promise<unknown>): Promise<string> => {
  try {
    return JSON.stringify(await attempt())
  } catch (error) {
    return error instanceof Refusal ? error.code : String(error)
  }
}

test('an algorithm outside of the protected header and a critical parameter fail, although @auth0/mdl takes them', async (t) => {
  const issuer = await newIssuer()
  const { publicKey } = readCertificate(issuer.certificate) ?? {}
  if (!publicKey) return t.fail()
  t.deepEqual(await faultsOf(await issuerSigned(issuer), issuer), [])
  for (const terms of [
    { protected: new Map(), unprotected: new Map([ES256]) },
    { protected: new Map<number, Cbor>([ES256, [HEADER.crit, ['unheard of']]]) },
  ]) {
    const document = await issuerSigned(issuer, terms)
    const [read] = parse(encodeCbor(response(document))).documents
    const isTaken = await read?.issuerSigned.issuerAuth.verify(publicKey)
    t.true(isTaken)
    t.deepEqual(await faultsOf(document, issuer), ['Signature'])
  }
})

test('an issuer with a Brainpool key verifies, which @auth0/mdl cannot, and a changed signature does not', async (t) => {
  const document = await issuerSigned(BRAINPOOL)
  t.deepEqual(await faultsOf(document, BRAINPOOL), [])
  const [header, unprotected, payload] = document.get('issuerAuth') as Cbor[]
  document.set('issuerAuth', [header, unprotected, payload, new Uint8Array(64).fill(1)])
  t.deepEqual(await faultsOf(document, BRAINPOOL), ['Signature'])
  document.set('issuerAuth', [header, unprotected, payload, new Uint8Array(3)])
  t.deepEqual(await faultsOf(document, BRAINPOOL), ['Signature'])
})

test('ESP256, which names its curve, counts as ES256 does, of issuer and device, and no other curve has it (RFC 9864)', async (t) => {
  const issuer = await newIssuer()
  const algorithm = (value: number): CborMap => new Map([[HEADER.alg, value]])
  const document = await issuerSigned(issuer, { protected: algorithm(-9) })
  t.deepEqual(await faultsOf(document, issuer), [])
  const [header, unprotected, payload] = document.get('issuerAuth') as Cbor[]
  document.set('issuerAuth', [header, unprotected, payload, new Uint8Array(64).fill(1)])
  t.deepEqual(await faultsOf(document, issuer), ['Signature'])
  for (const value of [-51, -52, -19, -53, -47])
    t.deepEqual(await faultsOf(await issuerSigned(issuer, { protected: algorithm(value) }), issuer), ['Signature'])
  t.deepEqual(await faultsOf(await issuerSigned(BRAINPOOL, { protected: algorithm(-9) }), BRAINPOOL), ['Signature'])
})

test('a document that would make the decoder of @auth0/mdl work without bound is malformed', async (t) => {
  const issuer = await newIssuer()
  const codeFor = (terms: Terms) => codeOf(async () => faultsOf(await issuerSigned(issuer, terms), issuer))
  const bytes = new Uint8Array(8)
  for (const tag of [2, 3, 4, 5, 6, 14, 27, 28, 29, 51, 64, 105, 225, 258, 259, 0xdff9]) {
    const value = new Tag(tag, bytes)
    t.is(await codeFor({ value: [{ deep: value }.deep] }), 'credential.malformed', `element with tag ${tag}`)
    t.is(await codeFor({ mso: [['extra', new Map([['deep', value]])]] }), 'credential.malformed', `MSO, tag ${tag}`)
    t.is(await codeFor({ protected: new Map([ES256, [99, value]]) }), 'credential.malformed', `header, tag ${tag}`)
  }
  for (const tag of [0, 1004]) t.is(await codeFor({ value: new Tag(tag, '2030-01-01') }), '[]')
  t.is(await codeFor({ value: new Tag(37, bytes) }), '[]')
  t.is(await codeFor({ validity: [['more', bytes]] }), 'credential.malformed')
  t.is(await codeFor({ namespaces: 99 }), '[]')
  t.is(await codeFor({ namespaces: 100 }), 'credential.malformed')
})

test('an MSO of another version is not supported (ISO/IEC 18013-5, 9.1.2.4)', async (t) => {
  const issuer = await newIssuer()
  for (const version of ['1.1', '2.0', ''])
    t.deepEqual(await faultsOf(await issuerSigned(issuer, { mso: [['version', version]] }), issuer), ['Syntax'])
})

test('a device is authenticated over its bytes as they were received, and without a payload of its own', async (t) => {
  const issuer = await newIssuer()
  const device = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { kty = '', crv = '', x = '', y = '' } = device.publicKey.export({ format: 'jwk' })
  const deviceKey = coseKeyOf({ kty, crv, x, y }, 'deviceKey')
  const issued = await issuerSigned(issuer, { mso: [['deviceKeyInfo', new Map([['deviceKey', deviceKey]])]] })
  const transcript = Uint8Array.of(0x83, 0xf6, 0xf6, 0x19, 0x00, 0x01) // [null, null, 1], the 1 in three bytes
  const indefinite = new Tag(24, Uint8Array.of(0xbf, 0xff)) // {_ }, which a decoder writes back as {}
  const authentication = new Tag(
    24,
    new Uint8Array(
      Buffer.concat([
        Uint8Array.of(0x84),
        encodeCbor('DeviceAuthentication'),
        transcript,
        encodeCbor(DOC_TYPE),
        encodeCbor(indefinite),
      ]),
    ),
  )
  const payload = encodeCbor(authentication)
  const faults = (member: string, sent: Cbor, header?: CborMap) => {
    const [bytes, signature] = signed(device.privateKey, payload, header)
    const proof = new Map([[member, [bytes, new Map(), sent, signature]]])
    const deviceSigned = new Map<string, Cbor>([
      ['nameSpaces', indefinite],
      ['deviceAuth', proof],
    ])
    return faultsOf(response(issued, deviceSigned), issuer, { transcript })
  }
  t.deepEqual(await faults('deviceSignature', null), [])
  t.deepEqual(await faults('deviceSignature', null, new Map([[HEADER.alg, -9]])), [])
  t.deepEqual(await faults('deviceSignature', payload, new Map([[HEADER.alg, -9]])), ['Device'])
  t.deepEqual(await faults('deviceSignature', payload), ['Device'])
  t.deepEqual(await faults('deviceMac', null), ['Device'])
  t.deepEqual(await faults('deviceSignature', null, new Map<number, Cbor>([ES256, [HEADER.crit, [99]]])), ['Device'])
  for (const other of [-8, -51])
    t.deepEqual(await faults('deviceSignature', null, new Map([[HEADER.alg, other]])), ['Device'])
  t.deepEqual(await faults('neither', null), ['Device'])
  t.deepEqual(await faultsOf(response(issued), issuer, { transcript }), ['Device'])
})
