import { all, readScheme } from './scheme.ts'

/** Pivots of one list of lists; the commission has had up to six since one publication in the Official Journal. */
export const MAX_PIVOTS = 10

/** By their ending, as TS 119 615 knows them: beside them stand the publication in the Official Journal and a legal notice. */
const PIVOT = /^https:\/\/[!-~]{1,2000}\.xml$/

/**
 * The addresses of the pivots of a list of lists, newest first, as its SchemeInformationURI has them; one more than are
 * followed at the most. Nothing of the text is verified. Throws `Refusal('trust_list.source_…')`.
 */
export function pivotsIn(text: string): string[] {
  const addresses = all(readScheme(text.trim()).information, 'SchemeInformationURI', 'URI')
    .map((uri) => uri.text.trim())
    .filter((address) => PIVOT.test(address))
  return [...new Set(addresses)].slice(0, MAX_PIVOTS + 1)
}
