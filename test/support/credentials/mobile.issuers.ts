import { generateKeyPairSync, randomBytes, sign as signWith } from 'node:crypto'
import { fromJwk } from '../../../protocol/dids/jwk.ts'
import {
  createIacaCertificate,
  createSignerCertificate,
  toPem,
} from '../../../protocol/mobile-credentials/certificates.ts'
import { issue, nameSpacesOf } from '../../../protocol/mobile-credentials/issuer-signed.ts'
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

const terms = (commonName: string, days: number) => ({
  subject: { country: 'NL', commonName },
  random: new Uint8Array(randomBytes(16)),
  notBefore: new Date(Date.now() - DAY_MS),
  notAfter: new Date(Date.now() + days * DAY_MS),
  crlUrl: 'https://issuer.example/crl',
  contactUrl: 'https://issuer.example/',
})

/** An IACA elsewhere with a document signer. */
export async function makeForeignIssuer(commonName = 'Foreign IACA') {
  const [root, key] = [newKey(), newKey()]
  const iaca = { ...root, certificate: await createIacaCertificate(root, terms(commonName, 3_000)) }
  const certificate = await createSignerCertificate(iaca, key.publicKey, terms('Foreign signer', 300))
  return {
    certificatePem: toPem('CERTIFICATE', iaca.certificate),
    certificate,
    key: { keyType: 'p256', sign: key.sign },
    /** IssuerSigned in base64url, with an entry of a status list. */
    async sign(entry: TokenEntry): Promise<string> {
      const signed = new Date(Math.floor(Date.now() / 1000) * 1000)
      const { issuerSigned } = await issue(
        {
          docType: 'example.document',
          nameSpaces: nameSpacesOf({ 'example.1': { name: 'Ada' } }, 'items'),
          validity: { signed, validFrom: signed, validUntil: new Date(signed.getTime() + DAY_MS) },
          status: statusMember(entry),
          certificate,
          random: (bytes) => new Uint8Array(randomBytes(bytes)),
        },
        key,
      )
      return Buffer.from(issuerSigned).toString('base64url')
    },
  }
}
