import type { KeyObject } from 'node:crypto'
import { DeviceSignedDocument, type IssuerSignedDocument, parse } from '@auth0/mdl'
import { type Cbor, encodeCbor } from '../cose/cbor.ts'
import type { CoseSign1 } from '../cose/sign1.ts'
import { Refusal } from '../errors.ts'
import { type DeviceProof, isBeyondLibrary, isSignedByKey } from './device-auth.ts'
import { embed } from './issuer-signed.ts'
import { MDOC, type Mdoc } from './read.ts'

const coseOf = ({ protectedBytes, signature }: CoseSign1, payload: Uint8Array): Cbor[] => [
  protectedBytes,
  new Map(),
  payload,
  signature,
]

/**
 * A device response with one document. It contains what is verified and nothing else that a sender wrote: elements are
 * compared with their digests by our own decoding (`digests.ts`).
 */
function responseOf({ issuerAuth, mso }: Mdoc, proof: DeviceProof | undefined): Uint8Array {
  const issuerSigned = new Map<string, Cbor>([
    ['nameSpaces', new Map()],
    ['issuerAuth', coseOf(issuerAuth, issuerAuth.payload ?? new Uint8Array())],
  ])
  const document = new Map<string, Cbor>([
    ['docType', mso.docType],
    ['issuerSigned', issuerSigned],
  ])
  if (proof)
    document.set(
      'deviceSigned',
      new Map<string, Cbor>([
        ['nameSpaces', embed(new Map())], // the payload of the proof has them as they were received
        ['deviceAuth', new Map([[proof.member, coseOf(proof.message, proof.payload)]])],
      ]),
    )
  return encodeCbor(
    new Map<string, Cbor>([
      ['version', '1.0'],
      ['documents', [document]],
      ['status', 0],
    ]),
  )
}

/** The library throws for algorithms and keys that it does not take. */
async function holds(check: () => Promise<boolean>): Promise<boolean> {
  try {
    return await check()
  } catch {
    return false
  }
}

/** What @auth0/mdl says of an mdoc. */
export class MdlDocument {
  readonly #document: IssuerSignedDocument
  readonly #proof: DeviceProof | undefined

  /** Throws `credential.malformed` for an mdoc that the library does not read. */
  constructor(mdoc: Mdoc, proof: DeviceProof | undefined) {
    try {
      const [document] = parse(responseOf(mdoc, proof)).documents
      if (!document) throw new Error('the response has no document')
      this.#document = document
      this.#proof = proof
    } catch (cause) {
      throw new Refusal(MDOC.code, 'The mdoc is malformed: its MSO or its device authentication.', [], { cause })
    }
  }

  /** Whether the key signed IssuerAuth. The hash runs off the event loop. */
  isSignedBy(key: KeyObject): Promise<boolean> {
    const { issuerAuth } = this.#document.issuerSigned
    return holds(() => issuerAuth.verify(key))
  }

  /** Whether the proof verifies with its key. */
  isDeviceAuthentic(): Promise<boolean> {
    const [document, proof] = [this.#document, this.#proof]
    if (!proof || !(document instanceof DeviceSignedDocument)) return Promise.resolve(false)
    const { key, message, payload } = proof
    if (!(key instanceof Uint8Array) && isBeyondLibrary(message, key))
      return Promise.resolve(isSignedByKey({ ...message, payload }, key))
    const { deviceSignature, deviceMac } = document.deviceSigned.deviceAuth
    return holds(async () => (await (deviceSignature ?? deviceMac)?.verify(proof.key)) === true)
  }
}
