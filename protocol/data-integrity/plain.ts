import { VOCABULARY } from '../contexts/extensions.ts'
import { type FieldError, Refusal } from '../errors.ts'
import { isObject, type Json, listOf } from '../json.ts'

/**
 * A proof signs statements, and programs read members. JSON-LD can make a statement about a credential in many places:
 * under an absolute IRI, an alias, in `@nest`, `@included`, `@reverse`, in another node of the same id. A holder could
 * move `credentialStatus` there without breaking the signature, and a reader of members would see no status (D-130). So
 * these statements must come from the credential's own members alone.
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

const withoutNull = (value: unknown): unknown[] => listOf(value).filter((each) => each !== null)

/** The content of a member as the ids of its nodes and its texts: enough to detect another or an additional value. */
const contentOf = (value: unknown): unknown[] =>
  withoutNull(value).map((each) => (isObject(each) ? (each.id ?? each['@id'] ?? each['@value'] ?? null) : each))

const same = (one: unknown[], other: unknown[]): boolean =>
  one.length === other.length && one.every((each, index) => each === other[index])

/** Every node, value and list of an expanded document, and whether it is in a graph of its own, such as a proof. */
function* parts(value: unknown, inGraph = false): Generator<{ part: Json; inGraph: boolean }> {
  if (Array.isArray(value)) for (const each of value) yield* parts(each, inGraph)
  else if (isObject(value)) {
    yield { part: value, inGraph }
    if ('@value' in value) return // JSON literals are signed as they are
    for (const [name, member] of Object.entries(value)) yield* parts(member, inGraph || name === '@graph')
  }
}

const makesDecidingStatement = (node: Json): boolean => IRIS.some((iri) => iri in node)

/** Whether a node makes statements about the credential without being its root node. */
const isElsewhere = (node: Json, root: Json): boolean =>
  (isObject(node['@reverse']) && makesDecidingStatement(node['@reverse'])) ||
  (node !== root && root['@id'] !== undefined && node['@id'] === root['@id'] && makesDecidingStatement(node))

/** Types are compared by name, so two names for one type would add a type that is not signed. */
const hasOtherTypes = (document: Json, root: Json): boolean =>
  new Set(listOf(document.type)).size !== new Set(listOf(root['@type'])).size

/** It selects the bits of a list and has a default: if it were hidden, a reader would read another entry's bit. */
const STATUS = 'https://www.w3.org/ns/credentials/status#'
const SIZE = `${STATUS}statusSize`

const LIST_2020 = ['https://w3id.org/vc-revocation-list-2020#']
/** Of the published context, and of that of earlier drafts. */
const LIST_2021 = ['https://w3id.org/vc/status-list#', 'https://w3id.org/vc-status-list-2021#']

const ENTRY = ['statusPurpose', 'statusListIndex', 'statusListCredential']

/** The types of statuses and their lists: the members that are read where the type is named, and the namespaces of a list. */
const READ = new Map<unknown, [members: string[], spaces?: string[]]>([
  ['RevocationList2020Status', [['revocationListIndex', 'revocationListCredential']]],
  ['StatusList2021Entry', [ENTRY]],
  ['BitstringStatusListEntry', [[...ENTRY, 'statusSize']]],
  ['RevocationList2020Credential', [[], LIST_2020]],
  ['StatusList2021Credential', [[], LIST_2021]],
  ['BitstringStatusListCredential', [[], [STATUS]]],
  ['RevocationList2020', [['encodedList'], LIST_2020]],
  ['StatusList2021', [['statusPurpose', 'encodedList'], LIST_2021]],
  ['BitstringStatusList', [['statusPurpose', 'encodedList'], [STATUS]]],
])

const valuesOf = (stated: unknown): unknown[] =>
  listOf(stated).map((each) => (isObject(each) ? (each['@value'] ?? each['@id']) : undefined))

/** The namespaces of which a type of this name is signed: of a standard, or of the issuer's own vocabulary. */
const spacesOf = (type: string, node: Json): string[] =>
  listOf(node['@type']).flatMap((iri) =>
    typeof iri === 'string' && /[#/]$/.test(iri.slice(0, -type.length)) && iri.endsWith(type)
      ? [iri.slice(0, -type.length)]
      : [],
  )

/** Whether a part of a document is of each of these types that it names, and has the values that are signed beside them. */
const isAsRead = (part: unknown, node: unknown): boolean =>
  listOf(isObject(part) ? part.type : undefined).every((type) => {
    const [members, known] = READ.get(type) ?? []
    if (members === undefined || !isObject(part)) return true
    const stated: Json = isObject(node) ? node : {}
    return spacesOf(String(type), stated).some(
      (space) =>
        (known?.includes(space) ?? true) &&
        members.every((member) => same(withoutNull(part[member]), valuesOf(stated[space + member]))),
    )
  })

/** Members whose entries have types of `READ`. */
const TYPED = ['credentialStatus', 'credentialSubject']

/** Places of what names a type of a status, or of a list of them, and does not say what is signed (D-1172). */
const readOtherwise = (document: Json, root: Json): string[] => [
  ...(isAsRead({ type: document.type }, root) ? [] : ['/type']),
  ...TYPED.filter((member) =>
    withoutNull(document[member]).some((part, at) => !isAsRead(part, listOf(root[CREDENTIALS + member])[at])),
  ).map((member) => `/${member}`),
]

const countIn = (values: Iterable<unknown>, name: string): number =>
  [...values].flatMap((value) => (isObject(value) ? listOf(value[name]) : [])).filter((each) => each !== null).length

/** Images and colours are checked under their own names before signing (D-154), so they must not be elsewhere. */
function hasHiddenBranding(document: Json, stated: Json[]): boolean {
  if (!stated.some((part) => Object.keys(part).some((name) => name.startsWith(VOCABULARY)))) return false
  const { issuer, credentialBranding } = document
  const members: [name: string, owner: unknown][] = [
    ['credentialBranding', document],
    ['iconUrl', issuer],
    ['logoUrl', issuer],
    ['backgroundColor', credentialBranding],
    ['watermarkImageUrl', credentialBranding],
  ]
  return members.some(([name, owner]) => countIn(stated, VOCABULARY + name) > countIn(listOf(owner), name))
}

function faults(document: Json, expanded: readonly object[]): FieldError[] {
  const [root] = expanded
  if (!isObject(root) || expanded.length !== 1)
    return [{ path: '', code: 'credential.elsewhere', message: 'must be exactly one node' }]
  const errors: FieldError[] = DECIDING.filter(
    (member, index) => !same(contentOf(document[member]), contentOf(root[IRIS[index] ?? ''])),
  ).map((member) => ({
    path: `/${member}`,
    code: 'credential.elsewhere',
    message: 'must have all of its signed values here, under this name',
  }))
  if (hasOtherTypes(document, root))
    errors.push({ path: '/type', code: 'credential.elsewhere', message: 'must name each type once' })
  const all = [...parts(expanded)]
  const stated = all.flatMap(({ part, inGraph }) => (inGraph ? [] : [part]))
  if (countIn(stated, SIZE) !== countIn(listOf(document.credentialStatus), 'statusSize'))
    errors.push({
      path: '/credentialStatus',
      code: 'credential.elsewhere',
      message: 'must have its statusSize as an own member',
    })
  for (const path of readOtherwise(document, root))
    errors.push({
      path,
      code: 'credential.elsewhere',
      message: 'must be of the types that it names, with their values',
    })
  if (hasHiddenBranding(document, stated))
    errors.push({
      path: '',
      code: 'credential.elsewhere',
      message: 'must have images and colours under their own names, such as logoUrl',
    })
  for (const { part, inGraph } of all) {
    if ('@index' in part)
      errors.push({
        path: '',
        code: 'credential.unsigned',
        message: 'must have no index (@index), which is not signed',
      })
    if (!inGraph && isElsewhere(part, root))
      errors.push({
        path: '',
        code: 'credential.elsewhere',
        message: 'must have all statements about it in its own members',
      })
  }
  return errors
}

function assertNone(errors: FieldError[]): void {
  const [first] = errors
  if (first)
    throw new Refusal(
      'credential.invalid',
      `The members differ from the statements that are signed: ${first.path || 'the credential'} ${first.message}.`,
      errors.slice(0, 10),
    )
}

/**
 * Throws `Refusal('credential.invalid')` if the members of a document differ from its statements, or if it has unsigned
 * content: the keys of index maps look signed and are not. `expanded` is the document's expanded form.
 */
export const assertPlain = (document: object, expanded: readonly object[]): void =>
  assertNone(faults({ ...document }, expanded))

const SECURITY = 'https://w3id.org/security#'

/** IRIs of a proof's members that are not called as the members are. */
const PROOF_IRIS = new Map([
  ['created', 'http://purl.org/dc/terms/created'],
  ['expires', `${SECURITY}expiration`],
])

/** The text that the statement of a proof's member has for a value; undefined for what no member has as its value. */
function signedText(member: string, value: unknown): unknown {
  if (member === 'verificationMethod' && isObject(value)) return value.id
  if (member !== 'proofPurpose') return isObject(value) ? undefined : value
  return SECURITY + (value === 'assertionMethod' ? value : `${value}Method`)
}

/** Whether the values of a member are those of its statements, one by one. */
const isSigned = (member: string, value: unknown, stated: unknown): boolean => {
  const texts = valuesOf(stated)
  const expected = withoutNull(value).map((each) => signedText(member, each))
  return !texts.includes(undefined) && same(texts, expected)
}

/**
 * Throws `Refusal('credential.invalid')` unless the options of a proof say exactly what their members say. The contexts
 * of the document define the terms of a proof, and nobody signs contexts: with others, the challenge and the domain that
 * are signed could come from members that nobody reads (D-1171). `expanded` is the expanded form of the options.
 */
export function assertPlainProof(proof: object, expanded: readonly object[]): void {
  const { '@context': _, id, type, ...members }: Json = { ...proof }
  const [node = {}, ...more] = expanded
  const { '@id': ownId, '@type': types, ...statements }: Json = { ...node }
  const names = new Map(Object.keys(members).map((member) => [PROOF_IRIS.get(member) ?? SECURITY + member, member]))
  const wrong = [
    ...(more.length > 0 ? [''] : []),
    ...(ownId === id ? [] : ['/id']),
    ...(same(listOf(types), [SECURITY + type]) ? [] : ['/type']),
    ...[...names].flatMap(([iri, member]) =>
      isSigned(member, members[member], statements[iri]) ? [] : [`/${member}`],
    ),
    ...(Object.keys(statements).every((iri) => names.has(iri)) ? [] : ['']),
  ]
  const message = 'must be signed as what its name says, with its value and nothing else'
  assertNone(wrong.map((path) => ({ path: `/proof${path}`, code: 'credential.elsewhere', message })))
}

/** Text that the reference implementation of bbs-2023 takes for the label of a blank node, anywhere in a statement. */
const LABEL = /_:\S|urn:bnid:/

/** A label as the id of a node. */
const isLabel = (text: string): boolean => /^_:[\w-]+$/.test(text)

/**
 * Throws `Refusal('credential.invalid')` for texts that a bbs-2023 proof does not distinguish. Implementations that
 * share `di-sd-primitives` also replace what looks like a label within texts, so `_:A` and `_:F` have the same
 * signature (D-131).
 */
export function assertTextsSigned(expanded: readonly object[]): void {
  const pending: [name: string, value: unknown][] = [['', expanded]]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [name, value] = next
    const isId = name === '@id' || name === '@type'
    if (LABEL.test(name) || (typeof value === 'string' && LABEL.test(value) && !(isId && isLabel(value))))
      throw new Refusal(
        'credential.invalid',
        'A bbs-2023 proof cannot sign texts that contain _: or urn:bnid:. Change them, or use another proof type.',
        [{ path: '', code: 'credential.unsigned', message: 'a text contains _: or urn:bnid:, which is not signed' }],
      )
    // items of a list have the name of the list
    if (Array.isArray(value)) for (const each of value) pending.push([name, each])
    else if (isObject(value)) for (const entry of Object.entries(value)) pending.push(entry)
  }
}
