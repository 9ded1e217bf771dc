import { type FieldErrors, ValidateError, ValidationService } from '@tsoa/runtime'
import type { ErrorRequestHandler, Request } from 'express'
import { type FieldError, Refusal, within } from '../../protocol/errors.ts'
import { nearestOf, ownMember } from '../../protocol/names.ts'
import type { FindMembers, Place } from './openapi/members.ts'

/** A body can have thousands of errors; the first ones are enough. */
const MAX_FIELDS = 50

/** Errors of values, or of one schema of several, that hold `MAX_FIELDS`. */
const full = new WeakSet<FieldErrors>()
const validate = ValidationService.prototype.ValidateParam

/**
 * Validates no further value once there are as many errors as are told (D-321): tsoa counts the errors again for each
 * value, so that a list of 19,000 wrong ids, 75 kB, held the event loop for 18 seconds.
 */
ValidationService.prototype.ValidateParam = function (property, value, name, errors, ...rest) {
  if (full.has(errors)) return undefined
  const validated = validate.call(this, property, value, name, errors, ...rest)
  if (Object.keys(errors).length >= MAX_FIELDS) full.add(errors)
  return validated
}

const ONE_OF = /^should be one of the following; \[(.*)\]$/s

/** tsoa reads a choice of words as a union of one-word schemas; the message lists all words. */
function choices(path: string, forms: FieldErrors[]): string | undefined {
  const words = forms.map((form) =>
    Object.hasOwn(form, path) ? ONE_OF.exec(form[path]?.message ?? '')?.[1] : undefined,
  )
  return words.every((word) => word !== undefined)
    ? `expected one of ${words.join(', ').replaceAll("'", '')}`
    : undefined
}

const UNION = /^Could not match the union against any of the items\. Issues: (.+)$/s

/**
 * Where several schemas are possible, such as an object or null, tsoa puts the errors of each into one text, with the
 * values. The errors of the nearest schema, which lie inside of the value, say most. A response may repeat the name of
 * a field, never its value.
 */
function faults(fields: FieldErrors): [path: string, message: string][] {
  return Object.entries(fields).flatMap(([path, { message }]): [string, string][] => {
    const [, issues] = UNION.exec(message) ?? []
    if (issues === undefined) return [[path, message]]
    const forms = JSON.parse(issues) as FieldErrors[]
    const expected = choices(path, forms)
    if (expected !== undefined) return [[path, expected]]
    const nearest = forms.find((form) => !Object.hasOwn(form, path)) ?? forms[0]
    return nearest ? faults(nearest) : []
  })
}

/**
 * Where a path of the generated validation leads. It writes an index as `$0`, and begins with where the value stands,
 * but for values in a list within a body.
 */
function placeOf(path: string): { place: Place; steps: string[] } {
  const [first = '', ...more] = path.split('.')
  // a member `query` of a body comes without the body before it: no parameter begins with `$`
  const isQuery = first === 'query' && !more[0]?.startsWith('$')
  const isNamed = isQuery || first === 'body' || first === 'requestBody'
  const steps = (isNamed ? more : [first, ...more]).map((step) => step.replace(/^\$(\d+)$/, '$1'))
  return { place: isQuery ? 'query' : 'body', steps }
}

/** A member that the operation does not have, in the object that `parent` leads to. */
interface Unknown {
  place: Place
  parent: string[]
  name: string
}

/** What a message of the generated validation says was expected. */
const EXPECTED: readonly [found: RegExp, expected: string][] = [
  [/^invalid object$/, 'expected an object'],
  [/^invalid array$/, 'expected a list'],
  [/^invalid string value$/, 'expected a text'],
  [/^invalid boolean value$/, 'expected true or false'],
  [/^invalid integer number$/, 'expected a whole number'],
  [/^invalid float number$/, 'expected a number'],
  [/^invalid undefined value$/, 'expected no value'],
  [/^should be one of the following; \[(.*)\]$/s, 'expected one of $1'],
  [/^'(.+)' is required$/s, 'expected a value: $1 is required'],
  [/^min (\S+)$/, 'expected at least $1'],
  [/^max (\S+)$/, 'expected at most $1'],
  [/^minLength (\d+)$/, 'expected at least $1 characters'],
  [/^maxLength (\d+)$/, 'expected at most $1 characters'],
  [/^minItems (\d+)$/, 'expected at least $1 items'],
  [/^maxItems (\d+)$/, 'expected at most $1 items'],
  [/^required unique array$/, 'expected no item twice'],
  [/^Not match in '(.+)'$/s, 'expected a text that matches $1'],
]

function expectedText(message: string): string {
  const known = EXPECTED.find(([found]) => found.test(message))
  return known ? message.replace(...known) : message
}

const EXCESS = /^"(.+)" is an excess property and therefore is not allowed$/s
const MISSING = /^expected a value: .+ is required$/s

function unknownOf([path, message]: readonly [path: string, message: string]): Unknown | undefined {
  const name = EXCESS.exec(message)?.[1]
  // the name itself may have dots
  if (name === undefined || !path.endsWith(`.${name}`)) return undefined
  const { place, steps } = placeOf(path.slice(0, -name.length - 1))
  return { place, parent: steps, name }
}

/** Names of a list in a message at most: of more, only the nearest is named. */
const MAX_LISTED = 12

const valueAt = (value: unknown, steps: readonly string[]): unknown =>
  steps.reduce<unknown>(
    (inner, step) => (typeof inner === 'object' && inner !== null ? ownMember(inner, step) : undefined),
    value,
  )

/** The member that a caller most likely meant; undefined where the request has that one too. */
function meantBy({ place, parent, name }: Unknown, members: readonly string[], request: Request): string | undefined {
  const meant = nearestOf(members)(name)
  const sent = valueAt(place === 'query' ? request.query : request.body, parent)
  return meant === undefined || valueAt(sent, [meant]) !== undefined ? undefined : meant
}

function refusalOf(fields: FieldErrors, request: Request, membersAt: FindMembers): Refusal {
  /** What an unknown member most likely meant, by the path of that member. */
  const written = new Map<string, string>()
  const unknownError = (unknown: Unknown): FieldError => {
    const { place, parent, name } = unknown
    const members = membersAt(request, place, parent)
    const meant = meantBy(unknown, members, request)
    if (meant !== undefined) written.set(within('', ...parent, meant), name.slice(0, 100))
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`
    const known = members.length === 0 || members.length > MAX_LISTED ? '' : ` (expected ${members.join(', ')})`
    return {
      path: within('', ...parent, name),
      code: 'schema',
      message: `${place === 'query' ? 'no query parameter' : 'no member'} has this name${hint}${known}`,
    }
  }
  const errors = faults(fields)
    .slice(0, MAX_FIELDS)
    .map((fault): FieldError => {
      const unknown = unknownOf(fault)
      if (unknown) return unknownError(unknown)
      const [path, message] = fault
      const names = EXCESS.exec(message)?.[1]
      const text = names === undefined ? expectedText(message) : `no member has one of these names: ${names}`
      return { path: within('', ...placeOf(path).steps), code: 'schema', message: text }
    })
  return new Refusal(
    'request.invalid',
    'The request is not valid; errors names the fields.',
    errors.map(({ path, code, message }) => {
      const name = MISSING.test(message) ? written.get(path) : undefined
      const hint = name === undefined ? '' : `; the request has ${name} in its place`
      return { path: path.slice(0, 200), code, message: `${message.slice(0, 300)}${hint}` }
    }),
  )
}

/** Makes a refusal of what the generated validation says, with the names of members that the API document knows. */
export const explainInvalid =
  (membersAt: FindMembers): ErrorRequestHandler =>
  (error, request, _response, next) =>
    next(error instanceof ValidateError ? refusalOf(error.fields, request, membersAt) : error)
