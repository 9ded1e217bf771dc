import { randomBytes } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { type ContextLookup, createDocumentLoader } from '../../protocol/contexts/index.ts'
import { canonizePlain } from '../../protocol/data-integrity.canonize.ts'
import { createShapes } from '../../protocol/data-integrity.shapes.ts'
import {
  type CheckProof,
  checkSigner,
  completeProof,
  createdFor,
  createProofCheck,
  type DeriveRequest,
  type Json,
  type ProofRequest,
  type ProofType,
  prepareProof,
  type SignRequest,
  suiteOf,
  suiteOfProof,
} from '../../protocol/data-integrity.ts'
import { overDocument, Refusal } from '../../protocol/errors.ts'
import type { Conversion, LinkedData } from '../../protocol/semantic-credentials.linked-data.ts'
import { type MeaningRequest, meansTheSame } from '../../protocol/semantic-credentials.presentations.meaning.ts'
import { type Verdict, type VerifyRequest, verifyCredential } from '../../protocol/semantic-credentials.ts'
import { gatherContexts } from './contexts.ts'
import { isLight } from './lanes.ts'
import { createDocumentPool, type DocumentPoolOptions } from './pool.ts'
import type { TaskName, Tasks } from './types.ts'

export { createDocumentPool, type DocumentPool, type DocumentPoolOptions } from './pool.ts'

export interface DocumentsOptions extends DocumentPoolOptions {
  random?: (bytes: number) => Uint8Array
}

export interface Documents {
  /** Throws `Refusal` as `prepareProof` and `checkSigner` do, and what the signer throws. */
  sign(request: Omit<SignRequest, 'hmacKey'>, contexts?: ContextLookup): Promise<Json>
  /** The same for one of many that are alike; those of one scope, with one set of contexts, share what they can. */
  signLike(scope: string, request: Omit<SignRequest, 'hmacKey'>, contexts?: ContextLookup): Promise<Json>
  verify(request: Omit<VerifyRequest, 'checkProof'>, contexts?: ContextLookup): Promise<Verdict>
  derive(request: DeriveRequest, contexts?: ContextLookup): Promise<Json>
  /** For checks of documents that hold others, such as presentations. */
  checkProof(contexts?: ContextLookup): CheckProof
  /** Throws as `convertLinkedData` does. */
  convert(conversion: Conversion, contexts?: ContextLookup): Promise<LinkedData>
  /** Throws as `meansTheSame` of the presentations does. */
  meansTheSame(request: MeaningRequest, contexts?: ContextLookup): Promise<boolean>
  /** PNG of a short text as a data: URL. Throws `Refusal('qr_code.too_long')`. */
  qrCode(text: string): Promise<string>
  close(): Promise<void>
}

const nothingElse: ContextLookup = () => undefined

/**
 * Signs, verifies and derives credentials. Small ones with bundled contexts are processed here; BBS, large ones and
 * foreign contexts in threads that hold no keys and no network: signer and DID resolution stay on this side, and
 * contexts are looked up here.
 */
export function createDocuments({ random = randomBytes, ...options }: DocumentsOptions = {}): Documents {
  const pool = createDocumentPool(options)
  const bundled = { documentLoader: createDocumentLoader() }
  const checkHere = createProofCheck(bundled)
  const canonizeLike = createShapes()

  async function inThread<Name extends TaskName>(
    name: Name,
    input: Tasks[Name]['input'],
    document: Json,
    lookup: ContextLookup,
  ) {
    return pool.run({ name, input, contexts: await gatherContexts(document, lookup) }, lookup)
  }

  /** What the main thread gives up on, because the graph is knotted, a thread may try for longer. */
  async function inLane<Name extends TaskName>(
    here: boolean,
    work: () => Promise<Tasks[Name]['output']>,
    elsewhere: () => Promise<Tasks[Name]['output']>,
  ) {
    if (!here) return elsewhere()
    try {
      return await overDocument(work)
    } catch (error) {
      if (error instanceof Refusal && error.code === 'credential.too_complex') return elsewhere()
      throw error
    }
  }

  const checkProof =
    (lookup: ContextLookup): CheckProof =>
    (check) => {
      const here = suiteOfProof(check.proof)?.signature !== 'bbs' && isLight({ ...check.document, proof: check.proof })
      const elsewhere = () => inThread('check', check, { ...check.document, proof: check.proof }, lookup)
      return inLane<'check'>(here, () => checkHere(check), elsewhere)
    }

  const isBbs = (proofType: ProofType) => suiteOf(proofType).signature === 'bbs'

  const proofRequest = ({ signer, now, ...request }: Omit<SignRequest, 'hmacKey'>): ProofRequest => {
    checkSigner(signer, request.proofType)
    const { verificationMethod } = signer
    const created = createdFor(request.proofType, now)
    return { ...request, verificationMethod, created, ...(isBbs(request.proofType) && { hmacKey: random(32) }) }
  }

  const sign: Documents['sign'] = async (request, lookup = nothingElse) => {
    const { credential, proofType, signer } = request
    const input = proofRequest(request)
    const elsewhere = () => inThread('prepare', input, credential, lookup)
    const here = !isBbs(proofType) && isLight(credential)
    return completeProof(
      credential,
      await inLane<'prepare'>(here, () => prepareProof(input, bundled), elsewhere),
      signer,
    )
  }

  return {
    sign,
    async signLike(scope, request, lookup = nothingElse) {
      const { credential, proofType, signer } = request
      if (isBbs(proofType)) return sign(request, lookup)
      const full = (document: Json) =>
        inLane<'canonize'>(
          isLight(document),
          () => canonizePlain(document, bundled),
          () => inThread('canonize', document, document, lookup),
        )
      const shared = { ...bundled, canonize: (document: object) => canonizeLike(scope, { ...document }, full) }
      return completeProof(credential, await prepareProof(proofRequest(request), shared), signer)
    },
    verify: (request, lookup = nothingElse) => verifyCredential({ ...request, checkProof: checkProof(lookup) }),
    derive: (request, lookup = nothingElse) => inThread('derive', request, request.credential, lookup),
    checkProof: (lookup = nothingElse) => checkProof(lookup),
    convert: (conversion, lookup = nothingElse) => {
      const { from } = conversion
      return inThread('convert', conversion, from.format === 'jsonld' ? from.document : {}, lookup)
    },
    async meansTheSame(request, lookup = nothingElse) {
      await turn() // a template may ask hundreds of times of one presentation, and others wait for their answers
      const here = isLight(request.credential) && isLight(request.pattern)
      const elsewhere = () => inThread('meansTheSame', request, { ...request }, lookup)
      return inLane<'meansTheSame'>(here, () => meansTheSame(request, bundled), elsewhere)
    },
    qrCode: (text) => pool.run({ name: 'qrCode', input: text, contexts: new Map() }, nothingElse),
    close: () => pool.close(),
  }
}
