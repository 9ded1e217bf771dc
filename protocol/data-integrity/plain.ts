import { VOCABULARY } from '../contexts/extensions.ts'
import { type FieldError, Refusal } from '../errors.ts'
import { isObject, type Json, listOf } from '../json.ts'

/**
 * A proof signs statements, and everybody reads members. JSON-LD can make a statement of a credential in many places: under
 * an absolute IRI, an alias, in `@nest`, `@included`, `@reverse`, in another node of the same id. Whoever holds a credential
 * may move `credentialStatus` there without touching the signature, and who reads members would see no status (D-130). So
 * what decides about a credential must stand in its own members, and nowhere else.
 */
const CREDENTIALS = 'https://www.w3.org/2018/credentials#'
const DECIDING = [
  'issuer',
  'holder',
  'credentialSubject',
  'credentialStatus',
  'credentialSchema',
  'issuanceDate',
  'expirationDate',
  'validFrom',
  'validUntil',
  'termsOfUse',
  'evidence',
  'refreshService',
  'relatedResource',
] as const

const IRIS: string[] = DECIDING.map((member) => CREDENTIALS + member)

/** What a member says, by the ids of its nodes and its texts: enough to tell another value, or one more. */
const said = (value: unknown): unknown[] =>
  listOf(value)
    .filter((each) => each !== null)
    .map((each) => (isObject(each) ? (each.id ?? each['@id'] ?? each['@value'] ?? null) : each))

const same = (one: unknown[], other: unknown[]): boolean =>
  one.length === other.length && one.every((each, index) => each === other[index])

/** Every node, value and list of an expanded document, and whether it stands in a graph of its own, such as a proof. */
function* parts(value: unknown, inGraph = false): Generator<{ part: Json; inGraph: boolean }> {
  if (Array.isArray(value)) for (const each of value) yield* parts(each, inGraph)
  else if (isObject(value)) {
    yield { part: value, inGraph }
    if ('@value' in value) return // JSON literals are signed as they are
    for (const [name, member] of Object.entries(value)) yield* parts(member, inGraph || name === '@graph')
  }
}

const makesDecidingStatement = (node: Json): boolean => IRIS.some((iri) => iri in node)

/** Statements about the credential that stand elsewhere than in its own node. */
const isElsewhere = (node: Json, root: Json): boolean =>
  (isObject(node['@reverse']) && makesDecidingStatement(node['@reverse'])) ||
  (node !== root && root['@id'] !== undefined && node['@id'] === root['@id'] && makesDecidingStatement(node))

/** Types are told apart by name: two names for one type would be a type that nobody signed. */
const hasOtherTypes = (document: Json, root: Json): boolean =>
  new Set(listOf(document.type)).size !== new Set(listOf(root['@type'])).size

/** Decides which bits of a list are read, and has a default: hidden, it would turn the look to another entry's bit. */
const SIZE = 'https://www.w3.org/ns/credentials/status#statusSize'
const countIn = (values: Iterable<unknown>, name: string): number =>
  [...values].flatMap((value) => (isObject(value) ? listOf(value[name]) : [])).filter((each) => each !== null).length

/** Pictures and colours are looked at under their own names when a credential is signed (D-154), and stand nowhere else. */
function hasHiddenBranding(document: Json, stated: Json[]): boolean {
  if (!stated.some((part) => Object.keys(part).some((name) => name.startsWith(VOCABULARY)))) return false
  const { issuer, credentialBranding } = document
  const shown: [name: string, owner: unknown][] = [
    ['credentialBranding', document],
    ['iconUrl', issuer],
    ['logoUrl', issuer],
    ['backgroundColor', credentialBranding],
    ['watermarkImageUrl', credentialBranding],
  ]
  return shown.some(([name, owner]) => countIn(stated, VOCABULARY + name) > countIn(listOf(owner), name))
}

function faults(document: Json, expanded: readonly object[]): FieldError[] {
  const [root] = expanded
  if (!isObject(root) || expanded.length !== 1)
    return [{ path: '', code: 'credential.elsewhere', message: 'must be one node' }]
  const errors: FieldError[] = DECIDING.filter(
    (member, index) => !same(said(document[member]), said(root[IRIS[index] ?? ''])),
  ).map((member) => ({
    path: `/${member}`,
    code: 'credential.elsewhere',
    message: 'must say all that is signed of it, here and under this name',
  }))
  if (hasOtherTypes(document, root))
    errors.push({ path: '/type', code: 'credential.elsewhere', message: 'must name each type once' })
  const all = [...parts(expanded)]
  const stated = all.flatMap(({ part, inGraph }) => (inGraph ? [] : [part]))
  if (countIn(stated, SIZE) !== countIn(listOf(document.credentialStatus), 'statusSize'))
    errors.push({ path: '/credentialStatus', code: 'credential.elsewhere', message: 'must say its statusSize itself' })
  if (hasHiddenBranding(document, stated))
    errors.push({
      path: '',
      code: 'credential.elsewhere',
      message: 'must say pictures and colours under their own names',
    })
  for (const { part, inGraph } of all) {
    if ('@index' in part)
      errors.push({ path: '', code: 'credential.unsigned', message: 'an index (@index) would not be signed' })
    if (!inGraph && isElsewhere(part, root))
      errors.push({ path: '', code: 'credential.elsewhere', message: 'a statement about it must stand in it' })
  }
  return errors
}

/**
 * Throws `Refusal('credential.invalid')` where the members of a document say other than its statements do, or where
 * something in it is no statement: the keys of index maps look signed and are not. `expanded` is the document's expanded form.
 */
export function assertPlain(document: object, expanded: readonly object[]): void {
  const errors = faults({ ...document }, expanded)
  const [first] = errors
  if (first)
    throw new Refusal(
      'credential.invalid',
      `What is signed and what the members say differ: ${first.path || 'the credential'} ${first.message}.`,
      errors.slice(0, 10),
    )
}

/** What the reference implementation of bbs-2023 takes for labels of blank nodes, wherever in a statement it stands. */
const LABEL = /_:\S|urn:bnid:/

/** A label where one belongs: the id of a node. */
const isLabel = (text: string): boolean => /^_:[\w-]+$/.test(text)

/**
 * Throws `Refusal('credential.invalid')` for texts that a bbs-2023 proof does not tell apart. All implementations that share
 * `di-sd-primitives` replace what looks like a label also within texts, so that `_:A` and `_:F` are signed alike (D-131).
 */
export function assertTextsSigned(expanded: readonly object[]): void {
  const pending: [name: string, value: unknown][] = [['', expanded]]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [name, value] = next
    const isId = name === '@id' || name === '@type'
    if (LABEL.test(name) || (typeof value === 'string' && LABEL.test(value) && !(isId && isLabel(value))))
      throw new Refusal('credential.invalid', 'A bbs-2023 proof does not sign texts with _: or urn:bnid: in them.', [
        { path: '', code: 'credential.unsigned', message: 'a text holds _: or urn:bnid:, which is not signed' },
      ])
    // items of a list stand under the name of the list
    if (Array.isArray(value)) for (const each of value) pending.push([name, each])
    else if (isObject(value)) pending.push(...Object.entries(value))
  }
}
