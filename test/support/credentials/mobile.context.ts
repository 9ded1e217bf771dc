import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  randomBytes,
  sign,
  verify,
  X509Certificate,
} from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { CoseKey, type MdocContext } from '@owf/mdoc'
import { decodeCbor, encodeCbor } from '../../../protocol/cose/cbor.ts'
import { MDOC } from '../../../protocol/mobile-credentials/read.ts'

const bytesOf = (buffer: Uint8Array): Uint8Array => new Uint8Array(buffer)
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

const jwkOf = (point: Uint8Array) => {
  const xy = p256.Point.fromBytes(point).toBytes(false)
  return { kty: 'EC', crv: 'P-256', x: text(xy.subarray(1, 33)), y: text(xy.subarray(33)) }
}

const privateKeyOf = (d: Uint8Array) =>
  createPrivateKey({ key: { ...jwkOf(p256.getPublicKey(d)), d: text(d) }, format: 'jwk' })
/** MAC_structure has external_aad even where that is empty (RFC 9052, section 6.3); the library leaves it out. */
function macStructure(bytes: Uint8Array): Uint8Array {
  const parts = decodeCbor(bytes, MDOC)
  if (!Array.isArray(parts) || parts.length !== 3) return bytes
  return encodeCbor([...parts.slice(0, 2), new Uint8Array(), ...parts.slice(2)])
}

function hmac(key: CoseKey, data: Uint8Array): Uint8Array {
  const mac = createHmac('sha256', key.k ?? new Uint8Array())
  return bytesOf(mac.update(macStructure(data)).digest())
}

/** The cryptography that @owf/mdoc asks for, on P-256 alone. */
export const context: MdocContext = {
  crypto: {
    random: (length) => bytesOf(randomBytes(length)),
    digest: ({ digestAlgorithm, bytes }) =>
      bytesOf(createHash(digestAlgorithm.replace('-', '').toLowerCase()).update(bytes).digest()),
    calculateEphemeralMacKey({ privateKey, publicKey, sessionTranscriptBytes, info }) {
      // as a holder, the library gives whole COSE keys
      const point = publicKey.length === 65 ? publicKey : CoseKey.decode(publicKey).publicKey
      const scalar = privateKey.length === 32 ? privateKey : CoseKey.decode(privateKey).privateKey
      const peer = createPublicKey({ key: jwkOf(point), format: 'jwk' })
      const secret = diffieHellman({ privateKey: privateKeyOf(scalar), publicKey: peer })
      const salt = createHash('sha256').update(sessionTranscriptBytes).digest()
      return CoseKey.create({
        keyType: 4,
        k: new Uint8Array(hkdfSync('sha256', secret, salt, info, 32)),
        algorithm: 5,
      } as never)
    },
  },
  cose: {
    sign1: {
      sign: ({ toBeSigned, key }) =>
        bytesOf(sign('sha256', toBeSigned, { key: privateKeyOf(key.privateKey), dsaEncoding: 'ieee-p1363' })),
      verify: ({ key, sign1 }) =>
        verify(
          'sha256',
          sign1.toBeSigned,
          { key: createPublicKey({ key: jwkOf(key.publicKey), format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
          sign1.signature,
        ),
    },
    mac0: {
      sign: ({ key, toBeAuthenticated }) => hmac(key, toBeAuthenticated),
      verify: ({ mac0, key }) => Buffer.from(hmac(key, mac0.toBeAuthenticated)).equals(Buffer.from(mac0.tag)),
    },
  },
  x509: {
    getIssuerNameField: ({ certificate, field }) =>
      new X509Certificate(certificate).issuer
        .split('\n')
        .flatMap((line) => (line.startsWith(`${field}=`) ? [line.slice(field.length + 1)] : [])),
    getPublicKey: ({ certificate }) =>
      CoseKey.fromJwk({ ...new X509Certificate(certificate).publicKey.export({ format: 'jwk' }) }),
    verifyCertificateChain({ trustedCertificates, x5chain: [signer] }) {
      const leaf = signer && new X509Certificate(signer)
      const isTrusted = trustedCertificates.some((trusted) => leaf?.verify(new X509Certificate(trusted).publicKey))
      if (!isTrusted) throw new Error('the chain leads to no trusted certificate')
    },
    getCertificateData({ certificate }) {
      const { issuer, subject, serialNumber, fingerprint256, validFrom, validTo, raw } = new X509Certificate(
        certificate,
      )
      const pem = raw.toString('base64')
      const [notBefore, notAfter] = [new Date(validFrom), new Date(validTo)]
      return {
        issuerName: issuer,
        subjectName: subject,
        serialNumber,
        thumbprint: fingerprint256,
        notBefore,
        notAfter,
        pem,
      }
    },
  },
}
