import type { Filling } from '../../protocol/compact-credentials/pdfs/fill.ts'
import type { ReadTemplate, Upload } from '../../protocol/compact-credentials/pdfs/read.ts'
import type { ContextLookup } from '../../protocol/contexts/index.ts'
import type {
  DeriveRequest,
  Json,
  PreparedProof,
  ProofCheck,
  ProofRequest,
  ProofVerdict,
} from '../../protocol/data-integrity/index.ts'
import type { FieldError } from '../../protocol/errors.ts'
import type { QrDrawing } from '../../protocol/qr-code.ts'
import type { Conversion, LinkedData } from '../../protocol/semantic-credentials/linked-data.ts'
import type { MeaningRequest } from '../../protocol/semantic-credentials/presentations/meaning.ts'
import type { ListOfListsText, ListText, SignedList, SignedListOfLists } from '../../protocol/trust-lists/etsi/read.ts'

/** A file that is searched for QR codes. */
export interface Scan {
  file: Uint8Array
  /** What a wanted text begins with: the pages of a PDF after the first one that has such a text are not read. */
  prefix: string
}

/** Owner of a document: tenants share threads fairly, and have their own contexts besides the bundled ones. */
export interface Owner {
  tenantId: string
  lookup: ContextLookup
  /** True for the platform's own documents: light ones always run on the event loop. */
  isOurs?: boolean
}

/** What a thread can do; each is pure computation over plain data, without any key or network. */
export interface Tasks {
  prepare: { input: ProofRequest; output: PreparedProof }
  /** Checks a document that is signed as JSON. */
  inspect: { input: Json; output: undefined }
  /** Canonical N-Quads. */
  canonize: { input: Json; output: string }
  check: { input: ProofCheck; output: ProofVerdict }
  derive: { input: DeriveRequest; output: Json }
  convert: { input: Conversion; output: LinkedData }
  meansTheSame: { input: MeaningRequest; output: boolean }
  expand: { input: { document: Json; safe: boolean }; output: object[] }
  qrCode: { input: string; output: string }
  drawQrCode: { input: QrDrawing; output: string }
  scan: { input: Scan; output: string[] }
  readPdfTemplate: { input: Upload; output: ReadTemplate }
  fillPdf: { input: Filling; output: Uint8Array }
  /** Markdown to HTML. */
  renderMarkdown: { input: string; output: string }
  /** Verifies and reads a list of ETSI. */
  readTrustList: { input: ListText; output: SignedList }
  /** Verifies and reads a list of lists. */
  readListOfLists: { input: ListOfListsText; output: SignedListOfLists }
  /** The addresses of the pivots of a list of lists, which is not verified. */
  readPivots: { input: string; output: string[] }
}
export type TaskName = keyof Tasks

export interface ThreadTask<Name extends TaskName = TaskName> {
  name: Name
  input: Tasks[Name]['input']
  /** Contexts that the main thread has looked up already, by URL. */
  contexts: Map<string, object>
}

/** Error classes are lost between threads, so a refusal or a fault is sent as data. */
export type ThreadAnswer<Output> = {
  /** Milliseconds of work of the thread on the task. */
  workMs: number
} & (
  | { done: true; output: Output }
  | { done: false; refusal: { code: string; message: string; errors: FieldError[] } }
  | { done: false; fault: unknown }
)

/** Thread to main: the task has begun, with the CPU time of the thread so far and its bytes beside the heap; or it needs a context. */
export type ThreadMessage =
  | { kind: 'begun'; threadId: number; usage: NodeJS.CpuUsage; externalBytes: number }
  | { kind: 'context'; url: string }

/** Main to thread: the context, or that there is none; the main thread keeps the reason. */
export interface ContextMessage {
  url: string
  document: object | undefined
}
