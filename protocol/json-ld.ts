import jsonld from 'jsonld'
import { assertContexts, type DocumentLoader } from './contexts/index.ts'
import { asRefusal } from './data-integrity/refusals.ts'
import { assertNodeNames, assertStatements } from './json-ld.statements.ts'

export type Digest = 'sha256' | 'sha384'

export interface JsonLdOptions {
  documentLoader: DocumentLoader
  /**
   * Bound on deep comparisons, as a power of the number of similar nodes (rdf-canonize); 1 stops poison graphs early.
   */
  maxWorkFactor?: number
  /** Stops the deep comparison after so many milliseconds of work, as `spentMs` counts them. Default: no limit. */
  deepWork?: { limitMs: number; spentMs: () => number }
  digest?: Digest
}

/**
 * The only caller of jsonld: every error that it throws is about the document, and becomes a refusal that names the
 * place if it is known (D-152).
 */
async function about<Result>(document: object, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw asRefusal(error, document)
  }
}

/**
 * Returns the expanded form of a document. `safe`: undefined terms are refused, not dropped. Throws `Refusal` with
 * `credential.term_undefined`, `credential.invalid`, `credential.too_complex`, `context.unknown` or `context.invalid`.
 */
export async function expand(
  document: object,
  { documentLoader }: Pick<JsonLdOptions, 'documentLoader'>,
  { safe = true }: { safe?: boolean } = {},
): Promise<object[]> {
  assertContexts(document)
  const expanded = await about(document, () => jsonld.expand(document, { documentLoader, base: null, safe }))
  if (safe) assertStatements(document, expanded)
  else assertNodeNames(document, expanded)
  return expanded
}

/** The library reads it at every third permutation of similar nodes; the first read starts the clock. */
function deepSignal({ limitMs, spentMs }: NonNullable<JsonLdOptions['deepWork']>) {
  let beginMs: number | undefined
  return {
    reason: 'deep comparison',
    get aborted(): boolean {
      beginMs ??= spentMs()
      return spentMs() - beginMs > limitMs
    },
  }
}

/**
 * Returns canonical N-Quads (RDF Dataset Canonicalization 1.0) of a document that `expand` expanded. Throws as it does.
 */
export const canonizeExpanded = (
  document: object,
  expanded: readonly object[],
  { documentLoader, maxWorkFactor = 1, deepWork, digest = 'sha256' }: JsonLdOptions,
): Promise<string> =>
  about(document, () =>
    jsonld.canonize(expanded, {
      documentLoader,
      safe: true,
      base: null,
      skipExpansion: true,
      rdfDirection: 'i18n-datatype',
      canonizeOptions: {
        algorithm: 'RDFC-1.0',
        maxWorkFactor,
        messageDigestAlgorithm: digest,
        ...(deepWork && { signal: deepSignal(deepWork) }),
      },
    }),
  )

/** Returns the JSON-LD document of an RDF dataset from `NQuads.parse`. Throws what the library throws. */
export const fromRdf = (dataset: object[]): Promise<object[]> => jsonld.fromRDF(dataset, { useNativeTypes: false })
