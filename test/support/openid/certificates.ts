import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { dereference, publicKeyOf, toJwk } from '../../../protocol/dids/index.ts'
import { resolveDidKey } from '../../../protocol/dids/key.ts'

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const DAY_MS = 24 * 60 * 60 * 1000

const newPair = () => webcrypto.subtle.generateKey(ECDSA, true, ['sign', 'verify'])

/** The public key of a did:key. */
function keyOf(did: string): Promise<webcrypto.CryptoKey> {
  const { method } = dereference(resolveDidKey(did), `${did}#${did.split(':')[2]}`, 'assertionMethod')
  return webcrypto.subtle.importKey('jwk', { ...toJwk(publicKeyOf(method)) }, ECDSA, true, ['verify'])
}

interface Terms {
  isAuthority?: boolean
  /** Days from now. */
  notAfter?: number
  dnsName?: string
}

/** An authority that certifies verifiers, with one between it and them. */
export async function openAuthority() {
  const [root, between] = [await newPair(), await newPair()]
  let serial = 0

  async function certificate(
    [subject, publicKey]: [string, webcrypto.CryptoKey],
    [issuer, signingKey]: [string, webcrypto.CryptoKey],
    { isAuthority = false, notAfter = 30, dnsName }: Terms = {},
  ): Promise<string> {
    serial += 1
    const usage = isAuthority ? KeyUsageFlags.keyCertSign : KeyUsageFlags.digitalSignature
    const named = dnsName === undefined ? [] : [new SubjectAlternativeNameExtension([{ type: 'dns', value: dnsName }])]
    const made = await X509CertificateGenerator.create({
      serialNumber: `0${serial}`,
      ...{ subject: `C=NL, CN=${subject}`, issuer: `C=NL, CN=${issuer}`, publicKey, signingKey },
      notBefore: new Date(Date.now() - 60 * DAY_MS),
      notAfter: new Date(Date.now() + notAfter * DAY_MS),
      signingAlgorithm: ECDSA,
      extensions: [new BasicConstraintsExtension(isAuthority), new KeyUsagesExtension(usage, true), ...named],
    })
    return `${made.toString('pem')}\n`
  }

  const issuer: [string, webcrypto.CryptoKey] = ['Between', between.privateKey]
  const rootIssuer: [string, webcrypto.CryptoKey] = ['Root', root.privateKey]
  return {
    root: await certificate(['Root', root.publicKey], rootIssuer, { isAuthority: true }),
    between: await certificate(['Between', between.publicKey], rootIssuer, { isAuthority: true }),
    /** The certificate of a did:key. */
    certify: async (did: string, terms?: Terms) => certificate(['A verifier', await keyOf(did)], issuer, terms),
    /** The certificate that a request asks for. */
    async certifyRequest(csrPem: string): Promise<string> {
      const request = new Pkcs10CertificateRequest(csrPem)
      if (!(await request.verify())) throw new Error('the request has another signature')
      return certificate([request.subject.slice('CN='.length), await request.publicKey.export()], issuer)
    },
  }
}
