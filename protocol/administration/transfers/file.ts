import { createHash } from 'node:crypto'
import { type FieldError, Refusal, within } from '../../errors.ts'
import { parseJson } from '../../json.strict.ts'
import { isObject, type Json } from '../../json.ts'

/**
 * The file of a tenant (docs/transfers.md): JSON lines, in one or several members of gzip (RFC 1952, section 2.2). The first
 * line is the header, the last one the end; between them stands a line for each row.
 */
export const FORMAT = 'countersign-tenant'
/** A reader refuses every other one. */
export const FORMAT_VERSION = 1

/** Longest line: a PDF template with all its files, in base64. */
export const MAX_LINE_BYTES = 12 * 1024 * 1024
export const MAX_LINES = 5_000_000
/** Of all lines, without their compression. */
export const MAX_FILE_BYTES = 16 * 1024 ** 3

export type Counts = Record<string, number>

export interface Header {
  format: typeof FORMAT
  formatVersion: typeof FORMAT_VERSION
  platformVersion: string
  exportedAt: string
  environment: { id: string; name: string }
  tenant: { id: string; name: string; subdomain: string; baseUrl: string }
  /** Rows by kind when the export began; the last line has how many there are. */
  counts: Counts
}

export interface End {
  /** Rows by kind. */
  counts: Counts
  /** Lines before this one. */
  lines: number
  /** See `chained`, in hex. */
  digest: string
}

const NOTHING = Buffer.alloc(32)

/**
 * The digest over all lines up to this one: SHA-256 over the digest before it and the line without its end. It begins with
 * 32 bytes of 0. A chain, so that an export can go on where it stopped.
 */
export const chained = (before: Uint8Array | null, line: string): Buffer =>
  createHash('sha256')
    .update(before ?? NOTHING)
    .update(line)
    .digest()

export const headerLine = (header: Header): string => JSON.stringify({ kind: 'header', ...header })
export const endLine = (end: End): string => JSON.stringify({ kind: 'end', ...end })
export const rowLine = (kind: string, row: Json): string => JSON.stringify({ kind, row })

export const invalidFile = (message: string, errors: FieldError[] = []): Refusal =>
  new Refusal('tenant_import.file_invalid', message, errors)

/** A place in the file, as `errors` have it. */
export const inLine = (line: number, path = ''): string => (path === '' ? `line ${line}` : `line ${line}: ${path}`)

/** Throws `tenant_import.file_invalid` with the line for what is no JSON object of bounded depth. */
export function parseLine(text: string, line: number): Json {
  try {
    const parsed = parseJson(text)
    if (isObject(parsed)) return parsed
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const rule = error.code.replace(/^request\./, '')
    throw invalidFile(`Line ${line} of the file cannot be read.`, [
      {
        path: inLine(line, error.errors[0]?.path ?? ''),
        code: rule,
        message: error.errors[0]?.message ?? 'expected JSON',
      },
    ])
  }
  throw invalidFile(`Line ${line} of the file is no JSON object.`, [
    { path: inLine(line), code: 'object', message: 'expected a JSON object' },
  ])
}

const MAX_NAME = 255

const text = (value: unknown): value is string => typeof value === 'string' && value.length <= 2_048

function countsOf(value: unknown): Counts | undefined {
  if (!isObject(value) || Object.keys(value).length > MAX_NAME) return undefined
  const isCount = (count: unknown) => Number.isSafeInteger(count) && Number(count) >= 0
  return Object.values(value).every(isCount) ? (value as Counts) : undefined
}

/** Reads the first line. Throws `tenant_import.file_invalid`, `tenant_import.version_unknown`. */
export function readHeader(line: string): Header {
  const header = parseLine(line, 1)
  const fault = (path: string, code: string, message: string): never => {
    throw invalidFile('The first line is not the header of a tenant’s file.', [
      { path: inLine(1, path), code, message },
    ])
  }
  if (header.kind !== 'header' || header.format !== FORMAT) return fault('format', 'format', `expected ${FORMAT}`)
  if (header.formatVersion !== FORMAT_VERSION)
    throw new Refusal('tenant_import.version_unknown', `This platform reads version ${FORMAT_VERSION} of the format.`, [
      { path: inLine(1, 'formatVersion'), code: 'version', message: `expected ${FORMAT_VERSION}` },
    ])
  const { platformVersion, exportedAt } = header
  if (!text(platformVersion)) return fault('platformVersion', 'text', 'expected a text')
  if (!text(exportedAt) || Number.isNaN(Date.parse(exportedAt))) return fault('exportedAt', 'time', 'expected a time')
  const { environment, tenant } = header
  const textsOf = <Name extends string>(value: unknown, at: string, names: readonly Name[]): Record<Name, string> => {
    if (!isObject(value)) return fault(at, 'object', 'expected an object')
    const entries = names.map((name) => {
      const member = value[name]
      return text(member) ? [name, member] : fault(within(at, name), 'text', 'expected a text')
    })
    return Object.fromEntries(entries) as Record<Name, string>
  }
  const counts = countsOf(header.counts)
  if (!counts) return fault('counts', 'counts', 'expected numbers by kind')
  return {
    ...{ format: FORMAT, formatVersion: FORMAT_VERSION, platformVersion, exportedAt, counts },
    environment: textsOf(environment, 'environment', ['id', 'name']),
    tenant: textsOf(tenant, 'tenant', ['id', 'name', 'subdomain', 'baseUrl']),
  }
}

/** Reads the last line; undefined for a line that is another one. Throws `tenant_import.file_invalid`. */
export function readEnd(line: Json, number: number): End | undefined {
  if (line.kind !== 'end') return undefined
  const { counts, lines, digest } = line
  const fault = (path: string, code: string, message: string) =>
    invalidFile('The last line is not the end of a tenant’s file.', [{ path: inLine(number, path), code, message }])
  const known = countsOf(counts)
  if (!known) throw fault('counts', 'counts', 'expected numbers by kind')
  if (lines !== number - 1) throw fault('lines', 'lines', `expected ${number - 1}, the number of lines before this one`)
  if (typeof digest !== 'string' || !/^[0-9a-f]{64}$/.test(digest))
    throw fault('digest', 'digest', 'expected SHA-256 in hex')
  return { counts: known, lines, digest }
}
