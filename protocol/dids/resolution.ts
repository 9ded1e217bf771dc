import { Refusal } from '../errors.ts'
import { absoluteId, type DidDocument, parseDidUrl, RELATIONSHIPS, type VerificationMethod } from './index.ts'
import { resolveDidKey } from './key.ts'
import type { KeyFormat } from './methods.ts'
import { refuseParts, Unresolved, unresolvedOf } from './resolution.errors.ts'

const RESULT = 'application/did-resolution'
const DEREFERENCED = 'application/did-url-dereferencing'
/** The form of drafts of DID Resolution, which universal resolvers still speak. */
const DRAFT = 'application/ld+json;profile="https://w3id.org/did-resolution"'
const REPRESENTATIONS = [
  'application/did',
  'application/did+ld+json',
  'application/did+json',
  'application/json',
  'application/ld+json',
] as const
export type MediaType = typeof RESULT | typeof DEREFERENCED | typeof DRAFT | (typeof REPRESENTATIONS)[number]

const isUrl = (didUrl: string): boolean => /[/?#]/.test(didUrl)

/** The media types of an answer, the first of which suits a caller with no preference. */
export const mediaTypesOf = (didUrl: string): MediaType[] =>
  isUrl(didUrl) ? [DEREFERENCED, RESULT, ...REPRESENTATIONS, DRAFT] : [RESULT, DEREFERENCED, ...REPRESENTATIONS, DRAFT]

export interface ResolutionOptions {
  publicKeyFormat?: string
  enableExperimentalPublicKeyTypes?: boolean
  /** The name of an option that there is not. */
  unknown?: string
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
    refuseParts(path, query)
    return { did, fragment }
  } catch (error) {
    const [did = ''] = /^[^/?#]*/.exec(didUrl) ?? []
    if (!(error instanceof Refusal) || did === didUrl) throw error
    parseDidUrl(did)
    throw new Unresolved('invalidDidUrl', error.message)
  }
}

type Resource = DidDocument | VerificationMethod
type Outcome = { resource: Resource } | { failure: Unresolved }

/** The answer in one of the media types; after an error there is no resource, so a representation gives the result. */
function bodyIn(mediaType: MediaType, outcome: Outcome, didUrl: string): Pick<Answer, 'mediaType' | 'body'> {
  const failure = 'failure' in outcome ? outcome.failure : undefined
  const resource = 'resource' in outcome ? outcome.resource : null
  if (mediaType === DRAFT) {
    // DID Core 1.0, section 7.1.2: the error is a keyword
    const about = failure
      ? { error: failure.error, message: failure.message }
      : { contentType: 'application/did+ld+json' }
    const metadata = { [isUrl(didUrl) ? 'didDereferencingMetadata' : 'didResolutionMetadata']: about }
    const context = 'https://w3id.org/did-resolution/v1'
    return { mediaType, body: { '@context': context, didDocument: resource, didDocumentMetadata: {}, ...metadata } }
  }
  const metadata = failure ? { error: failure.object } : { contentType: 'application/did' }
  if (mediaType === DEREFERENCED || (failure && mediaType !== RESULT && isUrl(didUrl)))
    return {
      mediaType: DEREFERENCED,
      body: { dereferencingMetadata: metadata, contentStream: resource, contentMetadata: {} },
    }
  if (mediaType === RESULT || resource === null)
    return {
      mediaType: RESULT,
      body: { didResolutionMetadata: metadata, didDocument: resource, didDocumentMetadata: {} },
    }
  return { mediaType, body: resource }
}

export interface Answer {
  status: number
  mediaType: MediaType
  body: object
}

export interface ResolutionRequest {
  /** A DID or a DID URL. */
  didUrl: string
  /** One of `mediaTypesOf`; undefined: the caller accepts none of them. */
  mediaType: MediaType | undefined
  options: ResolutionOptions
  resolve(did: string): Promise<DidDocument>
}

async function dereferenced({ didUrl, mediaType, options, resolve }: ResolutionRequest): Promise<Resource> {
  if (mediaType === undefined)
    throw new Unresolved('representationNotSupported', `Accept one of ${mediaTypesOf(didUrl).join(', ')}.`)
  const { did, fragment } = partsOf(didUrl)
  if (mediaType === RESULT && did !== didUrl)
    throw new Unresolved('invalidDid', `A DID URL is dereferenced, not resolved. Accept ${DEREFERENCED} for a DID URL.`)
  if (options.unknown !== undefined)
    throw new Unresolved('featureNotSupported', `The option ${options.unknown.slice(0, 100)} is not supported.`)
  const resolved = await resolve(did)
  const publicKeyFormat = formatOf(options)
  const isKey = publicKeyFormat !== undefined && did.startsWith('did:key:')
  const document = isKey ? resolveDidKey(did, { publicKeyFormat }) : resolved
  return fragment === undefined ? document : methodOf(document, didUrl)
}

/**
 * Resolves a DID, or dereferences a DID URL of a verification method (DID Resolution 1.0). A refusal becomes a result
 * with an error; other errors of `resolve` are thrown.
 */
export async function resolution(request: ResolutionRequest): Promise<Answer> {
  const { didUrl } = request
  const [preferred = RESULT] = mediaTypesOf(didUrl)
  const mediaType = request.mediaType ?? preferred
  try {
    return { status: 200, ...bodyIn(mediaType, { resource: await dereferenced(request) }, didUrl) }
  } catch (error) {
    const failure = unresolvedOf(error)
    if (!failure) throw error
    return { status: failure.status, ...bodyIn(mediaType, { failure }, didUrl) }
  }
}
