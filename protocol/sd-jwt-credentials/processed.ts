import { isObject, type Json, referenceToken } from '../json.ts'
import { setOwnMember } from '../names.ts'
import { MAX_VALUES, NEVER_SELECTIVE } from './claims.ts'
import { ALGORITHM, DIGESTS, type Disclosure, ELEMENT, MAX_DEPTH, RESERVED_NAMES } from './disclosures.ts'
import { faulty } from './faults.ts'
import type { ReadSdJwt } from './read.ts'

/**
 * A claim as it was issued. Elements of arrays that are not disclosed have their places, since paths of type metadata
 * count them (draft-ietf-oauth-sd-jwt-vc-19, section 4.6).
 */
export interface IssuedNode {
  /** The disclosure that it comes from; absent: it is always disclosed. */
  disclosure?: Disclosure
  content:
    | { kind: 'value'; value: unknown }
    /** `undisclosed`: digests without a disclosure, which may be those of further members. */
    | { kind: 'object'; members: Map<string, IssuedNode>; undisclosed: number }
    | { kind: 'array'; elements: IssuedNode[] }
    | { kind: 'hidden' }
}

export interface ProcessedSdJwt {
  root: IssuedNode
  /** The processed payload (RFC 9901, section 7.1): with the claims that are disclosed, without digests. */
  claims: Json
  /** Pointers to the claims that a disclosure shows, in the order of the claims. */
  selective: string[]
}

const refuse = (code: string, message: string, path?: string) => faulty('Disclosures', code, message, path)

/** Digests of one credential at most, with decoys. */
const MAX_DIGESTS = 5_000

/** Values of one at most: what the issuance adds to the claims of the subject counts as well. */
const MAX_READ_VALUES = MAX_VALUES + 500

const isShown = ({ content }: IssuedNode): boolean => content.kind !== 'hidden'

/** The claims of a node, without what is not disclosed; `hasPlaces`: with undefined in the place of a hidden element. */
export function claimsOf({ content }: IssuedNode, hasPlaces = false): unknown {
  if (content.kind === 'hidden') return undefined
  if (content.kind === 'value') return content.value
  if (content.kind === 'array')
    return content.elements.filter((each) => hasPlaces || isShown(each)).map((each) => claimsOf(each, hasPlaces))
  const claims: Json = {}
  for (const [name, member] of content.members) setOwnMember(claims, name, claimsOf(member, hasPlaces))
  return claims
}

type Path = readonly (string | number)[]

/** Steps of a path as a JSON pointer (RFC 6901). */
const pointerOf = (path: Path): string => path.map((step) => `/${referenceToken(String(step))}`).join('')

/** Paths in `claimsOf` of the node to what a disclosure shows, with or without places of hidden elements. */
function selectiveIn({ disclosure, content }: IssuedNode, hasPlaces = false, path: Path = []): Path[] {
  const own = disclosure ? [path] : []
  const within = (node: IssuedNode, step: string | number) => selectiveIn(node, hasPlaces, [...path, step])
  if (content.kind === 'object')
    return [...own, ...[...content.members].flatMap(([name, member]) => within(member, name))]
  if (content.kind !== 'array') return own
  const counted = content.elements.filter((each) => hasPlaces || isShown(each))
  return [...own, ...counted.flatMap((element, index) => within(element, index))]
}

/** Characters of the pointers of one credential at most: each repeats the names on its way, however long they are. */
export const MAX_POINTERS = 1024 * 1024

/** Throws `Faulty` where they are too long together. One alone is at most twice as long as the credential. */
function pointersOf(paths: readonly Path[]): string[] {
  let characters = 0
  return paths.map((path) => {
    const pointer = pointerOf(path)
    characters += pointer.length
    if (characters > MAX_POINTERS)
      throw refuse(
        'pointers_too_long',
        `The paths of what is disclosed have more than ${MAX_POINTERS} characters together.`,
      )
    return pointer
  })
}

const asJson = (claims: unknown): Json => (isObject(claims) ? claims : {})

/**
 * The claims, and the paths of what a disclosure shows, with places of hidden elements: their indexes are those of the
 * credential.
 */
export const withPlaces = ({ root }: Pick<ProcessedSdJwt, 'root'>): { claims: Json; paths: string[][] } => ({
  claims: asJson(claimsOf(root, true)),
  paths: selectiveIn(root, true).map((path) => path.map(String)),
})

/**
 * Puts the disclosures in the place of their digests, and applies the rules of RFC 9901, section 7.1, step 3 to 5, and of
 * draft-ietf-oauth-sd-jwt-vc-19, section 2.2.2.3. Throws `Faulty`.
 */
export function processSdJwt({ payload, disclosures }: Pick<ReadSdJwt, 'payload' | 'disclosures'>): ProcessedSdJwt {
  const known = new Map<string, Disclosure>()
  for (const disclosure of disclosures) {
    if (known.has(disclosure.digest)) throw refuse('disclosure_repeated', 'A disclosure is there twice.')
    known.set(disclosure.digest, disclosure)
  }
  const seen = new Set<string>()
  const used = new Set<string>()
  let values = 0

  function disclosureOf(digest: unknown, path: Path): Disclosure | undefined {
    if (typeof digest !== 'string') throw refuse('digest_not_text', 'A digest is not a text.', pointerOf(path))
    if (seen.has(digest)) throw refuse('digest_repeated', 'A digest is there twice.', pointerOf(path))
    seen.add(digest)
    if (seen.size > MAX_DIGESTS) throw refuse('too_many_digests', `There are more than ${MAX_DIGESTS} digests.`)
    const disclosure = known.get(digest)
    if (disclosure) used.add(digest)
    return disclosure
  }

  function memberOf(name: string, value: unknown, path: Path, disclosure?: Disclosure) {
    const own = [...path, name]
    if (name === '__proto__') throw refuse('name_unsafe', 'A claim has the name __proto__.', pointerOf(path))
    if (disclosure) {
      const top = own[0]
      if (typeof top === 'string' && NEVER_SELECTIVE.has(top))
        throw refuse('never_selective', `The claim ${top} must not be selectively disclosable.`, pointerOf(own))
    }
    return nodeOf(value, own, disclosure)
  }

  function objectOf(object: Json, path: Path): IssuedNode['content'] {
    const members = new Map<string, IssuedNode>()
    for (const [name, value] of Object.entries(object)) {
      if (name === DIGESTS || (name === ALGORITHM && path.length === 0)) continue
      if (RESERVED_NAMES.has(name))
        throw refuse('name_reserved', 'A claim has the name _sd_alg or three dots.', pointerOf([...path, name]))
      members.set(name, memberOf(name, value, path))
    }
    let undisclosed = 0
    if (!Object.hasOwn(object, DIGESTS)) return { kind: 'object', members, undisclosed }
    const digests = object[DIGESTS]
    if (!Array.isArray(digests)) throw refuse('digests_not_array', 'The _sd of an object is no array.', pointerOf(path))
    for (const digest of digests as unknown[]) {
      const disclosure = disclosureOf(digest, path)
      if (!disclosure) {
        undisclosed += 1
        continue
      }
      const { name } = disclosure
      if (name === undefined)
        throw refuse('disclosure_of_element', 'A disclosure without a name is that of a member.', pointerOf(path))
      if (members.has(name))
        throw refuse('name_taken', 'A disclosure has the name of another claim.', pointerOf([...path, name]))
      members.set(name, memberOf(name, disclosure.value, path, disclosure))
    }
    return { kind: 'object', members, undisclosed }
  }

  function elementOf(element: unknown, path: Path): IssuedNode {
    if (!isObject(element) || !Object.hasOwn(element, ELEMENT)) return nodeOf(element, path)
    if (Object.keys(element).length > 1)
      throw refuse('element_members', 'The digest of an element has other members beside it.', pointerOf(path))
    const disclosure = disclosureOf(element[ELEMENT], path)
    if (!disclosure) return { content: { kind: 'hidden' } }
    if (disclosure.name !== undefined)
      throw refuse('disclosure_of_member', 'A disclosure with a name is that of an element.', pointerOf(path))
    const [top] = path
    if (typeof top === 'string' && NEVER_SELECTIVE.has(top))
      throw refuse('never_selective', `The claim ${top} must not be selectively disclosable.`, pointerOf(path))
    return nodeOf(disclosure.value, path, disclosure)
  }

  function nodeOf(value: unknown, path: Path, disclosure?: Disclosure): IssuedNode {
    values += 1
    if (values > MAX_READ_VALUES) throw refuse('too_many_values', `There are more than ${MAX_READ_VALUES} values.`)
    if (path.length > MAX_DEPTH) throw refuse('too_deep', 'The claims are nested too deep.')
    const from = disclosure && { disclosure }
    if (Array.isArray(value)) {
      const elements = (value as unknown[]).map((element, index) => elementOf(element, [...path, index]))
      return { ...from, content: { kind: 'array', elements } }
    }
    if (isObject(value)) return { ...from, content: objectOf(value, path) }
    return { ...from, content: { kind: 'value', value } }
  }

  const root: IssuedNode = { content: objectOf(payload, []) }
  if (used.size < known.size) throw refuse('disclosure_unreferenced', 'A disclosure has a digest that is nowhere.')
  return { root, claims: asJson(claimsOf(root)), selective: pointersOf(selectiveIn(root)) }
}
