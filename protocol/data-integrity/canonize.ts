import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { bundledContexts } from '../contexts/index.ts'
import { canonizeExpanded, type Digest, expand, type JsonLdOptions } from '../json-ld.ts'
import { assertPlain, assertTextsSigned } from './plain.ts'

export type { Digest } from '../json-ld.ts'

export interface CanonizeOptions extends JsonLdOptions {
  /** In place of the library, for many documents that are alike: see data-integrity.shapes.ts. */
  canonize?: (document: object) => Promise<string>
}

/**
 * Canonical N-Quads (RDF Dataset Canonicalization 1.0) of a JSON-LD document in safe mode: nothing is dropped
 * silently. Throws `Refusal` with `credential.term_undefined`, `credential.invalid`, `credential.too_complex`,
 * `context.unknown` or `context.invalid`.
 */
export async function canonize(document: object, options: CanonizeOptions): Promise<string> {
  if (options.canonize) return options.canonize(document)
  return canonizeExpanded(document, await expand(document, options), options)
}

/**
 * The same of a document whose members are what is signed: see `assertPlain`, whose `Refusal` it throws besides. It is
 * expanded once, for both.
 */
export async function canonizePlain(document: object, options: CanonizeOptions): Promise<string> {
  if (options.canonize) return options.canonize(document)
  const expanded = await expand(document, options)
  assertPlain(document, expanded)
  return canonizeExpanded(document, expanded, options)
}

/** For bbs-2023, whose library canonicalises by itself: throws as `canonizePlain` does, and for texts that are not signed. */
export async function assertPlainForBbs(document: object, options: Pick<CanonizeOptions, 'documentLoader'>) {
  const expanded = await expand(document, options)
  assertPlain(document, expanded)
  assertTextsSigned(expanded)
}

export const hash = (digest: Digest, text: string): Buffer => createHash(digest).update(text).digest()

/** Canonical proof options, cut where `created` stands. */
const templates = new LRUCache<string, [string, string]>({ max: 1000 })

const TEMPLATE_MEMBERS = ['@context', 'created', 'cryptosuite', 'proofPurpose', 'type', 'verificationMethod']
const SECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
const createdLiteral = (created: string) => `"${created}"^^<http://www.w3.org/2001/XMLSchema#dateTime>`

/** A context by URL means what its tenant has pinned under it, unless it is bundled. */
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
 * Cuts canonical proof options where `created` stands: when it is one literal of one statement, no other statement has
 * its predicate and there is one blank node at most, its value changes neither a label nor the order of the statements.
 */
function cutAtCreated(canonical: string, created: string): [string, string] | undefined {
  const [before, after, ...more] = canonical.split(createdLiteral(created))
  if (before === undefined || after === undefined || more.length > 0 || canonical.includes('_:c14n1')) return undefined
  const predicate = / <[^>]*> $/.exec(before)?.[0]
  return predicate !== undefined && canonical.split(predicate).length === 2 ? [before, after] : undefined
}

/**
 * Canonical form of proof options. Those of one issuer differ in `created` alone, so the library's answer is kept and
 * the time replaced. That halves the work of a signature.
 */
export async function canonizeProofOptions(proof: Record<string, unknown>, options: CanonizeOptions): Promise<string> {
  const key = templateKey(proof)
  if (key === undefined) return canonize(proof, options)
  const created = String(proof.created)
  const known = templates.get(key)
  if (known !== undefined) return known[0] + createdLiteral(created) + known[1]
  const canonical = await canonize(proof, options)
  const template = cutAtCreated(canonical, created)
  if (template) templates.set(key, template)
  return canonical
}
