import { CONTEXT, createDocumentLoader } from '../../../protocol/contexts/index.ts'
import type { CborMap } from '../../../protocol/cose/cbor.ts'
import { HEADER, signCoseSign1 } from '../../../protocol/cose/sign1.ts'
import { createProofCheck, type Json } from '../../../protocol/data-integrity/index.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { jwsSigningInput } from '../../../protocol/jws.ts'
import { openEnvelope } from '../../../protocol/semantic-credentials/enveloped/index.ts'
import { normaliseForVerify, verifyCredential } from '../../../protocol/semantic-credentials/index.ts'
import { ed25519Signer, p256Signer, resolveTestDid, type TestSigner } from '../credentials/signers.ts'

const now = new Date('2026-03-01T12:00:00Z')
const checkProof = createProofCheck({ documentLoader: createDocumentLoader() })
export const [ed25519, p256, stranger] = [ed25519Signer(), p256Signer(), ed25519Signer()]

export const credentialOf = ({ did }: TestSigner, more: Json = {}): Json => ({
  '@context': [CONTEXT.credentialsV2],
  type: ['VerifiableCredential'],
  issuer: did,
  validFrom: '2026-01-01T00:00:00Z',
  credentialSubject: { id: 'did:example:holder' },
  ...more,
})

export const enveloped = (id: string): Json => ({
  '@context': CONTEXT.credentialsV2,
  id,
  type: 'EnvelopedVerifiableCredential',
})

interface Made {
  signer?: TestSigner
  header?: Json
  payload?: Json | Uint8Array
}

const alg = ({ keyType }: TestSigner) => (keyType === 'p256' ? 'ES256' : 'EdDSA')

export async function jwt({
  signer = ed25519,
  header = {},
  payload = credentialOf(signer),
}: Made = {}): Promise<string> {
  const members = { alg: alg(signer), typ: 'vc+jwt', cty: 'vc', kid: signer.verificationMethod, ...header }
  const input = jwsSigningInput(members, payload)
  return `${input}.${Buffer.from(await signer.sign(Buffer.from(input))).toString('base64url')}`
}

export const asJwt = (text: string) => enveloped(`data:application/vc+jwt,${text}`)
export const bytes = (text: string) => new TextEncoder().encode(text)
export const asCose = (message: Uint8Array) =>
  enveloped(`data:application/vc+cose;base64,${Buffer.from(message).toString('base64')}`)

interface MadeCose {
  signer?: TestSigner
  header?: CborMap
  payload?: Uint8Array
  detached?: boolean
}

export const cose = ({ signer = ed25519, header = new Map(), payload, detached = false }: MadeCose = {}) =>
  signCoseSign1(
    {
      protected: new Map([
        [HEADER.kid, bytes(signer.verificationMethod)],
        [HEADER.typ, 'application/vc+cose'],
        [HEADER.contentType, 'application/vc'],
        ...header,
      ]),
      payload: payload ?? bytes(JSON.stringify(credentialOf(signer))),
      detached,
    },
    signer,
  )

/** `verified`, or the code of the first reason. */
export async function verdict(envelope: Json): Promise<string> {
  try {
    const opened = openEnvelope(envelope)
    const credential = normaliseForVerify(opened.credential)
    const request = { credential, envelope: opened, now, resolveDid: resolveTestDid, checkProof }
    const { verified, reason } = await verifyCredential(request)
    return verified ? 'verified' : String(reason[0]?.code ?? reason[0]?.type)
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}

export const asSdJwt = (text: string) => enveloped(`data:application/vc+sd-jwt,${text.trim()}`)
