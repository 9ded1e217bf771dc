import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { p256 } from '@noble/curves/nist.js'
import type { ExecutionContext } from 'ava'
import { decodeCbor, isTag } from '../../protocol/cose/cbor.ts'
import { Refusal } from '../../protocol/errors.ts'
import { type Certificate, readCertificate } from '../../protocol/mobile-credentials/certificates.read.ts'
import type { Session } from '../../protocol/mobile-credentials/device-auth.ts'
import { MDOC, type Mdoc, readMdocs } from '../../protocol/mobile-credentials/read.ts'
import { verifyMdoc } from '../../protocol/mobile-credentials/verify.ts'
import { VECTORS } from '../../stack/tests/parts.ts'
import { withVectors } from '../support/credentials/conformance-vectors.ts'

const read = (name: string): Uint8Array => {
  const text = () => readFileSync(`${VECTORS}${name}`, 'utf8').trim()
  if (name.endsWith('.hex')) return new Uint8Array(Buffer.from(text(), 'hex'))
  if (name.endsWith('.b64')) return new Uint8Array(Buffer.from(text(), 'base64'))
  return new Uint8Array(Buffer.from(text().replaceAll(/-----[^-]+-----|\s/g, ''), 'base64'))
}

const ANNEX_D = () =>
  JSON.parse(readFileSync(`${VECTORS}iso18013-5-annexD/annexD.json`, 'utf8')) as Record<string, string>
const hexOf = (name: string) => new Uint8Array(Buffer.from(ANNEX_D()[`ISO_18013_5_ANNEX_D_${name}`] ?? '', 'hex'))

const certificateOf = (der: Uint8Array): Certificate => {
  const certificate = readCertificate(der)
  if (!certificate) throw new Error('not a certificate')
  return certificate
}

/** SessionTranscript, of SessionTranscriptBytes. */
function transcriptOf(bytes: Uint8Array): Uint8Array {
  const tag = decodeCbor(bytes, MDOC)
  return isTag(tag) ? (tag.contents as Uint8Array) : bytes
}

function readerKey(secret: Uint8Array) {
  const point = p256.getPublicKey(secret, false)
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
  const [x, y, d] = [text(point.subarray(1, 33)), text(point.subarray(33)), text(secret)]
  return createPrivateKey({ key: { kty: 'EC', crv: 'P-256', x, y, d }, format: 'jwk' })
}

interface Vector {
  name: string
  bytes: () => Uint8Array
  trusted: () => Uint8Array
  at: string
  session?: () => Session
  /** What the vector itself breaks. */
  reasons?: string[]
}

const VECTOR_LIST: Vector[] = [
  {
    name: 'ISO/IEC 18013-5, D.4.1.2 (device MAC)',
    bytes: () => hexOf('DEVICE_RESPONSE'),
    trusted: () => hexOf('DS_CERT'),
    at: '2020-11-01T00:00:00Z',
    session: () => ({
      transcript: transcriptOf(hexOf('SESSION_TRANSCRIPT_BYTES')),
      readerKey: readerKey(hexOf('EPHEMERAL_READER_KEY_D')),
    }),
  },
  {
    name: 'auth0-mdl verifier 0 (device MAC)',
    bytes: () => read('auth0-mdl/verifier-0-encodedDeviceResponse.hex'),
    trusted: () => hexOf('DS_CERT'),
    at: '2020-11-01T00:00:00Z',
    session: () => ({
      transcript: transcriptOf(read('auth0-mdl/verifier-1-encodedSessionTranscript.hex')),
      readerKey: readerKey(read('auth0-mdl/verifier-2-ephemeralReaderKey.hex')),
    }),
  },
  {
    name: 'auth0-mdl issuerSigned-0 (a certificate of no document signer)',
    bytes: () => read('auth0-mdl/issuerSigned-0-mdoc.hex'),
    trusted: () => read('auth0-mdl/issuer.pem'),
    at: '2024-01-01T00:00:00Z',
    reasons: ['Certificate', 'Certificate', 'Certificate', 'Certificate'],
  },
  {
    name: 'mdoc-issuers BDR',
    bytes: () => read('mdoc-issuers/bdr-issuerSigned.b64'),
    trusted: () => read('mdoc-issuers/bdr-issuerCertificate.pem'),
    at: '2025-03-01T00:00:00Z',
  },
  {
    name: 'mdoc-issuers France',
    bytes: () => read('mdoc-issuers/france-deviceResponse.hex'),
    trusted: () => read('mdoc-issuers/france-issuerCertificate.pem'),
    at: '2021-03-01T00:00:00Z',
  },
  {
    name: 'mdoc-issuers Google',
    bytes: () => read('mdoc-issuers/google-deviceResponse.b64'),
    trusted: () => read('mdoc-issuers/google-signingCertificate.pem'),
    at: '2025-04-01T00:00:00Z',
  },
  {
    name: 'mdoc-issuers Ubique',
    bytes: () => read('mdoc-issuers/ubique-deviceResponse.b64'),
    trusted: () => read('mdoc-issuers/ubique-issuerCertificate.pem'),
    at: '2025-02-10T00:00:00Z',
    reasons: ['Certificate', 'Certificate'],
  },
  {
    name: 'mdoc-issuers Animo',
    bytes: () => read('mdoc-issuers/animo-mdoc-05-deviceResponse.b64'),
    trusted: () => read('mdoc-issuers/animo-mdoc-05-issuerCertificate.pem'),
    at: '2026-02-01T00:00:00Z',
  },
]

const judge = (mdoc: Mdoc, { trusted, at, session }: Vector, now = new Date(at)) =>
  verifyMdoc(mdoc, {
    now,
    trusted: [certificateOf(trusted())],
    isRevoked: () => false,
    statusOf: async () => 'valid' as const,
    session: session?.(),
  })

const failures = async (vector: Vector, bytes: Uint8Array): Promise<string[]> => {
  try {
    const verdicts = await Promise.all(readMdocs(bytes).map((mdoc) => judge(mdoc, vector)))
    return verdicts.flatMap(({ reasons }) => reasons.map(({ type }) => type))
  } catch (error) {
    if (error instanceof Refusal && error.code === 'credential.malformed') return ['Malformed']
    throw error
  }
}

/** Positions spread over the document. */
const spread = (length: number, count: number) =>
  Array.from({ length: count }, (_, at) => Math.floor(((at + 0.5) * length) / count))

for (const vector of VECTOR_LIST)
  withVectors(
    `${vector.name} ${vector.reasons ? 'fails alone in that' : 'verifies'}, and no other issuer or time is taken`,
    async (t: ExecutionContext) => {
      const bytes = vector.bytes()
      t.deepEqual(await failures(vector, bytes), vector.reasons ?? [])
      const own = vector.reasons ?? []
      for (const mdoc of readMdocs(bytes)) {
        const stranger = await verifyMdoc(mdoc, {
          now: new Date(vector.at),
          trusted: [],
          isRevoked: () => false,
          statusOf: async () => 'valid' as const,
        })
        t.deepEqual(
          stranger.reasons.map(({ type }) => type),
          [...own, 'UntrustedIssuer'],
        )
        const { reasons } = await judge(mdoc, vector, new Date('2099-01-01T00:00:00Z'))
        const later = reasons.map(({ type }) => type)
        t.true(later.includes('Expired') && later.includes('Certificate'))
      }
    },
  )

for (const vector of VECTOR_LIST.filter(({ session }) => session))
  withVectors(`${vector.name}: a session that is not the device's fails, and so does a flipped bit`, async (t) => {
    const bytes = vector.bytes()
    const { transcript, readerKey: key } = vector.session?.() ?? t.fail()
    const other = Buffer.from(transcript)
    other[other.length - 1] = (other.at(-1) ?? 0) ^ 1
    const session = () => ({ transcript: new Uint8Array(other), readerKey: key })
    t.deepEqual(await failures({ ...vector, session }, bytes), ['Device'])
    if (key) t.deepEqual(await failures({ ...vector, session: () => ({ transcript }) }, bytes), ['Device'])
    const passed: number[] = []
    for (const at of spread(bytes.length, 200)) {
      const flipped = new Uint8Array(bytes)
      flipped[at] = (flipped[at] ?? 0) ^ 1
      if ((await failures(vector, flipped)).length === 0) passed.push(at)
    }
    t.deepEqual(passed, [])
  })

for (const [name, what] of [
  ['deviceResponse-0', 'a header parameter in both headers (RFC 9052, section 3)'],
  ['deviceResponse2-0', 'no certificate of the document signer (ISO/IEC 18013-5, 9.1.2.4)'],
] as const)
  withVectors(`auth0-mdl ${name} is refused: it has ${what}`, (t) => {
    const bytes = read(`auth0-mdl/${name}-encodedDeviceResponse.hex`)
    t.is(t.throws(() => readMdocs(bytes), { instanceOf: Refusal })?.code, 'credential.malformed')
  })
