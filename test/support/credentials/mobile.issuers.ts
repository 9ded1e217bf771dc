import 'reflect-metadata'
import { generateKeyPairSync, randomBytes, sign as signWith, webcrypto } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { Extension, X509Certificate, X509CertificateGenerator } from '@peculiar/x509'
import { fromJwk } from '../../../protocol/dids/jwk.ts'
import {
  createIacaCertificate,
  createSignerCertificate,
  toPem,
} from '../../../protocol/mobile-credentials/certificates.ts'
import { issue, nameSpacesOf, type ToIssue } from '../../../protocol/mobile-credentials/issuer-signed.ts'
import { statusMember } from '../../../protocol/mobile-credentials/status.ts'
import type { TokenEntry } from '../../../protocol/status-list/token.ts'

const DAY_MS = 86_400_000

/** A P-256 key that is not the platform's. */
function newKey() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
  return {
    publicKey: fromJwk({ ...publicKey.export({ format: 'jwk' }) } as Parameters<typeof fromJwk>[0]).publicKey,
    sign: async (data: Uint8Array) => new Uint8Array(signWith('sha256', data, key)),
  }
}

interface Subject {
  country?: string
  stateOrProvinceName?: string | undefined
  commonName?: string
}

const terms = ({ country = 'NL', commonName = 'Elsewhere', ...more }: Subject, days: number) => ({
  subject: { country, commonName, ...more },
  random: new Uint8Array(randomBytes(16)),
  notBefore: new Date(Date.now() - DAY_MS),
  notAfter: new Date(Date.now() + days * DAY_MS),
  crlUrl: 'https://issuer.example/crl',
  contactUrl: 'https://issuer.example/',
})

/** An element of DER. */
export function element(tag: number, value: Uint8Array): Uint8Array {
  const { length } = value
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Uint8Array.of(tag, ...head), value])
}

/** A certificate in DER that its own key signed, with these extensions. */
export async function certificateWith(extensions: readonly [type: string, value: Uint8Array][]): Promise<Uint8Array> {
  const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      ...{ serialNumber: randomBytes(8).toString('hex'), name: 'CN=Hostile', signingAlgorithm },
      ...{ notBefore: new Date(), notAfter: new Date(Date.now() + DAY_MS) },
      keys: await webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']),
      extensions: extensions.map(([type, value]) => new Extension(type, false, value)),
    },
    webcrypto,
  )
  return new Uint8Array(certificate.rawData)
}

/** An IACA elsewhere, which certifies whatever it is asked to. */
export async function makeForeignIaca(subject: Subject = {}) {
  const root = newKey()
  const iaca = { ...root, certificate: await createIacaCertificate(root, terms(subject, 3_000)) }
  const { certificate } = iaca
  return {
    certificate,
    certificatePem: toPem('CERTIFICATE', certificate),
    /** Another certificate of the same name and key; with less than no days one that is over. */
    renewed: (days = 3_500) => createIacaCertificate(root, terms(subject, days)),
    certify: (publicKey: Uint8Array, of: Subject = subject, days = 300) =>
      createSignerCertificate(iaca, publicKey, terms(of, days)),
    /** A signer with a certificate of it. */
    async signer(of: Subject = subject, days = 300) {
      const key = newKey()
      return { key, certificate: await createSignerCertificate(iaca, key.publicKey, terms(of, days)) }
    },
  }
}

type ForeignSigner = Awaited<ReturnType<Awaited<ReturnType<typeof makeForeignIaca>>['signer']>>

/** IssuerSigned of a signer elsewhere, in base64url. */
export async function issueElsewhere({ certificate, key }: ForeignSigner, more: Partial<ToIssue> = {}) {
  const signed = new Date(Math.floor(Date.now() / 1000) * 1000)
  const { issuerSigned } = await issue(
    {
      docType: 'example.document',
      nameSpaces: nameSpacesOf({ 'example.1': { name: 'Ada' } }, 'items'),
      validity: { signed, validFrom: signed, validUntil: new Date(signed.getTime() + DAY_MS) },
      certificate,
      random: (bytes) => new Uint8Array(randomBytes(bytes)),
      ...more,
    },
    key,
  )
  return Buffer.from(issuerSigned).toString('base64url')
}

/** An IACA elsewhere with a document signer. */
export async function makeForeignIssuer(commonName = 'Foreign IACA') {
  const iaca = await makeForeignIaca({ commonName })
  const signer = await iaca.signer({ commonName: 'Foreign signer' })
  return {
    certificatePem: iaca.certificatePem,
    certificate: signer.certificate,
    key: { keyType: 'p256', sign: signer.key.sign },
    /** With an entry of a status list. */
    sign: (entry: TokenEntry) => issueElsewhere(signer, { status: statusMember(entry) }),
  }
}

/** The same certificate with n - s in place of the s of its signature, which verifies as well. */
export function otherForm(certificate: Uint8Array): Uint8Array {
  const signature = new Uint8Array(new X509Certificate(new Uint8Array(certificate)).signature)
  const { r, s } = p256.Signature.fromBytes(signature, 'der')
  const other = new p256.Signature(r, p256.Point.Fn.ORDER - s).toBytes('der')
  const before = certificate.subarray(4, certificate.length - signature.length - 3)
  const length = before.length + 3 + other.length
  return Uint8Array.of(0x30, 0x82, length >> 8, length & 0xff, ...before, 3, other.length + 1, 0, ...other)
}
