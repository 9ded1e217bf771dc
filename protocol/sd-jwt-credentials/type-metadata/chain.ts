import { matchesIntegrity } from '../integrity.ts'
import { type ClaimMetadata, invalidType, readType, type TypeDisplay, type TypeDocument } from './document.ts'

/** Types of a chain at most, with the first one. */
export const MAX_TYPES = 8

/** Claims of a type at most, with those that it inherits. */
const MAX_JOINED_CLAIMS = 2_000

/** A type with all that it extends (draft-ietf-oauth-sd-jwt-vc-19, section 4.4). */
export interface ResolvedType {
  /** The type, the one that it extends, and so on. */
  vcts: string[]
  /** Those that it extends, as far as digests say so: that of the credential, then each that of the type before it. */
  assured: string[]
  display: TypeDisplay[]
  claims: ClaimMetadata[]
}

/** Fetches the bytes of a type's metadata. Undefined: there is none, which only the first type of a chain may have. */
export type LoadType = (vct: string, integrity: string | undefined) => Promise<Uint8Array | undefined>

const pathName = ({ path }: ClaimMetadata): string => JSON.stringify(path)

/** A claim's metadata over that which it inherits (section 4.6.5). Throws `Faulty`. */
function extended(base: ClaimMetadata, own: ClaimMetadata): ClaimMetadata {
  if ((base.sd === 'always' || base.sd === 'never') && own.sd !== undefined && own.sd !== base.sd)
    throw invalidType('sd_changed', `The type changes the sd of the claim ${pathName(own)}, which is ${base.sd}.`)
  if (base.mandatory && own.mandatory === false)
    throw invalidType('mandatory_changed', `The type makes the mandatory claim ${pathName(own)} optional.`)
  return { ...base, ...own }
}

function extendedClaims(base: readonly ClaimMetadata[], own: readonly ClaimMetadata[]): ClaimMetadata[] {
  const ofOwn = new Map(own.map((claim) => [pathName(claim), claim]))
  const ofBase = new Set(base.map(pathName))
  return [
    ...base.map((claim) => {
      const child = ofOwn.get(pathName(claim))
      return child ? extended(claim, child) : claim
    }),
    ...own.filter((claim) => !ofBase.has(pathName(claim))),
  ]
}

/** Joins a chain: the last one is extended by the one before it. Throws `Faulty`. */
export function joinTypes(chain: readonly TypeDocument[]): Omit<ResolvedType, 'assured'> {
  let joined: Omit<ResolvedType, 'assured'> = { vcts: [], display: [], claims: [] }
  for (const { vct, display, claims } of chain.toReversed()) {
    joined = {
      vcts: [vct, ...joined.vcts],
      display: display ?? joined.display,
      claims: extendedClaims(joined.claims, claims ?? []),
    }
    if (joined.claims.length > MAX_JOINED_CLAIMS)
      throw invalidType(
        'too_complex',
        `The type has more than ${MAX_JOINED_CLAIMS} claims with those that it inherits.`,
      )
  }
  const ids = joined.claims.flatMap(({ svg_id: id }) => id ?? [])
  if (new Set(ids).size < ids.length) throw invalidType('svg_id_repeated', 'Two claims of the type have one svg_id.')
  return joined
}

/**
 * Loads a type and all that it extends, each with its digest where there is one (sections 4.3, 4.4, 5 and 7.3). Undefined
 * where the first one has no metadata. Throws `Faulty`, and what `load` throws.
 */
export async function resolveType(
  vct: string,
  integrity: string | undefined,
  load: LoadType,
): Promise<ResolvedType | undefined> {
  const chain: TypeDocument[] = []
  const known = new Set<string>()
  const assured: string[] = []
  let isAssured = integrity !== undefined
  let next: { vct: string; integrity: string | undefined } | undefined = { vct, integrity }
  while (next) {
    if (known.has(next.vct)) throw invalidType('circle', 'The type extends itself.')
    if (known.size >= MAX_TYPES)
      throw invalidType('chain_too_long', `The type extends more than ${MAX_TYPES - 1} others.`)
    known.add(next.vct)
    const bytes = await load(next.vct, next.integrity)
    if (!bytes) {
      if (chain.length === 0) return undefined
      throw invalidType('extended_missing', 'A type that is extended has no metadata.')
    }
    if (next.integrity !== undefined && !matchesIntegrity(bytes, next.integrity))
      throw invalidType('integrity', 'The type metadata has another digest than the one that is asked for.')
    const document = readType(bytes)
    if (document.vct !== next.vct) throw invalidType('of_other', 'The type metadata is that of another type.')
    chain.push(document)
    const { extends: base, 'extends#integrity': baseIntegrity } = document
    next = base === undefined ? undefined : { vct: base, integrity: baseIntegrity }
    if (base !== undefined && isAssured) assured.push(base)
    isAssured &&= baseIntegrity !== undefined
  }
  return { ...joinTypes(chain), assured }
}
