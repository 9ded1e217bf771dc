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
