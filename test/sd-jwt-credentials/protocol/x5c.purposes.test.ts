import 'reflect-metadata'
import { generateKeyPairSync } from 'node:crypto'
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'
import test from 'ava'
import { Refusal } from '../../../protocol/errors.ts'
import { parseCertificate } from '../../../protocol/mobile-credentials/certificates.read.ts'
import { DOCUMENT_SIGNER_USAGE } from '../../../protocol/mobile-credentials/certificates.ts'
import { Faulty } from '../../../protocol/sd-jwt-credentials/faults.ts'
import { keyOfCertificate } from '../../../protocol/sd-jwt-credentials/keys.ts'
import { verifyChain } from '../../../protocol/sd-jwt-credentials/x5c.ts'

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const newKeys = () => crypto.subtle.generateKey(ECDSA, false, ['sign', 'verify'])
const TERMS = { notBefore: new Date('2026-01-01'), notAfter: new Date('2027-01-01'), signingAlgorithm: ECDSA }

/** What becomes of a signer whose certificate has these purposes, under a trusted authority. */
async function outcome(purposes: string[], usages = KeyUsageFlags.digitalSignature): Promise<string> {
  const [root, signer] = [await newKeys(), await newKeys()]
  const authority = await X509CertificateGenerator.createSelfSigned({
    ...TERMS,
    name: 'C=NL, CN=IACA',
    keys: root,
    extensions: [new BasicConstraintsExtension(true, 0, true), new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true)],
  })
  const leaf = await X509CertificateGenerator.create({
    ...TERMS,
    subject: 'C=NL, CN=Signer',
    issuer: authority.subjectName,
    publicKey: signer.publicKey,
    signingKey: root.privateKey,
    extensions: [
      new KeyUsagesExtension(usages, true),
      ...(purposes.length > 0 ? [new ExtendedKeyUsageExtension(purposes, true)] : []),
    ],
  })
  try {
    verifyChain([new Uint8Array(leaf.rawData)], {
      now: new Date('2026-06-01'),
      trusted: [parseCertificate(new Uint8Array(authority.rawData))],
      isRevoked: () => false,
    })
    return 'trusted'
  } catch (error) {
    if (!(error instanceof Faulty)) throw error
    return error.fault.code
  }
}

const READERS = '1.0.18013.5.1.6'
const TLS_SERVERS = '1.3.6.1.5.5.7.3.1'

test('a certificate under a trusted authority signs credentials only if that is a purpose of it (RFC 5280, section 4.2.1.12)', async (t) => {
  t.is(await outcome([DOCUMENT_SIGNER_USAGE]), 'trusted')
  t.is(await outcome([READERS, DOCUMENT_SIGNER_USAGE]), 'trusted')
  t.is(await outcome([]), 'trusted')
  t.is(await outcome([READERS]), 'sd_jwt.certificate_usage')
  t.is(await outcome([TLS_SERVERS]), 'sd_jwt.certificate_usage')
  t.is(await outcome([DOCUMENT_SIGNER_USAGE], KeyUsageFlags.keyAgreement), 'sd_jwt.certificate_usage')
})

test('a certificate of a key that is not supported is refused, also where the key has no form as a JWK', (t) => {
  const keys = [
    ...['brainpoolP256r1', 'secp224r1', 'secp256k1', 'secp521r1'].map((namedCurve) =>
      generateKeyPairSync('ec', { namedCurve }),
    ),
    generateKeyPairSync('dsa', { modulusLength: 1_024, divisorLength: 160 }),
    generateKeyPairSync('rsa-pss', { modulusLength: 1_024 }),
    generateKeyPairSync('rsa', { modulusLength: 1_024 }),
    generateKeyPairSync('ed448'),
    generateKeyPairSync('x25519'),
  ]
  for (const { publicKey } of keys)
    t.is(
      t.throws(() => keyOfCertificate(publicKey), { instanceOf: Refusal }).code,
      'did.key_unsupported',
      publicKey.asymmetricKeyDetails?.namedCurve ?? publicKey.asymmetricKeyType,
    )
  for (const { publicKey } of [
    generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    generateKeyPairSync('ec', { namedCurve: 'P-384' }),
    generateKeyPairSync('ed25519'),
  ])
    t.truthy(keyOfCertificate(publicKey).native)
})
