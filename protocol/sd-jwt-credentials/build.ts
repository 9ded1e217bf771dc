import type { FieldError } from '../errors.ts'
import { isObject, type Json, referenceToken } from '../json.ts'
import { ownMember, setOwnMember } from '../names.ts'
import { type ClaimPath, claimErrors, claimPathFault, invalidClaims, NEVER_SELECTIVE } from './claims.ts'
import {
  ALGORITHM,
  base64urlOf,
  DIGESTS,
  type Disclosure,
  digestOf,
  ELEMENT,
  encodeDisclosure,
  type HashAlgorithm,
  type RandomBytes,
  SALT_BYTES,
} from './disclosures.ts'
import { tooComplex } from './plan-fit.ts'
import { MAX_POINTERS } from './processed.ts'
import { MAX_DISCLOSURES } from './read.ts'

/** What a holder may show or hide. */
export interface DisclosurePlan {
  /** Claims and elements of arrays that are selectively disclosable; all others are always disclosed. */
  selective: readonly ClaimPath[]
  /** Digests without a disclosure beside those of the top level (RFC 9901, section 4.2.5). Default: 0. */
  decoys?: number
  /** The same within the object or array at a path. */
  decoysAt?: readonly { path: ClaimPath; count: number }[]
}

export const MAX_DECOYS = 50
const MAX_PATHS = 1_000
/** Branches of a plan at most over all places of the claims: several lead to one place by an index and by null. */
const MAX_BRANCHES = 200_000

export interface BuiltSdJwt {
  /** Of the issuer-signed JWT. */
  payload: Json
  /** An inner one before that which contains its digest. */
  disclosures: Disclosure[]
}

/** The plan as a tree, so that each place of the claims is visited once. */
interface Branch {
  selective: boolean
  decoys: number
  names: Map<string, Branch>
  /** Of arrays; null: of all elements. */
  indexes: Map<number | null, Branch>
}

const branch = (): Branch => ({ selective: false, decoys: 0, names: new Map(), indexes: new Map() })

function at(root: Branch, path: ClaimPath): Branch {
  let current = root
  for (const step of path) {
    let next = typeof step === 'string' ? current.names.get(step) : current.indexes.get(step)
    if (!next) {
      next = branch()
      if (typeof step === 'string') current.names.set(step, next)
      else current.indexes.set(step, next)
    }
    current = next
  }
  return current
}

const planError = (path: string, code: string, message: string): FieldError => ({
  path,
  code: `disclosure.${code}`,
  message,
})

/** Every breach of the rules of a plan; `path` names the list's element, such as `selective.2`. */
export function planErrors({ selective, decoys = 0, decoysAt = [] }: DisclosurePlan): FieldError[] {
  const errors: FieldError[] = []
  if (selective.length > MAX_PATHS || decoysAt.length > MAX_PATHS)
    return [planError('selective', 'too_many', `expected at most ${MAX_PATHS} paths`)]
  const form = (path: ClaimPath, where: string) => {
    const fault = claimPathFault(path)
    if (fault === 'form') {
      // perhaps no list at all: nothing is taken from it
      errors.push(planError(where, 'path', 'expected a list of names, indexes from 0, and null for all elements'))
      return
    }
    const [first] = path
    if (fault) errors.push(planError(where, 'name', 'expected a path without reserved names'))
    else if (typeof first !== 'string') errors.push(planError(where, 'path', 'expected a path that begins with a name'))
    else if (NEVER_SELECTIVE.has(first))
      errors.push(planError(where, 'never', `expected another claim: ${first} must not be selectively disclosable`))
  }
  const known = new Set<string>()
  for (const [place, path] of selective.entries()) {
    form(path, `selective.${place}`)
    if (errors.length > 0) continue
    // in a list of well-formed steps only the same path has the same text
    const text = JSON.stringify(path)
    if (known.has(text)) errors.push(planError(`selective.${place}`, 'repeated', 'expected each path once'))
    known.add(text)
  }
  for (const [place, { path }] of decoysAt.entries()) form(path, `decoys_at.${place}.path`)
  for (const [where, count] of [
    ['decoys', decoys] as const,
    ...decoysAt.map(({ count }, place) => [`decoys_at.${place}.count`, count] as const),
  ])
    if (!Number.isInteger(count) || count < 0 || count > MAX_DECOYS)
      errors.push(planError(where, 'decoys', `expected 0 to ${MAX_DECOYS}`))
  return errors
}

/**
 * Salts one after the other, of few draws of random bytes: a draw costs a call of the system, whatever its size. The first one is
 * enough unless a path leads to all elements of an array.
 */
function saltsFrom(randomBytes: RandomBytes, { selective, decoys = 0 }: DisclosurePlan): () => string {
  let drawn: Uint8Array = new Uint8Array()
  let next = 0
  let count = Math.max(1, selective.length + decoys)
  return () => {
    if (next === drawn.length) {
      drawn = randomBytes(count * SALT_BYTES)
      next = 0
      count = 16
    }
    next += SALT_BYTES
    return base64urlOf(drawn.subarray(next - SALT_BYTES, next))
  }
}

/**
 * Puts digests in the place of selectively disclosable claims (RFC 9901, section 4.2). The salts are random bytes; the
 * digests of an object are sorted, so that their order says nothing. A path that leads to no claim hides nothing.
 * Throws `Refusal('credential.invalid')`, whose errors have JSON pointers into the claims, or paths into the plan.
 */
export function buildSdJwt(
  claims: Json,
  plan: DisclosurePlan,
  { randomBytes, algorithm = 'sha-256' }: { randomBytes: RandomBytes; algorithm?: HashAlgorithm },
): BuiltSdJwt {
  const errors = [...claimErrors(claims), ...planErrors(plan)]
  if (errors.length > 0) throw invalidClaims(errors)
  const root = branch()
  for (const path of plan.selective) at(root, path).selective = true
  root.decoys = plan.decoys ?? 0
  for (const { path, count } of plan.decoysAt ?? []) at(root, path).decoys = count
  const disclosures: Disclosure[] = []
  let hasDecoys = false
  const salt = saltsFrom(randomBytes, plan)

  let branchesTaken = 0
  let pointers = 0

  const hide = (name: string | undefined, value: unknown, pointer: number): string => {
    pointers += pointer
    const disclosure = encodeDisclosure({ salt: salt(), ...(name !== undefined && { name }), value }, algorithm)
    disclosures.push(disclosure)
    return disclosure.digest
  }
  const decoysOf = (branches: readonly Branch[]): string[] => {
    const count = Math.max(0, ...branches.map(({ decoys }) => decoys))
    if (count > 0) hasDecoys = true
    return Array.from({ length: count }, () => digestOf(salt(), algorithm))
  }

  // `pointer`: characters of the pointer to a place, as a verifier tells it of what is disclosed there
  function objectOf(object: Json, branches: readonly Branch[], pointer: number): Json {
    const digests: string[] = []
    const built: Json = {}
    for (const name of Object.keys(object)) {
      const below = branches.flatMap(({ names }) => names.get(name) ?? [])
      const own = below.length === 0 ? 0 : pointer + 1 + referenceToken(name).length
      const value = builtOf(ownMember(object, name), below, own)
      if (below.some(({ selective }) => selective)) digests.push(hide(name, value, own))
      else setOwnMember(built, name, value)
    }
    digests.push(...decoysOf(branches))
    return digests.length > 0 ? { [DIGESTS]: digests.sort(), ...built } : built
  }

  function arrayOf(array: readonly unknown[], branches: readonly Branch[], pointer: number): unknown[] {
    const built: unknown[] = array.map((element, index) => {
      const below = branches.flatMap(({ indexes }) =>
        [indexes.get(index), indexes.get(null)].filter((each) => each !== undefined),
      )
      const own = pointer + 1 + String(index).length
      const value = builtOf(element, below, own)
      return below.some(({ selective }) => selective) ? { [ELEMENT]: hide(undefined, value, own) } : value
    })
    // at random places, since those at the end would tell themselves
    for (const digest of decoysOf(branches))
      built.splice(placeIn(built.length + 1, randomBytes), 0, { [ELEMENT]: digest })
    return built
  }

  function builtOf(value: unknown, branches: readonly Branch[], pointer: number): unknown {
    if (branches.length === 0) return value
    branchesTaken += branches.length
    if (branchesTaken > MAX_BRANCHES) throw invalidClaims([tooComplex])
    if (Array.isArray(value)) return arrayOf(value, branches, pointer)
    return isObject(value) ? objectOf(value, branches, pointer) : value
  }

  const built = objectOf(claims, [root], 0)
  // a path may lead to each element of a long array
  if (disclosures.length > MAX_DISCLOSURES)
    throw invalidClaims([planError('', 'too_many', `expected at most ${MAX_DISCLOSURES} claims that may be hidden`)])
  if (pointers > MAX_POINTERS)
    throw invalidClaims([planError('', 'too_long', 'expected shorter names on the way to claims that may be hidden')])
  const hasDigests = disclosures.length > 0 || hasDecoys
  return { payload: hasDigests ? { ...built, [ALGORITHM]: algorithm } : built, disclosures }
}

/** A number below `count` of four random bytes. */
function placeIn(count: number, randomBytes: RandomBytes): number {
  const [a = 0, b = 0, c = 0, d = 0] = randomBytes(4)
  return (((a * 256 + b) * 256 + c) * 256 + d) % count
}
