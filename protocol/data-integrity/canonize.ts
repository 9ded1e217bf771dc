import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { bundledContexts } from '../contexts/index.ts'
import { canonizeExpanded, type Digest, expand, type JsonLdOptions } from '../json-ld.ts'
import { assertPlain, assertPlainProof, assertTextsSigned } from './plain.ts'

export type { Digest } from '../json-ld.ts'

export interface CanonizeOptions extends JsonLdOptions {
  /** Replaces the library for many similar documents: see shapes.ts. */
  canonize?: (document: object) => Promise<string>
}

/**
 * Returns canonical N-Quads (RDF Dataset Canonicalization 1.0) of a JSON-LD document in safe mode: nothing is dropped
 * silently. Throws `Refusal` with `credential.term_undefined`, `credential.invalid`, `credential.too_complex`,
 * `context.unknown` or `context.invalid`.
 */
export async function canonize(document: object, options: CanonizeOptions): Promise<string> {
  if (options.canonize) return options.canonize(document)
  return canonizeExpanded(document, await expand(document, options), options)
}

async function canonizeChecked(
  document: object,
  options: CanonizeOptions,
  check: (document: object, expanded: readonly object[]) => void,
): Promise<string> {
  if (options.canonize) return options.canonize(document)
  const expanded = await expand(document, options)
  check(document, expanded)
  return canonizeExpanded(document, expanded, options)
}

/**
 * Like `canonize`, for a document, or options of a proof, whose members must say what is signed: also throws the
 * `Refusal` of `assertPlain`. Expands the document once, for both.
 */
export const canonizePlain = (document: object, options: CanonizeOptions): Promise<string> =>
  canonizeChecked(document, options, 'proofPurpose' in document ? assertPlainProof : assertPlain)

/**
 * For bbs-2023 and ecdsa-sd-2023, whose libraries canonicalise themselves: throws as `canonizePlain` does for a document
 * and the options of its proof, and for texts that are not signed.
 */
export async function assertPlainForBbs(
  document: Record<string, unknown>,
  proof: Record<string, unknown>,
  options: Pick<CanonizeOptions, 'documentLoader'>,
): Promise<void> {
  const expanded = await expand(document, options)
  assertPlain(document, expanded)
  assertTextsSigned(expanded)
  const { proofValue: _, ...members } = proof
  const configuration = { '@context': document['@context'], ...members }
  assertPlainProof(configuration, await expand(configuration, options))
}

export const hash = (digest: Digest, text: string): Buffer => createHash(digest).update(text).digest()

/** Canonical proof options, cut at `created`. */
const templates = new LRUCache<string, [string, string]>({ max: 1000 })

const TEMPLATE_MEMBERS = ['@context', 'created', 'cryptosuite', 'proofPurpose', 'type', 'verificationMethod']
const SECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
const createdLiteral = (created: string) => `"${created}"^^<http://www.w3.org/2001/XMLSchema#dateTime>`

/** The content of a context URL that is not bundled depends on the tenant, who has pinned it. */
const isForeign = (key: string, value: unknown): boolean => {
  if (typeof value === 'string') return key === '@import' || (key === '@context' && !bundledContexts.has(value))
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some((item) => isForeign(key, item))
  return Object.entries(value).some(([name, member]) => isForeign(name, member))
}

const MAX_KEY = 4_000

function templateKey(options: Record<string, unknown>): string | undefined {
  const { '@context': context, created, ...rest } = options
  if (typeof created !== 'string' || !SECONDS.test(created)) return undefined
  if (!Array.isArray(context) || isForeign('@context', context)) return undefined
  for (const [name, value] of Object.entries(rest)) {
    if (typeof value !== 'string' || !TEMPLATE_MEMBERS.includes(name)) return undefined
  }
  const key = JSON.stringify([context, rest.type, rest.cryptosuite, rest.proofPurpose, rest.verificationMethod])
  return key.length > MAX_KEY ? undefined : key
}

/**
 * Cuts canonical proof options at `created`. If it is one literal of one statement, no other statement has its
 * predicate and there is at most one blank node, its value changes neither labels nor the order of statements.
 */
function cutAtCreated(canonical: string, created: string): [string, string] | undefined {
  const [before, after, ...more] = canonical.split(createdLiteral(created))
  if (before === undefined || after === undefined || more.length > 0 || canonical.includes('_:c14n1')) return undefined
  const predicate = / <[^<>]*> $/.exec(before)?.[0]
  return predicate !== undefined && canonical.split(predicate).length === 2 ? [before, after] : undefined
}

/**
 * Returns the canonical form of proof options. Those of an issuer differ only in `created`, so the library's result is
 * cached and the time replaced. This halves the work of a signature. Throws as `canonize` and `assertPlainProof` do.
 */
export async function canonizeProofOptions(proof: Record<string, unknown>, options: CanonizeOptions): Promise<string> {
  const key = templateKey(proof)
  if (key === undefined) return canonizeChecked(proof, options, assertPlainProof)
  const created = String(proof.created)
  const cached = templates.get(key)
  if (cached !== undefined) return cached[0] + createdLiteral(created) + cached[1]
  const canonical = await canonizeChecked(proof, options, assertPlainProof)
  const template = cutAtCreated(canonical, created)
  if (template) templates.set(key, template)
  return canonical
}
