import { getHeapStatistics } from 'node:v8'
import { type MessagePort, threadId } from 'node:worker_threads'
import { contextUnknown, createDocumentLoader } from '../../protocol/contexts/index.ts'
import '../../protocol/data-integrity/bbs.ts' // the first proof must not wait for its tables
import '../../protocol/data-integrity/ecdsa-sd.ts'
import { canonizePlain } from '../../protocol/data-integrity/canonize.ts'
import {
  assertStatements,
  createProofCheck,
  deriveCredential,
  prepareProof,
} from '../../protocol/data-integrity/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import { expand } from '../../protocol/json-ld.ts'
import { drawQrCode, qrCode } from '../../protocol/qr-code.ts'
import { convertLinkedData } from '../../protocol/semantic-credentials/linked-data.ts'
import { meansTheSame } from '../../protocol/semantic-credentials/presentations/meaning.ts'
import { fenceIntrinsics } from '../frame/process/intrinsics.ts'
import type { ContextMessage, TaskName, Tasks, ThreadAnswer, ThreadMessage, ThreadTask } from './types.ts'

fenceIntrinsics()

/** Rounds of deep comparison, as a power of the similar nodes; DEEP_WORK_MS, not this bound, ends poison graphs. */
const MAX_WORK_FACTOR = 3
/** Time to compare similar nodes: a ring of fifty takes a third of it, honest credentials almost none. */
const DEEP_WORK_MS = 150

const milliseconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000

/** Requests contexts from the main thread that are neither bundled nor sent with the task, each one once. */
function remoteContexts(port: MessagePort, sent: Map<string, object>) {
  const answers = new Map<string, (document: object | undefined) => void>()
  const pendingContexts = new Map<string, Promise<object | undefined>>()
  port.on('message', ({ url, document }: ContextMessage) => answers.get(url)?.(document))
  const ask = (url: string): Promise<object | undefined> => {
    const answer = new Promise<object | undefined>((resolve) => answers.set(url, resolve))
    pendingContexts.set(url, answer)
    port.postMessage({ kind: 'context', url } satisfies ThreadMessage)
    return answer
  }
  return async (url: string): Promise<object> => {
    const document = sent.get(url) ?? (await (pendingContexts.get(url) ?? ask(url)))
    if (document === undefined) throw contextUnknown(url)
    return document
  }
}

/** Loaded when first needed, as the libraries of PDFs, and before the time of the task begins, which is short. */
const loadMarkdown = () => import('../../protocol/administration/content/markdown.ts')

/** Entry of a pool thread (piscina calls the default export): one task at a time. */
export default async function run<Name extends TaskName>({
  task,
  port,
}: {
  task: ThreadTask<Name>
  port: MessagePort
}): Promise<ThreadAnswer<Tasks[Name]['output']>> {
  if (task.name === 'renderMarkdown') await loadMarkdown()
  const usageAtStart = process.threadCpuUsage()
  const workMs = () => milliseconds(process.threadCpuUsage(usageAtStart))
  const { external_memory: externalBytes } = getHeapStatistics()
  port.postMessage({ kind: 'begun', threadId, usage: usageAtStart, externalBytes } satisfies ThreadMessage)
  const documentLoader = createDocumentLoader({ contexts: remoteContexts(port, task.contexts) })
  const deepWork = { limitMs: DEEP_WORK_MS, spentMs: () => milliseconds(process.threadCpuUsage()) }
  const options = { documentLoader, maxWorkFactor: MAX_WORK_FACTOR, deepWork }
  const verbs: { [Verb in TaskName]: (input: Tasks[Verb]['input']) => Promise<Tasks[Verb]['output']> } = {
    prepare: (input) => prepareProof(input, options),
    inspect: (input) => assertStatements(input, options),
    canonize: (input) => canonizePlain(input, options),
    check: createProofCheck(options),
    derive: (input) => deriveCredential(input, options),
    // less work than for proofs: any client may call this operation, and a poison graph ends at once
    convert: (input) => convertLinkedData(input, { documentLoader }),
    meansTheSame: (input) => meansTheSame(input, options),
    expand: ({ document, safe }) => expand(document, options, { safe }),
    qrCode,
    drawQrCode,
    // few threads need the decoders, which take some megabytes
    scan: async (input) => (await import('./scans/read.ts')).scan(input),
    // loaded when first needed: most threads make no PDF, and the libraries take 20 MB
    readPdfTemplate: async (input) =>
      (await import('../../protocol/compact-credentials/pdfs/read.ts')).readUpload(input),
    renderMarkdown: async (input) => (await loadMarkdown()).renderMarkdown(input),
    readTrustList: async (input) => (await import('../../protocol/trust-lists/etsi/read.ts')).readEtsiList(input),
    readListOfLists: async (input) => (await import('../../protocol/trust-lists/etsi/read.ts')).readListOfLists(input),
    readPivots: async (input) => (await import('../../protocol/trust-lists/etsi/xml/pivots.ts')).pivotsIn(input),
    fillPdf: async (input) => (await import('../../protocol/compact-credentials/pdfs/fill.ts')).fillPdf(input),
  }
  try {
    const output = await verbs[task.name](task.input)
    return { done: true, output, workMs: workMs() }
  } catch (error) {
    if (!(error instanceof Refusal)) return { done: false, fault: error, workMs: workMs() }
    const { code, message, errors } = error
    return { done: false, refusal: { code, message, errors }, workMs: workMs() }
  } finally {
    port.close()
  }
}
