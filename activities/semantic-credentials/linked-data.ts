import type { Json } from '../../protocol/data-integrity/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import { parseJson } from '../../protocol/json.strict.ts'
import { isObject } from '../../protocol/json.ts'
import {
  assertDocument,
  isLinkedDataFormat,
  LINKED_DATA_FORMATS,
  type LinkedData,
  type LinkedDataFormat,
} from '../../protocol/semantic-credentials/linked-data.ts'
import type { Dependencies } from '../dependencies.ts'
import type { TenantContexts } from './contexts.ts'

const ENCODINGS = ['text', 'base64'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** Linked data of a request or an answer: an object for JSON-LD as text, else a string. */
export interface EncodedLinkedData {
  data: Json | string
  metadata: { encoding: Encoding; format: LinkedDataFormat }
}

export interface ConvertRequest {
  /** A JSON-LD document, or an `EncodedLinkedData`. */
  data: Json
  inputFormat: string
  outputEncoding: string
  outputFormat: string
}

const refuse = (path: string, message: string): Refusal =>
  new Refusal('request.invalid', `${path} is not valid; see errors.`, [{ path, code: 'schema', message }])

function formatOf(path: string, value: unknown): LinkedDataFormat {
  if (isLinkedDataFormat(value)) return value
  throw refuse(path, `expected one of ${LINKED_DATA_FORMATS.join(', ')}`)
}

function encodingOf(path: string, value: unknown): Encoding {
  if (value === 'text' || value === 'base64') return value
  throw refuse(path, `expected one of ${ENCODINGS.join(', ')}`)
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

function bytesOf(data: unknown): Buffer {
  if (typeof data !== 'string' || data.length % 4 !== 0 || !BASE64.test(data))
    throw refuse('data.data', 'expected base64')
  return Buffer.from(data, 'base64')
}

function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (!Buffer.from(text, 'utf8').equals(bytes)) throw refuse('data.data', 'expected base64 of UTF-8')
  return text
}

/** The text comes from the caller like the body around it, so the same rules apply to it (D-007). */
function documentOf(text: string): Json {
  let document: unknown
  try {
    document = parseJson(text)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const [{ code, message } = { code: 'jsonld', message: 'expected JSON' }] = error.errors
    const reason = error.message.replace(/^The body\b/, 'The data')
    throw new Refusal('linked_data.unreadable', reason, [{ path: 'data.data', code, message }])
  }
  assertDocument(document)
  return document
}

/** An object with only `{data, metadata}` is the answer of an earlier conversion; any other object is JSON-LD. */
function read({ data: given, inputFormat }: ConvertRequest): LinkedData {
  const format = formatOf('options.input_format', inputFormat)
  const { data, metadata, ...rest } = given
  if (!isObject(metadata) || data === undefined || Object.keys(rest).length > 0) {
    if (format !== 'jsonld') throw refuse('data', `expected {data, metadata} for ${format}, which is not a JSON object`)
    return { format, document: given }
  }
  if (metadata.format !== undefined && formatOf('data.metadata.format', metadata.format) !== format)
    throw refuse('data.metadata.format', 'expected the same as options.input_format')
  const encoding = encodingOf('data.metadata.encoding', metadata.encoding ?? (format === 'cborld' ? 'base64' : 'text'))
  if (format === 'cborld') {
    if (encoding === 'text') throw refuse('data.metadata.encoding', 'expected base64: CBOR-LD is binary')
    return { format, bytes: bytesOf(data) }
  }
  if (encoding === 'text' && format === 'jsonld' && isObject(data)) return { format, document: data }
  const text = encoding === 'base64' ? textOf(bytesOf(data)) : data
  if (typeof text !== 'string') throw refuse('data.data', 'expected text')
  if (format === 'n-quads') return { format, text }
  return { format, document: documentOf(text) }
}

function write(converted: LinkedData, encoding: Encoding): EncodedLinkedData {
  const { format } = converted
  const base64 = (content: string | Uint8Array) => Buffer.from(content).toString('base64')
  const metadata = { encoding, format }
  if (converted.format === 'cborld') return { data: base64(converted.bytes), metadata }
  if (converted.format === 'n-quads')
    return { data: encoding === 'text' ? converted.text : base64(converted.text), metadata }
  return { data: encoding === 'text' ? converted.document : base64(JSON.stringify(converted.document)), metadata }
}

/** Linked data in other forms (specification, convertLinkedData). */
export const createLinkedData = ({
  documents,
  contexts,
}: Pick<Dependencies, 'documents'> & { contexts: TenantContexts }) => ({
  /**
   * Throws `Refusal` with `request.invalid` naming the option, `linked_data.unreadable`, `linked_data.not_encodable`,
   * `context.*`, and `credential.term_undefined`, `credential.invalid` or `credential.too_complex` for the document.
   */
  async convert(tenantId: string, request: ConvertRequest): Promise<EncodedLinkedData> {
    const to = formatOf('options.output_format', request.outputFormat)
    const encoding = encodingOf('options.output_encoding', request.outputEncoding)
    if (to === 'cborld' && encoding === 'text')
      throw refuse('options.output_encoding', 'expected base64: CBOR-LD is binary')
    const converted = await documents.convert({ from: read(request), to }, contexts.lookupFor(tenantId))
    return write(converted, encoding)
  },
})
