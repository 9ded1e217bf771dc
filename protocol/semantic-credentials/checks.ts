import { digestFaults, publishedDigests } from '../contexts/digests.ts'
import { CONTEXT } from '../contexts/index.ts'
import { isRecordableType, MAX_TYPE_BYTES } from '../credentials/types.ts'
import type { Json } from '../data-integrity/index.ts'
import { momentOf } from '../dates.ts'
import type { FieldError } from '../errors.ts'
import { isObject, listOf } from '../json.ts'

export type DataModel = '1.1' | '2.0'

export const BASE_CONTEXT: Record<DataModel, string> = { '1.1': CONTEXT.credentialsV1, '2.0': CONTEXT.credentialsV2 }
/** For messages about a document with neither. */
export const BASE_CONTEXTS = `${BASE_CONTEXT['2.0']} (data model 2.0) or ${BASE_CONTEXT['1.1']} (1.1)`

/** An absolute URI (RFC 3986, section 4.3; only its characters are checked). */
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`]+$/
export const isUri = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 4096 && URI.test(value)

type Report = (path: string, code: string, message: string) => void
type Rule = (credential: Json, report: Report, model: DataModel) => void

const uri = (report: Report, path: string, value: unknown, required = false) => {
  if (value === undefined && !required) return
  if (value === undefined) report(path, 'uri', 'is required')
  else if (!isUri(value)) report(path, 'uri', required ? 'must be a URI' : 'must be a single URI, or absent')
}

/** The values of a member, each with its path. */
const each = (credential: Json, member: string): [value: unknown, path: string][] => {
  const value = credential[member]
  if (Array.isArray(value)) return value.map((item, index) => [item, `/${member}/${index}`])
  return value === undefined ? [] : [[value, `/${member}`]]
}

const isTypeList = (value: unknown): boolean => {
  const types = listOf(value)
  return types.length > 0 && types.every((type) => typeof type === 'string' && type !== '')
}

/** Data model 2.0, section 4.3 and 1.1, section 4.1: an ordered set that begins with the base context. */
const contexts: Rule = (credential, report, model) => {
  const list = listOf(credential['@context'])
  if (list.length === 0) report('/@context/0', 'base_context', `is required: ${BASE_CONTEXTS}`)
  else if (list[0] !== BASE_CONTEXT[model]) report('/@context/0', 'base_context', `must be ${BASE_CONTEXTS}`)
  for (const [index, context] of list.entries()) {
    if (!isUri(context) && !isObject(context))
      report(`/@context/${index}`, 'context', 'must be a URL or a context object')
  }
}

/** Section 4.5 (1.1: 4.3). */
const types: Rule = ({ type }, report) => {
  if (type === undefined) report('/type', 'type', 'is required')
  else if (!isTypeList(type)) report('/type', 'type', 'must be a list of types')
  else if (!listOf(type).includes('VerifiableCredential')) report('/type', 'type', 'must include VerifiableCredential')
}

/** Types of a credential that we sign and record; those of others are read whatever their length. */
export const ownTypeErrors = ({ type }: Json): FieldError[] =>
  listOf(type).flatMap((name, index) =>
    typeof name === 'string' && !isRecordableType(name)
      ? [
          {
            path: `/type/${index}`,
            code: 'credential.type',
            message: `must have at most ${MAX_TYPE_BYTES} bytes in UTF-8`,
          },
        ]
      : [],
  )

/** Section 4.4 and 4.7: one identifier each. */
const identifiers: Rule = ({ id, issuer }, report) => {
  uri(report, '/id', id)
  if (isObject(issuer)) uri(report, '/issuer/id', issuer.id, true)
  else uri(report, '/issuer', issuer, true)
}

/** Section 4.8: at least one claim about each subject. */
const subjects: Rule = (credential, report) => {
  const list = each(credential, 'credentialSubject')
  if (list.length === 0) report('/credentialSubject', 'required', 'is required: at least one subject')
  for (const [subject, path] of list) {
    if (!isObject(subject) || Object.keys(subject).length === 0)
      report(path, 'subject', 'must be an object with at least one claim')
    else uri(report, `${path}/id`, subject.id)
  }
}

/**
 * Section 4.9: date-times, the end not before the start. 1.1 requires `issuanceDate`; the other model's names are
 * checked too.
 */
const dates: Rule = (credential, report, model) => {
  const [from, until, ...others] =
    model === '2.0'
      ? (['validFrom', 'validUntil', 'issuanceDate', 'expirationDate'] as const)
      : (['issuanceDate', 'expirationDate', 'validFrom', 'validUntil'] as const)
  const momentIn = (member: string) => {
    if (credential[member] === undefined) {
      report(`/${member}`, 'date_time', 'is required')
      return undefined
    }
    const moment = momentOf(credential[member], { zoneRequired: model === '2.0' })
    if (moment === undefined) report(`/${member}`, 'date_time', 'must be a date and time such as 2026-01-31T09:30:00Z')
    return moment
  }
  const isRequired = (member: string) => model === '1.1' && member === 'issuanceDate'
  const [start, end] = [from, until].map((member) =>
    credential[member] === undefined && !isRequired(member) ? undefined : momentIn(member),
  )
  for (const member of others) if (credential[member] !== undefined && credential[member] !== null) momentIn(member)
  if (start && end && start > end) report(`/${until}`, 'date_order', `must not be before ${from}`)
}

/** Sections 4.10, 4.11 and 5: members that must have a type; `id`: data models in which their id is required. */
const TYPED: Record<string, { id: DataModel[] }> = {
  credentialStatus: { id: ['1.1'] },
  credentialSchema: { id: ['1.1', '2.0'] },
  refreshService: { id: ['1.1'] },
  evidence: { id: [] },
  termsOfUse: { id: [] },
  proof: { id: [] },
}

/** Bounds the status lists that one credential makes us fetch. */
const MAX_STATUSES = 10

const typed: Rule = (credential, report, model) => {
  if (listOf(credential.credentialStatus).length > MAX_STATUSES)
    report('/credentialStatus', 'too_many', `must have at most ${MAX_STATUSES} entries`)
  for (const [member, { id }] of Object.entries(TYPED)) {
    for (const [value, path] of each(credential, member)) {
      if (!isObject(value)) report(path, 'object', 'must be an object')
      else {
        if (!isTypeList(value.type))
          report(`${path}/type`, 'type', value.type === undefined ? 'is required' : 'must be a list of types')
        uri(report, `${path}/id`, value.id, id.includes(model))
      }
    }
  }
}

const isText = (value: unknown): boolean => {
  if (typeof value === 'string') return true
  if (!isObject(value) || typeof value['@value'] !== 'string') return false
  const { '@value': _, '@language': language, '@direction': direction, ...more } = value
  const valid =
    (language === undefined || typeof language === 'string') &&
    [undefined, 'ltr', 'rtl', null].includes(direction as string)
  return valid && Object.keys(more).length === 0
}

/** Section 4.6 and 11.1: text, or text with its language; 1.1 does not define them. */
const texts: Rule = (credential, report, model) => {
  if (model === '1.1') return
  for (const [owner, path] of [
    [credential, ''],
    [credential.issuer, '/issuer'],
  ] as const) {
    if (!isObject(owner)) continue
    for (const member of ['name', 'description']) {
      if (!listOf(owner[member]).every(isText))
        report(`${path}/${member}`, 'text', 'must be text, or objects of @value, @language and @direction')
    }
  }
}

/**
 * Section 5.3: resources with digests of their content; 1.1 does not define them. Nothing is fetched: of a resource
 * whose published bytes are not known, only the form of the digests is checked.
 */
const resources: Rule = (credential, report, model) => {
  if (model === '1.1') return
  const ids = new Set<unknown>()
  for (const [value, path] of each(credential, 'relatedResource')) {
    if (!isObject(value)) {
      report(path, 'object', 'must be an object')
      continue
    }
    uri(report, `${path}/id`, value.id, true)
    if (ids.has(value.id)) report(`${path}/id`, 'duplicate', 'must be unique among the related resources')
    ids.add(value.id)
    for (const { member, message } of digestFaults(value, publishedDigests(String(value.id))))
      report(`${path}/${member}`, 'digest', message)
  }
}

const RULES = [contexts, types, identifiers, subjects, dates, typed, texts, resources]

/**
 * Returns the breaches of the data model (W3C Verifiable Credentials Data Model 1.1 and 2.0), each with its JSON
 * pointer.
 */
export function credentialErrors(credential: Json, model: DataModel): FieldError[] {
  const errors: FieldError[] = []
  const report: Report = (path, code, message) => errors.push({ path, code: `credential.${code}`, message })
  for (const rule of RULES) rule(credential, report, model)
  return errors
}
