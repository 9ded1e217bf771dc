import type { Json } from '../data-integrity/index.ts'
import type { PublicJwk } from '../dids/jwk.ts'
import type { FieldError } from '../errors.ts'
import { isObject } from '../json.ts'
import { nearestOf } from '../names.ts'
import { isUuid } from '../uuid.ts'
import type { FormatName } from './formats.ts'

/** Defaults for the rows of a batch; a row's own member takes precedence. The format checks which ones it needs. */
export interface BatchOptions {
  format: FormatName
  /** DID of the issuer; the id of the document signer of mobile credentials, and of SD-JWT VC credentials with x5c. */
  issuer?: string
  proofType?: string
  revocable: boolean
  /** Gives each credential a second entry, for suspension. */
  suspendable?: boolean
  tag?: string
  /** Besides VerifiableCredential. */
  types: string[]
  /** URLs and inline contexts, in order. Default: credentials v2. */
  contexts: unknown[]
  /** The rows are claims for this template, which sets the rest except the issuer's DID, the tag and `suspendable`. */
  templateId?: string
}

/** The content of rows: credentials, claims for a template, with a key of the holder or without, or what a document signer signs. */
export type RowKind = 'payload' | 'claims' | 'bound-claims' | 'compact' | 'mobile' | 'sd-jwt-vc'

const KINDS: Record<FormatName, RowKind> = {
  semantic: 'payload',
  compact: 'compact',
  'compact-semantic': 'compact',
  mobile: 'mobile',
  'sd-jwt-vc': 'sd-jwt-vc',
}

/** Formats whose templates bind credentials to a key of the holder. */
const BOUND: readonly FormatName[] = ['semantic', 'sd-jwt-vc']

export const rowKindOf = ({ templateId, format }: BatchOptions): RowKind =>
  templateId === undefined ? KINDS[format] : BOUND.includes(format) ? 'bound-claims' : 'claims'

/** The member that a row must have. */
export const REQUIRED = {
  payload: 'payload',
  claims: 'claims',
  'bound-claims': 'claims',
  compact: 'payload',
  mobile: 'payload',
  'sd-jwt-vc': 'payload',
} as const

interface OwnOptions {
  suspendable?: boolean
  tag?: string | null
}

export interface PayloadRow extends OwnOptions {
  payload: Json
  proofType?: string
  revocable?: boolean
  /** Of a mobile credential. */
  documentSignerId?: string | null
  /** Of an SD-JWT VC, or of vc+sd-jwt: claims that the holder may leave out. */
  selectively?: unknown[][]
  /** Of the same two: digests that stand for no claim. */
  decoys?: number
  /** Of an SD-JWT VC: the key of the holder. */
  holder_key?: Json
  /** Of vc+sd-jwt: the key of the holder. */
  holderKey?: Json
}

export interface ClaimsRow extends OwnOptions {
  claims: Json
  issuer_did?: string | null
  /** Of an SD-JWT VC, or of vc+sd-jwt: the key of the holder. */
  holder_key?: Json
}

/** A row as it is stored until it is signed: its own members only. */
export type RowInput = PayloadRow | ClaimsRow

/** A row as it was read: its input, or its errors. Messages never repeat a value: rows are personal data. */
export type ReadRow = { input: RowInput } | { errors: FieldError[] }

/** Bytes of one row at most; ten thousand characters are a large credential. */
export const MAX_ROW_BYTES = 65_536
export const ROW_TOO_LARGE: FieldError = {
  path: '',
  code: 'row.too_large',
  message: `expected at most ${MAX_ROW_BYTES} bytes`,
}
/** Errors of a row that are told; further ones are counted. */
export const MAX_ROW_ERRORS = 100
export const MAX_ROWS = 1_000_000
/** Bytes of a whole upload at most. */
export const MAX_UPLOAD_BYTES = 1024 ** 3

const isTag = (value: unknown) => value === null || (typeof value === 'string' && value.length <= 255)

type Member = [check: (value: unknown) => boolean, expected: string]

const aBoolean: Member = [(value) => typeof value === 'boolean', 'expected true or false']
const aString: Member = [(value) => typeof value === 'string', 'expected a string']
const anObject: Member = [isObject, 'expected a JSON object']
const aTag: Member = [isTag, 'expected a string of at most 255 characters']
const anId: Member = [
  (value) => value === null || (typeof value === 'string' && isUuid(value)),
  'expected the id of a document signer',
]
const aListOfPaths: Member = [
  (value) => Array.isArray(value) && value.every(Array.isArray),
  'expected a list of claim paths, each a list',
]
const aNumber: Member = [Number.isInteger, 'expected a whole number']
const aDid: Member = [(value) => value === null || typeof value === 'string', 'expected a string']

const OF_CLAIMS = { claims: anObject, issuer_did: aDid, suspendable: aBoolean, tag: aTag }

/** The members of a row, each with its check: those of a sign request, and of one from a template. */
const MEMBERS: Record<RowKind, Map<string, Member>> = {
  payload: new Map(
    Object.entries({
      ...{ payload: anObject, proofType: aString, revocable: aBoolean, suspendable: aBoolean, tag: aTag },
      ...{ selectively: aListOfPaths, decoys: aNumber, holderKey: anObject },
    }),
  ),
  compact: new Map(Object.entries({ payload: anObject, revocable: aBoolean, suspendable: aBoolean, tag: aTag })),
  claims: new Map(Object.entries(OF_CLAIMS)),
  'bound-claims': new Map(Object.entries({ ...OF_CLAIMS, holder_key: anObject })),
  mobile: new Map(Object.entries({ payload: anObject, documentSignerId: anId, revocable: aBoolean })),
  'sd-jwt-vc': new Map(
    Object.entries({
      ...{ payload: anObject, selectively: aListOfPaths, decoys: aNumber, holder_key: anObject },
      ...{ revocable: aBoolean, suspendable: aBoolean, tag: aTag },
    }),
  ),
}

const NEAREST = {
  payload: nearestOf([...MEMBERS.payload.keys()]),
  claims: nearestOf([...MEMBERS.claims.keys()]),
  'bound-claims': nearestOf([...MEMBERS['bound-claims'].keys()]),
  compact: nearestOf([...MEMBERS.compact.keys()]),
  mobile: nearestOf([...MEMBERS.mobile.keys()]),
  'sd-jwt-vc': nearestOf([...MEMBERS['sd-jwt-vc'].keys()]),
}

/** The message about a member that a row of this kind does not have. */
function unknownMember(name: string, kind: RowKind, isSent: (name: string) => boolean): string {
  const meant = NEAREST[kind](name)
  const hint = meant === undefined || isSent(meant) ? '' : `did you mean ${meant}? `
  return `expected no member of this name; ${hint}A row has ${[...MEMBERS[kind].keys()].join(', ')}`
}

/** Reads one JSON line: a sign request; members that the batch's options have may be absent. */
export function rowOfJson(value: unknown, kind: RowKind): ReadRow {
  if (!isObject(value)) return { errors: [{ path: '', code: 'row.object', message: 'expected a JSON object' }] }
  let unknown = 0
  const errors: FieldError[] = Object.entries(value).flatMap(([name, member]) => {
    const [check, expected] = MEMBERS[kind].get(name) ?? []
    // told to nobody, and counted
    if (!check && ++unknown > MAX_ROW_ERRORS) return [{ path: '', code: 'row.unknown_member', message: '' }]
    if (!check)
      return [
        {
          path: name.slice(0, 100),
          code: 'row.unknown_member',
          message: unknownMember(name, kind, (other) => Object.hasOwn(value, other)),
        },
      ]
    return check(member) ? [] : [{ path: name, code: 'row.type', message: String(expected) }]
  })
  const required = REQUIRED[kind]
  if (value[required] === undefined)
    errors.push({ path: required, code: 'row.required', message: `expected ${required}` })
  return errors.length > 0 ? { errors } : { input: value as Json & RowInput }
}

/** The request to the template of a row: the row's members, with the batch's options as defaults. */
export const completeClaims = (
  { claims, issuer_did, holder_key, suspendable, tag }: ClaimsRow,
  options: BatchOptions,
) => ({
  claims,
  ...(holder_key && { holderKey: holder_key as PublicJwk }),
  issuerDid: issuer_did ?? options.issuer ?? null,
  suspendable: suspendable ?? options.suspendable ?? false,
  tag: tag ?? options.tag ?? null,
})
