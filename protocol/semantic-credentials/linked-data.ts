import { decode, encode } from '@digitalbazaar/cborld'
import { NQuads } from 'rdf-canonize'
import { refuseImports } from '../contexts/index.ts'
import { type CanonizeOptions, canonize } from '../data-integrity/canonize.ts'
import type { Json } from '../data-integrity/index.ts'
import { refusalOf } from '../data-integrity/refusals.ts'
import { Refusal } from '../errors.ts'
import { isExactNumber } from '../json.numbers.ts'
import { parseJson } from '../json.strict.ts'
import { isObject } from '../json.ts'
import { expand, fromRdf } from '../json-ld.ts'
import { boundsErrors } from './bounds.ts'

/** `n-quads` are canonical as output (RDF Dataset Canonicalization 1.0); `cborld` is CBOR-LD 1.0, draft 8. */
export const LINKED_DATA_FORMATS = ['jsonld', 'n-quads', 'cborld'] as const
export type LinkedDataFormat = (typeof LINKED_DATA_FORMATS)[number]

export const isLinkedDataFormat = (value: unknown): value is LinkedDataFormat =>
  (LINKED_DATA_FORMATS as readonly unknown[]).includes(value)

/** Linked data in one of its forms: a document, N-Quads, or the bytes of CBOR-LD. */
export type LinkedData =
  | { format: 'jsonld'; document: Json }
  | { format: 'n-quads'; text: string }
  | { format: 'cborld'; bytes: Uint8Array }

export interface Conversion {
  from: LinkedData
  to: LinkedDataFormat
}

const unreadable = (format: LinkedDataFormat, message: string): Refusal =>
  new Refusal('linked_data.unreadable', `The data is not valid ${format}: ${message}.`, [
    { path: 'data', code: format, message },
  ])

/** Whether a CBOR value is JSON too: CBOR also has bytes, large integers, undefined, minus zero. */
function isJson(value: unknown, depth = 0): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return !Object.is(value, -0) && isExactNumber(String(value))
  if (typeof value !== 'object' || depth > 64) return false
  const plain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
  return plain && Object.values(value).every((member) => isJson(member, depth + 1))
}

/** Throws `Refusal('linked_data.unreadable' | 'context.invalid')` for documents that the libraries must not process. */
export function assertDocument(value: unknown, format: LinkedDataFormat = 'jsonld'): asserts value is Json {
  if (!isObject(value) || !isJson(value)) throw unreadable(format, 'not a JSON object')
  const [error] = boundsErrors(value)
  if (error) throw unreadable(format, `${error.path || 'the document'}: ${error.message}`)
  refuseImports(value)
}

async function fromCborld(cborldBytes: Uint8Array, { documentLoader }: CanonizeOptions): Promise<Json> {
  let document: unknown
  try {
    document = await decode({ cborldBytes, documentLoader })
  } catch (error) {
    const refusal = refusalOf(error, {})
    if (refusal) throw refusal
    // the library has no error class for invalid input: any other error is about these bytes
    throw unreadable('cborld', 'it cannot be decoded')
  }
  assertDocument(document, 'cborld')
  return document
}

const JSON_LITERAL = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON'

async function fromNQuads(text: string): Promise<Json> {
  try {
    const dataset = NQuads.parse(text)
    // jsonld recognises blank nodes by this prefix, and adds it to subjects and objects only: a proof is an unnamed
    // graph
    for (const { graph } of dataset) if (graph.termType === 'BlankNode') graph.value = `_:${graph.value}`
    // jsonld parses these as JSON, where a number may change and a name may be reserved (D-007)
    for (const { object } of dataset) if (object.datatype?.value === JSON_LITERAL) parseJson(object.value)
    return { '@graph': await fromRdf(dataset) }
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 200).replace(/\.$/, '') : 'it cannot be parsed'
    throw unreadable('n-quads', reason)
  }
}

const documentOf = async (data: LinkedData, options: CanonizeOptions): Promise<Json> => {
  if (data.format === 'cborld') return fromCborld(data.bytes, options)
  if (data.format === 'n-quads') return fromNQuads(data.text)
  assertDocument(data.document)
  return data.document
}

async function toCborld(document: Json, { documentLoader }: CanonizeOptions): Promise<Uint8Array> {
  try {
    return await encode({ jsonldDocument: document, documentLoader, registryEntryId: 1 })
  } catch (error) {
    const refusal = refusalOf(error, document)
    if (refusal) throw refusal
    throw new Refusal('linked_data.not_encodable', 'The document cannot be encoded as CBOR-LD.', [
      { path: 'data', code: 'cborld', message: error instanceof Error ? error.message.slice(0, 200) : 'not encodable' },
    ])
  }
}

/**
 * Converts linked data to another format. Throws `Refusal` with `linked_data.unreadable`, `linked_data.not_encodable`,
 * or as `canonize` does: undefined terms, contexts, and `credential.too_complex` for a poison graph.
 */
export async function convertLinkedData({ from, to }: Conversion, options: CanonizeOptions): Promise<LinkedData> {
  const document = await documentOf(from, options)
  if (to === 'n-quads') return { format: to, text: await canonize(document, options) }
  await expand(document, options) // safe mode: refuses undefined terms by name, for every output
  return to === 'jsonld' ? { format: to, document } : { format: to, bytes: await toCborld(document, options) }
}
