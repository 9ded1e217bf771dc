import { pipeline } from 'node:stream/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import type { Request } from 'express'
import { type FieldError, Refusal, within } from '../../../protocol/errors.ts'
import { assertUsable, parseJson } from '../../../protocol/json.strict.ts'
import { isObject } from '../../../protocol/json.ts'
import { FILES } from './areas.ts'
import { FILE_BYTES, FILE_PART, propertiesWithFile } from './files.ts'
import type { FindPath, OpenApi } from './paths.ts'
import type { Schema } from './schemas.ts'

const MULTIPART_TYPE = /^multipart\/form-data\s*(;|$)/i

/** Bytes of a form beside its file. */
const FORM_BYTES = 64 * 1024
/** The largest form that is read. */
export const MULTIPART_BYTES = FILE_BYTES + FORM_BYTES

/** Bytes that are read at once: at most 2,000 of the smallest parts. */
const SLICE_BYTES = 16 * 1024

const LIMITS = {
  fileSize: FILE_BYTES,
  files: 1,
  fieldSize: FORM_BYTES,
  fieldNameSize: 100,
  parts: 1_100, // a list of 1,000 items, and the rest
  headerPairs: 16,
  headerSize: 4_096,
}

interface Part {
  name: string
  value: string
  isJson: boolean
}

/** A form as it was sent: the file, and the other parts in their order. */
interface Form {
  file: Buffer
  parts: Part[]
}

const invalid = (error: FieldError) =>
  new Refusal('request.invalid', 'The form does not match the operation; see errors.', [error])

const tooLarge = () => new Refusal('request.too_large', `The file is larger than ${FILE_BYTES / 2 ** 20} MiB.`)

const malformed = (cause?: unknown) =>
  new Refusal('request.malformed', 'The body is not a form of multipart/form-data (RFC 7578).', [], { cause })

const unnamed = () =>
  new Refusal('request.malformed', 'A part of the form has no name (RFC 7578, section 4.2); send one with each part.')

function parserOf(type: string): BusboyInstance {
  try {
    return new Busboy({ headers: { 'content-type': type }, limits: LIMITS })
  } catch (cause) {
    throw malformed(cause) // no boundary
  }
}

/** A form in slices, each read in a turn of the event loop of its own. */
async function* slicesOf(raw: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < raw.length; at += SLICE_BYTES) {
    if (at > 0) await nextTurn()
    yield raw.subarray(at, at + SLICE_BYTES)
  }
}

/** Stops at the first part that is refused, so that what follows it costs nothing (D-335). */
async function read(raw: Buffer, type: string): Promise<Form> {
  const parser = parserOf(type)
  const parts: Part[] = []
  let file: Buffer | undefined
  let refusal: Refusal | undefined
  const refuse = (error: Refusal) => {
    refusal ??= error
    parser.destroy(refusal)
  }
  parser.on('file', (name: string | undefined, stream) => {
    const chunks: Buffer[] = []
    if (name === undefined) refuse(unnamed())
    else if (name !== FILE_PART)
      refuse(invalid({ path: within('', name), code: 'schema', message: `expected '${FILE_PART}' as the file` }))
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('limit', () => refuse(tooLarge()))
    stream.on('error', (cause: Error) => refuse(malformed(cause)))
    stream.on('end', () => {
      file = Buffer.concat(chunks)
    })
  })
  parser.on('field', (name: string | undefined, value, nameIsCut, valueIsCut, _encoding, mediaType) => {
    if (name === undefined) return refuse(unnamed())
    if (nameIsCut || valueIsCut) return refuse(new Refusal('request.too_large', 'A part of the form is too large.'))
    if (value.includes('\uFFFD'))
      return refuse(new Refusal('request.not_utf8', 'A part of the form is not valid UTF-8; send it in that encoding.'))
    parts.push({ name, value, isJson: mediaType === 'application/json' })
  })
  for (const limit of ['filesLimit', 'partsLimit', 'fieldsLimit'] as const)
    parser.on(limit, () => refuse(new Refusal('request.too_large', 'The form has too many parts, or several files.')))
  try {
    await pipeline(slicesOf(raw), parser)
  } catch (cause) {
    throw refusal ?? malformed(cause)
  }
  if (file) return { file, parts }
  throw invalid({ path: FILE_PART, code: 'required', message: 'expected a part with a file' })
}

/** A part as the schema of its member reads it; what does not fit stays a text, which the validation refuses. */
function memberValue({ name, value, isJson }: Part, { type }: Schema): unknown {
  if (isJson) return parseJson(value)
  assertUsable(value, name)
  return type === 'boolean' && /^(true|false)$/.test(value) ? value === 'true' : value
}

/** The members of a form: one part for each, and for a list one part for each item, or JSON. */
function membersOf(parts: readonly Part[], properties: Schema): Record<string, unknown> {
  const members = new Map<string, unknown>()
  for (const part of parts) {
    const { name, isJson } = part
    const schema = Object.hasOwn(properties, name) && name !== FILE_PART ? properties[name] : undefined
    if (!isObject(schema))
      throw invalid({ path: within('', name.slice(0, 100)), code: 'schema', message: 'expected no such part' })
    const known = members.get(name)
    const isList = schema.type === 'array' && !isJson
    if (members.has(name) && !(isList && Array.isArray(known)))
      throw new Refusal('request.duplicate_member', 'The form repeats a part; send each one once.')
    const value = memberValue(part, schema)
    members.set(name, isList ? [...(Array.isArray(known) ? known : []), value] : value)
  }
  return Object.fromEntries(members)
}

/** Whether the operation takes a form with a file in place of its JSON body. */
export function takesFile({ method, path, headers }: Request, find: FindPath): boolean {
  const operationId = MULTIPART_TYPE.test(headers['content-type'] ?? '') && find(path)?.operations.get(method)
  return typeof operationId === 'string' && Object.hasOwn(FILES, operationId)
}

/**
 * Makes of a form what JSON would have been: its members, and the file beside them. Boundaries are random, so the
 * fingerprint of the request is over what the form contains.
 */
export async function readForm(request: Request, openApi: OpenApi, find: FindPath): Promise<void> {
  const { operationId, requestBody } = openApi.paths[find(request.path)?.template ?? '']?.[
    request.method.toLowerCase()
  ] ?? { operationId: '' }
  const form = FILES[operationId]
  if (!form) throw new Error(`${request.method} ${request.path} takes no form`)
  const { file, parts } = await read(request.rawBody, request.headers['content-type'] ?? '')
  const json = requestBody?.content['application/json']?.schema
  const members = membersOf(parts, propertiesWithFile(form, json, openApi.components?.schemas ?? {}))
  request.rawBody = Buffer.concat([Buffer.from(JSON.stringify(members)), file])
  request.sentFile = file
  request.body = { ...members, [form.replaces]: '' }
}
