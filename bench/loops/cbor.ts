import { generateKeyPairSync, randomUUID, X509Certificate } from 'node:crypto'
import { Document, MDoc } from '@auth0/mdl'
import { encode } from 'cbor2'
import { Sign1 } from 'cose-kit'
import { type CborFormat, claims, DEVICE_KEY, elements, MDL, MDL_TYPE, portrait } from '../cbor.formats.ts'
import { serveJobs } from '../child.ts'
import { type Measured, repeated } from '../measure.ts'

/** One signature after another on one thread for a while, by a library with its key in memory. */
export interface CborLoop {
  format: CborFormat['name']
  seconds: number
  /** A certificate of a P-256 key in PEM; whose key it is, is no matter to the library. */
  certificatePem?: string
}

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** A driving licence by @auth0/mdl, as its README says. */
function mdocSigner(certificatePem: string): (number: string) => Promise<Uint8Array> {
  const issuerPrivateKey = { ...privateKey.export({ format: 'jwk' }), alg: 'ES256' }
  const issuerCertificate = new Uint8Array(new X509Certificate(certificatePem).raw)
  const photo = portrait()
  return async (number) => {
    const document = await new Document(MDL_TYPE)
      .addIssuerNameSpace(MDL, elements(photo, number))
      .useDigestAlgorithm('SHA-256')
      .addValidityInfo({ signed: new Date() })
      .addDeviceKeyInfo({ deviceKey: DEVICE_KEY })
      .sign({ issuerPrivateKey, issuerCertificate, alg: 'ES256' })
    return new MDoc([document]).encode()
  }
}

/** The claims of a CWT by cbor2, and their COSE_Sign1 by cose-kit. */
function cwtSigner(): (number: string) => Promise<Uint8Array> {
  const key = privateKey as unknown as Parameters<typeof Sign1.sign>[3]
  return async (number) => {
    const iat = Math.floor(Date.now() / 1_000)
    const registered: [number, unknown][] = [
      [1, 'did:example:issuer'],
      [6, iat],
      [7, Buffer.from(randomUUID().replaceAll('-', ''), 'hex')],
    ]
    const payload = encode(new Map<unknown, unknown>([...registered, ...Object.entries(claims(number))]))
    return (await Sign1.sign({ alg: 'ES256' }, undefined, payload, key)).encode()
  }
}

async function run({ format, seconds, certificatePem = '' }: CborLoop): Promise<Measured> {
  const sign = format === 'mdoc' ? mdocSigner(certificatePem) : cwtSigner()
  return repeated(seconds, async (done) => {
    const bytes = await sign(String(done))
    if (bytes.length < 100) throw new Error('the library signed nothing')
  })
}

serveJobs(run)
