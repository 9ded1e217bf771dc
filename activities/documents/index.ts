import { randomBytes } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { Filling } from '../../protocol/compact-credentials/pdfs/fill.ts'
import type { ReadTemplate, Upload } from '../../protocol/compact-credentials/pdfs/read.ts'
import { createDocumentLoader } from '../../protocol/contexts/index.ts'
import { canonizePlain } from '../../protocol/data-integrity/canonize.ts'
import {
  assertStatements,
  type CheckProof,
  checkSigner,
  completeProof,
  createdFor,
  createProofCheck,
  type DeriveRequest,
  ephemeralSecret,
  isSelective,
  type Json,
  type ProofRequest,
  type ProofType,
  prepareProof,
  type SignRequest,
  suiteOf,
  suiteOfProof,
} from '../../protocol/data-integrity/index.ts'
import { createShapes } from '../../protocol/data-integrity/shapes.ts'
import { overDocument, Refusal } from '../../protocol/errors.ts'
import { expand } from '../../protocol/json-ld.ts'
import type { QrDrawing } from '../../protocol/qr-code.ts'
import { type Verdict, type VerifyRequest, verifyCredential } from '../../protocol/semantic-credentials/index.ts'
import type { Conversion, LinkedData } from '../../protocol/semantic-credentials/linked-data.ts'
import { type MeaningRequest, meansTheSame } from '../../protocol/semantic-credentials/presentations/meaning.ts'
import type { ListOfListsText, ListText, SignedList, SignedListOfLists } from '../../protocol/trust-lists/etsi/read.ts'
import { gatherContexts } from './contexts.ts'
import { isLight } from './lanes.ts'
import { createMainLane } from './main-lane.ts'
import { createDocumentPool, type DocumentPoolOptions } from './pool.ts'
import type { Owner, Scan, TaskName, Tasks } from './types.ts'

export { createDocumentPool, type DocumentPool, type DocumentPoolOptions } from './pool.ts'
export type { Owner } from './types.ts'

export interface DocumentsOptions extends DocumentPoolOptions {
  random?: (bytes: number) => Uint8Array
}

/** The keys of a proof with selective disclosure are drawn here. */
type Unkeyed = Omit<SignRequest, 'hmacKey' | 'ephemeral'>

export interface Documents {
  /** Throws `Refusal` as `prepareProof` and `checkSigner` do, and what the signer throws. */
  sign(request: Unkeyed, owner: Owner): Promise<Json>
  /** Prepares a proof as `sign` does, in a thread, and drops it: for a document of a shape that is never signed. */
  rehearse(
    request: Omit<ProofRequest, 'created' | 'hmacKey' | 'ephemeral'> & { now: Date },
    owner: Owner,
  ): Promise<void>
  /** Makes the checks of `sign` on a document that is signed in an envelope. `alike`: it is one of many similar ones. */
  inspect(document: Json, owner: Owner, alike?: boolean): Promise<undefined>
  /** Signs one of many similar documents: large ones share work within a tenant too. */
  signLike(request: Unkeyed, owner: Owner): Promise<Json>
  verify(request: Omit<VerifyRequest, 'checkProof'>, owner: Owner): Promise<Verdict>
  derive(request: DeriveRequest, owner: Owner): Promise<Json>
  /** For documents that contain others, such as presentations. */
  checkProof(owner: Owner): CheckProof
  /** Throws as `convertLinkedData` does. */
  convert(conversion: Conversion, owner: Owner): Promise<LinkedData>
  /** Throws as `meansTheSame` of the presentations does. */
  meansTheSame(request: MeaningRequest, owner: Owner): Promise<boolean>
  /** Expanded JSON-LD. `safe`: undefined terms are refused, not dropped. Throws as `expand` does. */
  expand(request: Tasks['expand']['input'], owner: Owner): Promise<object[]>
  /** PNG of a short text as a data: URL. Throws `Refusal('qr_code.too_long')`. */
  qrCode(text: string, owner: Owner): Promise<string>
  /** A PNG in base64, or SVG. Throws `Refusal('qr_code.too_narrow')`. */
  drawQrCode(drawing: QrDrawing, owner: Owner): Promise<string>
  /** The texts of the QR codes in a file, each once. Throws as `scan` does, and `scan.too_complex`. */
  scan(file: Scan, owner: Owner): Promise<string[]>
  /** Throws as `readUpload` does, and `Refusal('pdf_template.too_complex')`. */
  readPdfTemplate(upload: Upload, owner: Owner): Promise<ReadTemplate>
  /** Throws as `fillPdf` does, and `Refusal('pdf_template.too_complex')`. */
  fillPdf(filling: Filling, owner: Owner): Promise<Uint8Array>
  /** Sanitised HTML. Throws as `renderMarkdown` of the content does, and `Refusal('content.too_complex')`. */
  renderMarkdown(text: string, owner: Owner): Promise<string>
  /** Throws as `readEtsiList` does, and `Refusal('trust_list.source_too_complex')`. */
  readTrustList(list: ListText, owner: Owner): Promise<SignedList>
  /** Throws as `readListOfLists` of the protocol does, and `Refusal('trust_list.lotl_too_complex')`. */
  readListOfLists(list: ListOfListsText, owner: Owner): Promise<SignedListOfLists>
  /** The addresses of the pivots of a list of lists. Throws as `pivotsIn` does, and `Refusal('trust_list.lotl_too_complex')`. */
  readPivots(text: string, owner: Owner): Promise<string[]>
  close(): Promise<void>
}

/** For documents that we make, which name only bundled contexts. */
export const bundledOnly = (tenantId: string): Owner => ({ tenantId, lookup: () => undefined })

/**
 * Signs, verifies and derives credentials. Small ones with bundled contexts are processed here; BBS, large ones and
 * foreign contexts in threads that hold no keys and no network: signer and DID resolution stay on this side, and
 * contexts are looked up here.
 */
export function createDocuments({ random = randomBytes, ...options }: DocumentsOptions = {}): Documents {
  const pool = createDocumentPool(options)
  const bundled = { documentLoader: createDocumentLoader() }
  const checkHere = createProofCheck(bundled)
  const mainLane = createMainLane()
  const canonizeLike = createShapes()

  async function inThread<Name extends TaskName>(
    name: Name,
    input: Tasks[Name]['input'],
    document: Json,
    owner: Owner,
  ) {
    return pool.run({ name, input, contexts: await gatherContexts(document, owner.lookup) }, owner)
  }

  /** Runs a light document on the main thread; one that proves too complex there may take longer in a worker thread. */
  async function inLane<Name extends TaskName>(
    light: boolean,
    { tenantId, isOurs = false }: Owner,
    work: () => Promise<Tasks[Name]['output']>,
    elsewhere: () => Promise<Tasks[Name]['output']>,
  ) {
    if (!light || !(isOurs || mainLane.takes(tenantId))) return elsewhere()
    try {
      return await mainLane.measure(tenantId, () => overDocument(work))
    } catch (error) {
      if (error instanceof Refusal && error.code === 'credential.too_complex') return elsewhere()
      throw error
    }
  }

  const checkProof =
    (owner: Owner): CheckProof =>
    (check) => {
      const suite = suiteOfProof(check.proof)
      const light = !(suite && isSelective(suite)) && isLight({ ...check.document, proof: check.proof })
      const elsewhere = () => inThread('check', check, { ...check.document, proof: check.proof }, owner)
      return inLane<'check'>(light, owner, () => checkHere(check), elsewhere)
    }

  const isForHolders = (proofType: ProofType) => isSelective(suiteOf(proofType))

  const dated = ({ now, ...request }: Parameters<Documents['rehearse']>[0]): ProofRequest => ({
    ...request,
    created: createdFor(request.proofType, now),
    ...(isForHolders(request.proofType) && { hmacKey: random(32) }),
    ...(suiteOf(request.proofType).signature === 'sd' && { ephemeral: ephemeralSecret(random(48)) }),
  })

  const proofRequest = ({ signer, ...request }: Unkeyed): ProofRequest => {
    checkSigner(signer, request.proofType)
    const { verificationMethod, keyType } = signer
    return dated({ ...request, verificationMethod, keyType })
  }

  /** The canonical form of documents of one shape is learnt once per tenant (D-084). */
  const canonizeFor = (owner: Owner) => (document: object) =>
    canonizeLike(
      owner.tenantId,
      { ...document },
      (whole) =>
        inLane<'canonize'>(
          isLight(whole),
          owner,
          () => canonizePlain(whole, bundled),
          () => inThread('canonize', whole, whole, owner),
        ),
      async (whole) => (await gatherContexts(whole, owner.lookup)).values(),
    )

  const sign = async (request: Unkeyed, owner: Owner, alike: boolean): Promise<Json> => {
    const { credential, proofType, signer } = request
    const input = proofRequest(request)
    const inTurn = () => inThread('prepare', input, credential, owner)
    const prepare = () => {
      if (isForHolders(proofType)) return inTurn()
      // what is learnt of a shape is of another hash than that of P-384
      if (signer.keyType === 'p384')
        return inLane<'prepare'>(isLight(credential), owner, () => prepareProof(input, bundled), inTurn)
      return alike || isLight(credential) ? prepareProof(input, { ...bundled, canonize: canonizeFor(owner) }) : inTurn()
    }
    const prepared = await prepare()
    return completeProof(credential, prepared, signer)
  }

  return {
    sign: (request, owner) => sign(request, owner, false),
    signLike: (request, owner) => sign(request, owner, true),
    inspect: (document, owner, alike = false) =>
      alike || isLight(document)
        ? assertStatements(document, { ...bundled, canonize: canonizeFor(owner) })
        : inThread('inspect', document, document, owner),
    async rehearse(request, owner) {
      await inThread('prepare', dated(request), request.credential, owner)
    },
    verify: (request, owner) => verifyCredential({ ...request, checkProof: checkProof(owner) }),
    derive: (request, owner) => inThread('derive', request, request.credential, owner),
    checkProof,
    convert: (conversion, owner) => {
      const { from } = conversion
      return inThread('convert', conversion, from.format === 'jsonld' ? from.document : {}, owner)
    },
    async meansTheSame(request, owner) {
      await turn() // one presentation may need hundreds of comparisons, and other requests wait
      const light = isLight(request.credential) && isLight(request.pattern)
      const elsewhere = () => inThread('meansTheSame', request, { ...request }, owner)
      return inLane<'meansTheSame'>(light, owner, () => meansTheSame(request, bundled), elsewhere)
    },
    expand: (request, owner) => {
      const elsewhere = () => inThread('expand', request, request.document, owner)
      return inLane<'expand'>(
        isLight(request.document),
        owner,
        () => expand(request.document, bundled, request),
        elsewhere,
      )
    },
    qrCode: (text, owner) => pool.run({ name: 'qrCode', input: text, contexts: new Map() }, owner),
    drawQrCode: (input, owner) => pool.run({ name: 'drawQrCode', input, contexts: new Map() }, owner),
    scan: (input, owner) => pool.run({ name: 'scan', input, contexts: new Map() }, owner),
    readPdfTemplate: (input, owner) => pool.run({ name: 'readPdfTemplate', input, contexts: new Map() }, owner),
    fillPdf: (input, owner) => pool.run({ name: 'fillPdf', input, contexts: new Map() }, owner),
    renderMarkdown: (input, owner) => pool.run({ name: 'renderMarkdown', input, contexts: new Map() }, owner),
    readTrustList: (input, owner) => pool.run({ name: 'readTrustList', input, contexts: new Map() }, owner),
    readListOfLists: (input, owner) => pool.run({ name: 'readListOfLists', input, contexts: new Map() }, owner),
    readPivots: (input, owner) => pool.run({ name: 'readPivots', input, contexts: new Map() }, owner),
    close: () => pool.close(),
  }
}
