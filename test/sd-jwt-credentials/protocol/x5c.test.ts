import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import {
  BasicConstraintsExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
import test from 'ava'
import { parseCertificate } from '../../../protocol/mobile-credentials/certificates.read.ts'
import { ECDSA } from '../../../protocol/mobile-credentials/signing-crypto.ts'
import { Faulty } from '../../../protocol/sd-jwt-credentials/faults.ts'
import { type ChainTrust, isCertificateOf, verifyChain } from '../../../protocol/sd-jwt-credentials/x5c.ts'
import { NOW } from '../../support/sd-jwt/tokens.ts'

interface Made {
  certificate: X509Certificate
  keys: webcrypto.CryptoKeyPair
}

interface Terms {
  name: string
  authority?: boolean
  pathLength?: number
  usage?: number
  names?: { type: 'dns' | 'url'; value: string }[]
  more?: Extension[]
  notAfter?: Date
  /** Those of another certificate. */
  keys?: webcrypto.CryptoKeyPair
}

/** A certificate of this issuer, or one that its own key signed. */
async function make(terms: Terms, issuer?: Made): Promise<Made> {
  const { name, authority = false, pathLength, names, more = [], notAfter = new Date('2030-01-01T00:00:00Z') } = terms
  const keys = terms.keys ?? (await webcrypto.subtle.generateKey(ECDSA, true, ['sign', 'verify']))
  const usage = terms.usage ?? (authority ? KeyUsageFlags.keyCertSign : KeyUsageFlags.digitalSignature)
  const certificate = await X509CertificateGenerator.create(
    {
      serialNumber: '01',
      subject: `CN=${name}`,
      issuer: issuer?.certificate.subject ?? `CN=${name}`,
      notBefore: new Date('2026-01-01T00:00:00Z'),
      notAfter,
      publicKey: keys.publicKey,
      signingKey: (issuer?.keys ?? keys).privateKey,
      signingAlgorithm: ECDSA,
      extensions: [
        new BasicConstraintsExtension(authority, pathLength, true),
        new KeyUsagesExtension(usage, true),
        ...(names ? [new SubjectAlternativeNameExtension(names)] : []),
        ...more,
      ],
    },
    webcrypto,
  )
  return { certificate, keys }
}

const der = ({ certificate }: Made): Uint8Array => new Uint8Array(certificate.rawData)
const read = (made: Made) => parseCertificate(der(made))

const check = (chain: Made[], trusted: Made[], more: Partial<ChainTrust> = {}) =>
  verifyChain(chain.map(der), { now: NOW, trusted: trusted.map(read), isRevoked: () => false, ...more })

const codeOf = (work: () => unknown): string => {
  try {
    work()
    return 'passed'
  } catch (error) {
    if (!(error instanceof Faulty)) throw error
    return error.fault.code.slice('sd_jwt.'.length)
  }
}

const root = await make({ name: 'Root', authority: true })
const between = await make({ name: 'Between', authority: true, pathLength: 0 }, root)
const leaf = await make({ name: 'Signer' }, between)

test('a chain leads to a trusted authority, which may be in it (RFC 5280, section 6.1)', (t) => {
  t.is(check([leaf, between], [root]).anchor.fingerprint, read(root).fingerprint)
  t.is(check([leaf, between, root], [root]).anchor.fingerprint, read(root).fingerprint)
  t.is(check([leaf], [between]).anchor.fingerprint, read(between).fingerprint)
  t.is(check([leaf], [leaf]).leaf.fingerprint, read(leaf).fingerprint)
})

test('of two certificates of one authority, one of which is over, the other counts, in any order (D-1076)', async (t) => {
  const over = await make({ name: 'Root', authority: true, keys: root.keys, notAfter: NOW })
  for (const trusted of [
    [over, root],
    [root, over],
  ])
    t.is(check([leaf, between], trusted).anchor.fingerprint, read(root).fingerprint)
  t.is(
    codeOf(() => check([leaf, between], [over])),
    'certificate_expired',
  )
})

test('what comes after the trusted certificate is no part of the chain, for nobody verified it', async (t) => {
  const stranger = await make({ name: 'Stranger', authority: true })
  const pathOf = (chain: Made[], trusted: Made[]) => check(chain, trusted).path.map(({ fingerprint }) => fingerprint)
  const fingerprints = [leaf, between].map((each) => read(each).fingerprint)
  t.deepEqual(pathOf([leaf, between, stranger], [root]), fingerprints)
  t.deepEqual(pathOf([leaf, stranger], [leaf]), fingerprints.slice(0, 1))
})

test('each fault of a chain has its own code', async (t) => {
  const [other, expired, low] = await Promise.all([
    make({ name: 'Root', authority: true }),
    make({ name: 'Signer', notAfter: NOW }, between),
    make({ name: 'Low', authority: true }, between),
  ])
  const below = await make({ name: 'Signer' }, low)
  const noAuthority = await make({ name: 'Not one' }, root)
  const ofNone = await make({ name: 'Signer' }, noAuthority)
  const critical = await make({ name: 'Signer', more: [new Extension('1.2.3.4', true, new Uint8Array([5, 0]))] }, root)
  const noSigner = await make({ name: 'Signer', usage: KeyUsageFlags.keyAgreement }, root)
  t.is(
    codeOf(() => check([leaf, between], [])),
    'certificate_untrusted',
  )
  t.is(
    codeOf(() => check([leaf, between], [other])),
    'certificate_untrusted',
  )
  t.is(
    codeOf(() => check([leaf, root], [other])),
    'certificate_chain',
  )
  t.is(
    codeOf(() => check([below, low, between], [root])),
    'certificate_chain',
    'the path is longer than allowed',
  )
  t.is(
    codeOf(() => check([below, low], [between])),
    'certificate_untrusted',
    'also below the trusted one',
  )
  t.is(
    codeOf(() => check([ofNone, noAuthority], [root])),
    'certificate_chain',
  )
  t.is(
    codeOf(() => check([expired, between], [root])),
    'certificate_expired',
  )
  t.is(
    codeOf(() => check([leaf, between], [root], { now: new Date('2031-01-01T00:00:00Z') })),
    'certificate_expired',
  )
  t.is(
    codeOf(() => check([critical], [root])),
    'certificate_extension',
  )
  t.is(
    codeOf(() => check([noSigner], [root])),
    'certificate_usage',
  )
  t.is(
    codeOf(() => check([between], [root])),
    'certificate_usage',
    'an authority signs no credentials',
  )
  t.is(
    codeOf(() => check([leaf, between], [root], { isRevoked: () => true })),
    'certificate_revoked',
  )
  t.is(
    codeOf(() => verifyChain([Buffer.from('none')], { now: NOW, trusted: [], isRevoked: () => false })),
    'x5c_unreadable',
  )
})

test('an iss is that of a certificate that has its URL or its host (draft-ietf-oauth-sd-jwt-vc-19, section 7.2)', async (t) => {
  const names = [
    { type: 'dns' as const, value: 'Issuer.example' },
    { type: 'url' as const, value: 'https://other.example/tenant' },
  ]
  const certificate = read(await make({ name: 'Signer', names }, root))
  t.true(isCertificateOf(certificate, 'https://issuer.example/any'))
  t.true(isCertificateOf(certificate, 'https://other.example/tenant'))
  for (const issuer of ['https://other.example', 'https://sub.issuer.example', 'urn:example', ''])
    t.false(isCertificateOf(certificate, issuer), issuer)
  t.false(isCertificateOf(read(leaf), 'https://issuer.example'))
  const swapped = [
    { type: 'url' as const, value: 'issuer.example' },
    { type: 'dns' as const, value: 'https://other.example/tenant' },
  ]
  const other = read(await make({ name: 'Signer', names: swapped }, root))
  for (const issuer of ['https://issuer.example/any', 'https://other.example/tenant'])
    t.false(isCertificateOf(other, issuer), 'a name of one kind is not one of the other')
})

test('one certificate of a chain that is unfit is enough', async (t) => {
  const extension = () => new Extension('1.2.3.4', true, new Uint8Array([5, 0]))
  const critical = await make({ name: 'Critical', authority: true, more: [extension()] }, root)
  const below = await make({ name: 'Signer' }, critical)
  t.is(
    codeOf(() => check([below, critical], [root])),
    'certificate_extension',
  )
  const fingerprint = read(between).fingerprint
  t.is(
    codeOf(() => check([leaf, between], [root], { isRevoked: (each) => each.fingerprint === fingerprint })),
    'certificate_revoked',
  )
  const noSigner = await make(
    { name: 'No signer of certificates', authority: true, usage: KeyUsageFlags.cRLSign },
    root,
  )
  const ofNoSigner = await make({ name: 'Signer' }, noSigner)
  t.is(
    codeOf(() => check([ofNoSigner, noSigner], [root])),
    'certificate_chain',
  )
  t.is(
    codeOf(() => verifyChain([der(leaf), Buffer.from('none')], { now: NOW, trusted: [], isRevoked: () => false })),
    'x5c_unreadable',
  )
})
