import jsonld from 'jsonld'
import { assertContexts, type DocumentLoader } from './contexts/index.ts'
import { asRefusal } from './data-integrity/refusals.ts'
import { assertNodeNames, assertStatements } from './json-ld.statements.ts'

export type Digest = 'sha256' | 'sha384'

export interface JsonLdOptions {
  documentLoader: DocumentLoader
  /** Rounds of deep comparison as a power of the nodes that look alike (rdf-canonize); 1 ends poison graphs in milliseconds. */
  maxWorkFactor?: number
  /** Ends the deep comparison after so many milliseconds of work, as `spentMs` counts them; no limit unless told. */
  deepWork?: { limitMs: number; spentMs: () => number }
  digest?: Digest
}

/**
 * The one place that calls jsonld: whatever it throws is about the document it was given, and becomes a refusal that names
 * the place as far as that is known (D-152).
 */
async function about<Result>(document: object, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw asRefusal(error, document)
  }
}

/**
 * The expanded form of a document. `safe`: what no context defines is refused, not dropped. Throws `Refusal` with
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

/** The library looks at it every third permutation of nodes that look alike, and nowhere else: the first look begins. */
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

/** Canonical N-Quads (RDF Dataset Canonicalization 1.0) of what `expand` made of a document. Throws as that does. */
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

/** The document of an RDF dataset, as `NQuads.parse` gives it. Throws what the library throws. */
export const fromRdf = (dataset: object[]): Promise<object[]> => jsonld.fromRDF(dataset, { useNativeTypes: false })
