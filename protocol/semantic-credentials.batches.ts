import { CONTEXT } from './contexts/urls.ts'
import type { Json } from './data-integrity.ts'
import type { FieldError } from './errors.ts'

/** What rows of a batch need not repeat; a row's own member wins. */
export interface BatchOptions {
  /** DID of the issuer. */
  issuer?: string
  proofType?: string
  revocable: boolean
  tag?: string
  /** Besides VerifiableCredential. */
  types: string[]
  /** URLs and inline contexts, in order; credentials v2 unless told. */
  contexts: unknown[]
}

/** As a row is kept until it is signed: the members that it has of its own. */
export interface RowInput {
  payload: Json
  proofType?: string
  revocable?: boolean
  tag?: string | null
}

/** A row as it came: usable, or what is wrong with it. Messages never repeat a value: rows are personal data. */
export type ReadRow = { input: RowInput } | { errors: FieldError[] }

/** Bytes of one row at most; ten thousand characters are a large credential. */
export const MAX_ROW_BYTES = 65_536
export const MAX_ROWS = 1_000_000
/** Bytes of a whole upload at most. */
export const MAX_UPLOAD_BYTES = 1024 ** 3

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isTag = (value: unknown) => value === null || (typeof value === 'string' && value.length <= 255)

/** The members of a row and what each must be: those of a sign request. */
const MEMBERS: Record<string, [check: (value: unknown) => boolean, expected: string]> = {
  payload: [isObject, 'expected a JSON object'],
  proofType: [(value) => typeof value === 'string', 'expected a string'],
  revocable: [(value) => typeof value === 'boolean', 'expected true or false'],
  tag: [isTag, 'expected a string of at most 255 characters'],
}

/** One JSON line: a sign request whose members may be left to the batch's options. */
export function rowOfJson(value: unknown): ReadRow {
  if (!isObject(value)) return { errors: [{ path: '', code: 'row.object', message: 'expected a JSON object' }] }
  const errors: FieldError[] = Object.entries(value).flatMap(([name, member]) => {
    const [check, expected] = MEMBERS[name] ?? []
    if (!check) return [{ path: name.slice(0, 100), code: 'row.unknown_member', message: 'expected no such member' }]
    return check(member) ? [] : [{ path: name, code: 'row.type', message: String(expected) }]
  })
  if (value.payload === undefined) errors.push({ path: 'payload', code: 'row.required', message: 'expected a payload' })
  return errors.length > 0 ? { errors } : { input: value as Json & RowInput }
}

const base = (contexts: unknown[]): unknown[] =>
  contexts[0] === CONTEXT.credentialsV1 || contexts[0] === CONTEXT.credentialsV2
    ? contexts
    : [CONTEXT.credentialsV2, ...contexts]

/** The sign request of a row: its own members, then the batch's. */
export function completeRow({ payload, proofType, revocable, tag }: RowInput, options: BatchOptions) {
  return {
    payload: {
      '@context': base(options.contexts),
      type: ['VerifiableCredential', ...options.types],
      ...(options.issuer === undefined ? {} : { issuer: { id: options.issuer } }),
      ...payload,
    },
    proofType: proofType ?? options.proofType ?? '',
    revocable: revocable ?? options.revocable,
    tag: tag ?? options.tag ?? null,
  }
}

/** DID of a row's issuer, if it names one. */
export function issuerOf({ payload: { issuer } }: RowInput, options: BatchOptions): string | undefined {
  const id = isObject(issuer) ? issuer.id : (issuer ?? options.issuer)
  return typeof id === 'string' ? id : undefined
}
