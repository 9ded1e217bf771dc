import { type ClaimPath, type DcqlCredential } from './query.ts'

/** Warning of a credential with disclosures that nobody asked for. */
export const MORE_DISCLOSED = 'MoreDisclosed'

const fits = (step: ClaimPath[number] | undefined, name: string): boolean => step === null || String(step) === name

/**
 * Whether a wallet disclosed something that the query has no claim for (OpenID4VP 1.0, section 6.4.1). `disclosed`: names and
 * indexes that lead to each disclosed part. What a claim stands in has to be disclosed with it, and what stands in a claim
 * belongs to it.
 */
export function disclosesMore(
  { claims = [] }: Pick<DcqlCredential, 'claims'>,
  disclosed: readonly string[][],
): boolean {
  const isAsked = (names: readonly string[]): boolean =>
    claims.some(({ path }) => names.slice(0, path.length).every((name, at) => fits(path[at], name)))
  return !disclosed.every(isAsked)
}

/** The steps of a JSON pointer (RFC 6901). */
export const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
