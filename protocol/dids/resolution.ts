import { Refusal } from '../errors.ts'
import { absoluteId, type DidDocument, parseDidUrl, RELATIONSHIPS, type VerificationMethod } from './index.ts'
import { resolveDidKey } from './key.ts'
import { KEY_LENGTH } from './keys.ts'
import type { KeyFormat } from './methods.ts'

/** Errors of DID Resolution 0.3, section 10, and of the did:key draft, section 3.1, with their spelling. */
export type ResolutionError =
  | 'invalidDid'
  | 'invalidDidUrl'
  | 'notFound'
  | 'methodNotSupported'
  | 'invalidPublicKeyLength'
  | 'invalidPublicKeyType'
  | 'unsupportedPublicKeyType'

interface Metadata {
  contentType?: string
  error?: ResolutionError
  message?: string
}

/**
 * A DID resolution result, or a dereferencing result for a DID URL with a fragment. `didDocument` is empty on an error.
 */
export interface ResolutionResult {
  '@context': 'https://w3id.org/did-resolution/v1'
  didDocument: DidDocument | VerificationMethod | Record<string, never>
  didDocumentMetadata: Record<string, never>
  didResolutionMetadata?: Metadata
  didDereferencingMetadata?: Metadata
}

export interface ResolutionOptions {
  publicKeyFormat?: string
  enableExperimentalPublicKeyTypes?: boolean
}

/** Values of `publicKeyFormat` for did:key documents; the types of 2018 and 2019 are experimental. */
const FORMATS = new Map<string, { format: KeyFormat; experimental?: true }>([
  ['Multikey', { format: 'Multikey' }],
  ['JsonWebKey2020', { format: 'JsonWebKey2020' }],
  ['Ed25519VerificationKey2020', { format: 'Suites2020' }],
  ['X25519KeyAgreementKey2020', { format: 'Suites2020' }],
  ['Ed25519VerificationKey2018', { format: 'Suites2018', experimental: true }],
  ['X25519KeyAgreementKey2019', { format: 'Suites2018', experimental: true }],
])

class Unresolved extends Error {
  constructor(
    readonly error: ResolutionError,
    message: string,
  ) {
    super(message)
  }
}

function errorOf(refusal: Refusal): ResolutionError {
  if (refusal.code === 'did.method_unsupported') return 'methodNotSupported'
  if (refusal.errors.some(({ code }) => code === KEY_LENGTH)) return 'invalidPublicKeyLength'
  return refusal.code === 'did.invalid' ? 'invalidDid' : 'notFound'
}

function formatOf({ publicKeyFormat, enableExperimentalPublicKeyTypes = false }: ResolutionOptions) {
  if (publicKeyFormat === undefined) return undefined
  const entry = FORMATS.get(publicKeyFormat)
  if (!entry)
    throw new Unresolved(
      'unsupportedPublicKeyType',
      `The publicKeyFormat is not supported. Use one of ${[...FORMATS.keys()].join(', ')}.`,
    )
  if (entry.experimental && !enableExperimentalPublicKeyTypes)
    throw new Unresolved(
      'invalidPublicKeyType',
      'The publicKeyFormat is experimental. Set enableExperimentalPublicKeyTypes to true to use it.',
    )
  return entry.format
}

function methodOf(document: DidDocument, didUrl: string): VerificationMethod {
  const all = [document.verificationMethod ?? [], ...RELATIONSHIPS.map((name) => document[name] ?? [])].flat()
  for (const method of all)
    if (typeof method !== 'string' && absoluteId(document.id, method.id) === didUrl) return method
  throw new Unresolved('notFound', 'The DID document has no such verification method.')
}

/** Splits a DID URL. If its DID is valid and its rest is not, the error is invalidDidUrl. */
function partsOf(didUrl: string): { did: string; fragment: string | undefined } {
  try {
    const { did, fragment, path, query } = parseDidUrl(didUrl)
    if (path || query) throw new Unresolved('invalidDidUrl', 'DID URLs with a path or a query are not supported.')
    return { did, fragment }
  } catch (error) {
    const [did = ''] = /^[^/?#]*/.exec(didUrl) ?? []
    if (!(error instanceof Refusal) || did === didUrl) throw error
    parseDidUrl(did)
    throw new Unresolved('invalidDidUrl', error.message)
  }
}

/**
 * Resolves a DID, or dereferences a DID URL of a verification method. A refusal becomes a result with an error; other
 * errors of `resolve` are thrown.
 */
export async function resolution(
  didUrl: string,
  options: ResolutionOptions,
  resolve: (did: string) => Promise<DidDocument>,
): Promise<ResolutionResult> {
  const metadata = /[/?#]/.test(didUrl) ? 'didDereferencingMetadata' : 'didResolutionMetadata'
  const result = (didDocument: ResolutionResult['didDocument'], about: Metadata): ResolutionResult => ({
    '@context': 'https://w3id.org/did-resolution/v1',
    didDocument,
    didDocumentMetadata: {},
    [metadata]: about,
  })
  try {
    const { did, fragment } = partsOf(didUrl)
    const resolved = await resolve(did)
    const publicKeyFormat = formatOf(options)
    const isKey = publicKeyFormat !== undefined && did.startsWith('did:key:')
    const document = isKey ? resolveDidKey(did, { publicKeyFormat }) : resolved
    const resource = fragment === undefined ? document : methodOf(document, didUrl)
    return result(resource, { contentType: 'application/did+ld+json' })
  } catch (error) {
    if (error instanceof Unresolved) return result({}, { error: error.error, message: error.message })
    if (error instanceof Refusal) return result({}, { error: errorOf(error), message: error.message })
    throw error
  }
}
