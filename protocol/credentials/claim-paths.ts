import { Refusal, within } from '../errors.ts'
import type { Json } from '../json.ts'
import { isReservedStep, ownMember } from '../names.ts'

/** What the paths of mappings lead into. */
export interface ClaimRoots {
  claims: Json
  authenticationProvider?: { subjectId?: string; url?: string }
  /** The template itself. */
  credentialConfiguration?: object
}

export const MAX_PATH = 512

const ROOT =
  /^(claims|authentication_provider|authenticationProvider|credential_configuration|credentialConfiguration)\.(.+)$/s

const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** A member named like the whole rest of the path takes precedence: identity providers may name claims by a URL. */
export function memberAt(value: unknown, path: string): unknown {
  let [current, rest] = [value, path]
  for (;;) {
    if (typeof current !== 'object' || current === null) return undefined
    if (Object.hasOwn(current, rest)) return ownMember(current, rest)
    const dot = rest.indexOf('.')
    if (dot < 0) return undefined
    current = ownMember(current, rest.slice(0, dot))
    rest = rest.slice(dot + 1)
  }
}

/** The value at a path such as `claims.given_name`; a path without a root is a claim. Null is undefined. */
export function valueAt(
  path: string,
  { claims, authenticationProvider, credentialConfiguration }: ClaimRoots,
): unknown {
  const [, root = 'claims', rest = path] = ROOT.exec(path) ?? []
  const value =
    root === 'claims'
      ? memberAt(claims, rest)
      : memberAt({ authenticationProvider, credentialConfiguration }, `${camel(root)}.${camel(rest)}`)
  return value ?? undefined
}

/** The part of a path below `claims`; undefined for a path into another source. */
export function claimPath(path: string): string | undefined {
  const [, root = 'claims', rest = path] = ROOT.exec(path) ?? []
  return root === 'claims' ? rest : undefined
}

/** What is wrong with a path: it has an empty step or is too long, or a step leads into a prototype. */
export function pathFault(path: unknown): 'form' | 'reserved' | undefined {
  const steps = typeof path === 'string' && path.length <= MAX_PATH ? path.split('.') : ['']
  if (steps.some((step) => step.trim() === '')) return 'form'
  return steps.some(isReservedStep) ? 'reserved' : undefined
}

/**
 * Returns the paths of the members that no path reads. A path reads as `memberAt` does: a member named like the whole
 * rest of the path takes precedence, and with a member all that is in it is read.
 */
export function unreadMembers(value: object, paths: readonly string[], prefix = ''): string[] {
  const whole = new Set<string>()
  const through = new Map<string, string[]>()
  for (const path of paths) {
    const dot = path.indexOf('.')
    if (Object.hasOwn(value, path)) whole.add(path)
    else if (dot > 0) {
      const [step, rest] = [path.slice(0, dot), path.slice(dot + 1)]
      through.set(step, [...(through.get(step) ?? []), rest])
    }
  }
  return Object.entries(value).flatMap(([name, member]) => {
    if (whole.has(name)) return []
    const further = through.get(name)
    if (further === undefined) return [`${prefix}${name}`]
    if (member === null || member === undefined) return []
    return typeof member === 'object' ? unreadMembers(member, further, `${prefix}${name}.`) : [`${prefix}${name}`]
  })
}

/** Characters of a name, and errors, that are told. */
const [MAX_NAME, MAX_ERRORS] = [255, 100]

/** A name of one claim may have dots in it. */
const stepsOf = (claims: Json, name: string): string[] => (Object.hasOwn(claims, name) ? [name] : name.split('.'))

/**
 * Throws `Refusal('credential_template.claims_unmapped')` for claims that none of the paths reads: each is named, as a
 * misspelt one would be lost in silence (D-241).
 */
export function assertMapped(paths: readonly string[], claims: Json): void {
  const unmapped = unreadMembers(claims, paths)
  if (unmapped.length === 0) return
  const message = `expected one of ${paths.slice(0, 20).join(', ') || 'no claims'}`
  throw new Refusal(
    'credential_template.claims_unmapped',
    'The template takes no claims of these names.',
    unmapped.slice(0, MAX_ERRORS).map((name) => ({
      path: within('claims', ...stepsOf(claims, name.slice(0, MAX_NAME))),
      code: 'credential_template.claim_unmapped',
      message,
    })),
  )
}
