import type { Json } from '../data-integrity/index.ts'
import { type FieldError, Refusal, within } from '../errors.ts'
import { isObject, listOf } from '../json.ts'
import type { StatusExplanation } from '../status-list/credential.ts'
import type { StatusPurpose } from '../status-list/index.ts'

/** A status entry that a VC API request asks for. */
export interface StatusRequest extends StatusExplanation {
  purpose: StatusPurpose
}

const MAX_MESSAGE = 256
const MAX_REFERENCES = 10
const MAX_URL = 2048

/** The refusal of an invalid member of a VC API request. */
export const unusable = (path: string, expected: string): Refusal =>
  new Refusal('request.invalid', `${path} is not valid: expected ${expected}.`, [
    { path, code: 'schema', message: `expected ${expected}` },
  ])

/** An entry of one bit has two values, and a message for each (Bitstring Status List 1.0, section 2.1, statusMessage). */
function messagesOf(value: unknown, path: string): Pick<StatusExplanation, 'statusMessage'> {
  if (value === undefined) return {}
  const messages = listOf(value).map((each) => (isObject(each) ? [each.status, each.message] : []))
  const [zero, one] = ['0x0', '0x1'].map((status) => messages.find(([value]) => value === status)?.[1])
  const usable = (message: unknown): message is string => typeof message === 'string' && message.length <= MAX_MESSAGE
  if (messages.length !== 2 || !usable(zero) || !usable(one))
    throw unusable(
      `${path}.statusMessage`,
      `two of {status, message}, with status 0x0 and 0x1, up to ${MAX_MESSAGE} characters`,
    )
  return {
    statusMessage: [
      { status: '0x0', message: zero },
      { status: '0x1', message: one },
    ],
  }
}

function referenceOf(value: unknown, path: string): Pick<StatusExplanation, 'statusReference'> {
  if (value === undefined) return {}
  const urls = listOf(value).filter((each) => typeof each === 'string' && each.length <= MAX_URL && URL.canParse(each))
  if (urls.length === 0 || urls.length !== listOf(value).length || urls.length > MAX_REFERENCES)
    throw unusable(`${path}.statusReference`, `a URL, or 1 to ${MAX_REFERENCES} of them`)
  return { statusReference: Array.isArray(value) ? urls.map(String) : String(value) }
}

function statusOf(entry: unknown, path: string): StatusRequest {
  if (!isObject(entry)) throw unusable(path, 'an object, or one per purpose')
  const { statusPurpose: purpose = 'revocation', statusSize = 1, statusMessage, statusReference } = entry
  if (purpose !== 'revocation' && purpose !== 'suspension')
    throw unusable(`${path}.statusPurpose`, 'revocation or suspension')
  if (statusSize !== 1) throw unusable(`${path}.statusSize`, '1: an entry has one bit')
  return { purpose, ...messagesOf(statusMessage, path), ...referenceOf(statusReference, path) }
}

/**
 * Reads `options.credentialStatus` of an issue request: an entry, or one for revocation and one for suspension. Throws
 * `Refusal('request.invalid')`, which names the member.
 */
export function readStatusRequests(value: unknown): StatusRequest[] {
  if (value === undefined || value === null) return []
  const path = 'options.credentialStatus'
  const several = Array.isArray(value)
  const statuses = listOf(value).map((entry, at) => statusOf(entry, several ? within(path, at) : path))
  const purposes = statuses.map(({ purpose }) => purpose)
  if (!purposes.includes('revocation') || new Set(purposes).size !== purposes.length)
    throw unusable(path, 'one entry for revocation, and at most one more for suspension')
  return statuses
}

/** An update of a status: its purpose and new value, and the entry of the list if the request names one. */
export interface StatusUpdate {
  purpose: StatusPurpose
  listUrl?: string
  index?: number
  value: boolean
}

/** Largest integer of PostgreSQL; every list is far smaller. */
const LAST_INDEX = 2 ** 31 - 1

/** A whole number or its digits; not `''` and `[]`, which `Number` reads as 0. */
function indexOf(value: unknown): number | undefined {
  const index = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 && index <= LAST_INDEX ? index : undefined
}

/** Reads `{credentialStatus, status}`, also in the older form of a list of `{type, status: '0' | '1'}`. */
export function readStatusUpdate({ credentialStatus, status }: Json): StatusUpdate {
  const entries = listOf(credentialStatus)
  const [entry] = entries
  const fault = (errors: FieldError) => new Refusal('request.invalid', 'The status is not valid; see errors.', [errors])
  if (!isObject(entry) || entries.length !== 1)
    throw fault({ path: 'credentialStatus', code: 'schema', message: 'expected one object' })
  const { statusPurpose: purpose = 'revocation' } = entry
  if (purpose !== 'revocation' && purpose !== 'suspension')
    throw new Refusal(
      'status_list.purpose_unsupported',
      'This statusPurpose is not supported. Use revocation or suspension.',
    )
  if (typeof status !== 'boolean' && (status !== undefined || (entry.status !== '0' && entry.status !== '1')))
    throw fault({
      path: 'status',
      code: 'schema',
      message: "expected true or false, or '0' or '1' as credentialStatus.status",
    })
  const value = status ?? entry.status === '1'
  const listUrl = entry.statusListCredential ?? entry.revocationListCredential
  const listIndex = entry.statusListIndex ?? entry.revocationListIndex
  if ((listUrl ?? listIndex ?? undefined) === undefined) return { purpose, value }
  const index = indexOf(listIndex)
  if (typeof listUrl === 'string' && index !== undefined) return { purpose, listUrl, index, value }
  throw fault({
    path: 'credentialStatus',
    code: 'schema',
    message: 'expected both the URL of a list and an index in it, or neither',
  })
}
