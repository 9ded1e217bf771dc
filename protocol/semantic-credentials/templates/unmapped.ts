import { claimPath, unreadMembers } from '../../credentials/claim-paths.ts'
import type { Json } from '../../data-integrity/index.ts'
import type { FieldError } from '../../errors.ts'
import { nearestOf } from '../../names.ts'
import { type ClaimMappings, flattenMappings, hasClaim } from './claims.ts'

/** `id` is the subject's id, with or without a mapping. */
const SUBJECT_ID = 'id'

/** Names of a list of claims in a message at most, and characters of a name. */
const MAX_NAMES = 20
const MAX_NAME = 100
/** Errors about the claims of one subject. */
const MAX_ERRORS = 100
/** Misspelt names for which a batch looks for the right one: rows repeat their names. */
const MAX_HINTS = 1_000

const short = (name: string): string => name.slice(0, MAX_NAME)

/** Claims that a template takes. */
export interface TakenClaims {
  /** Paths below `claims`. */
  paths: string[]
  /** For messages. */
  list: string
  /** Returns the claim that a caller most likely meant by a name that no mapping takes. */
  nearest(name: string): string | undefined
}

export function takenClaims(mappings: ClaimMappings): TakenClaims {
  const sources = new Map<string, string>()
  for (const [name, path] of Object.entries(flattenMappings(mappings))) {
    const below = claimPath(path)
    if (below !== undefined) sources.set(name, below)
  }
  const paths = [...new Set([SUBJECT_ID, ...sources.values()])]
  const more = paths.length - MAX_NAMES
  const nearest = nearestOf(paths)
  const hints = new Map<string, string | undefined>()

  return {
    paths,
    list: `${paths.slice(0, MAX_NAMES).map(short).join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    nearest(name) {
      if (name.length > MAX_NAME) return undefined
      if (!hints.has(name) && hints.size < MAX_HINTS) hints.set(name, sources.get(name) ?? nearest(name))
      return hints.get(name)
    },
  }
}

/** The message about a claim that no mapping takes. `isSent`: whether the caller has sent the claim at a path. */
export function unmappedMessage(name: string, taken: TakenClaims, isSent: (path: string) => boolean): string {
  const meant = taken.nearest(name)
  const hint = meant === undefined || isSent(meant) ? '' : `; did you mean ${meant}?`
  return `no mapping of the template takes this claim${hint}`
}

/** Returns an error for each claim that no mapping takes, and that the credential would therefore not have. */
export function unmappedErrors(taken: TakenClaims, claims: Json): FieldError[] {
  const isSent = (path: string) => hasClaim(claims, path)
  return unreadMembers(claims, taken.paths)
    .slice(0, MAX_ERRORS)
    .map((name, index) => ({
      path: `claims.${short(name)}`,
      code: 'credential_template.claim_unmapped',
      // the file of a batch's errors shows the errors of a row, and no other message
      message: `${unmappedMessage(name, taken, isSent)}${index === 0 ? ` (the template takes ${taken.list})` : ''}`,
    }))
}
