import { Refusal } from '../errors.ts'
import { isObject } from '../json.ts'
import { isPrivateJwk, type PublicJwk } from './jwk.ts'
import { absoluteId, isDid } from './syntax.ts'

/** Verification relationships (DID Core 1.0, section 5.3). */
export const RELATIONSHIPS = [
  'authentication',
  'assertionMethod',
  'keyAgreement',
  'capabilityInvocation',
  'capabilityDelegation',
] as const
export type Relationship = (typeof RELATIONSHIPS)[number]

export interface VerificationMethod {
  id: string
  type: string
  controller: string
  publicKeyMultibase?: string
  publicKeyBase58?: string
  publicKeyJwk?: PublicJwk
  [member: string]: unknown
}

export interface DidService {
  id: string
  type: string | string[]
  serviceEndpoint: unknown
  [member: string]: unknown
}

export interface DidDocument extends Partial<Record<Relationship, (string | VerificationMethod)[]>> {
  '@context'?: unknown
  id: string
  verificationMethod?: VerificationMethod[]
  /** The name of `verificationMethod` before DID Core 1.0; read, never written. */
  publicKey?: VerificationMethod[]
  service?: DidService[]
  [member: string]: unknown
}

/** More than any honest document has; a hostile one must not make a verifier check thousands of keys. */
const MAX_ENTRIES = 200
const MAX_TEXT = 2048

const refuse = (what: string): never => {
  throw new Refusal('did.invalid_document', `The DID document is not valid: ${what}.`)
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_TEXT

function entries(document: Record<string, unknown>, member: string): unknown[] {
  const value = document[member]
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) return refuse(`${member} is not an array`)
  return value.length > MAX_ENTRIES ? refuse(`${member} has more than ${MAX_ENTRIES} entries`) : value
}

/** `privateKeyMultibase`, `secretKeyJwk` and the like (Controlled Identifiers 1.0, sections 2.2.2 and 2.2.3). */
const PRIVATE_MEMBER = /^(private|secret)Key/

/** A published private key is compromised: such a document is refused, and not cached or shown (D-162). */
const holdsPrivateKey = (method: object & { publicKeyJwk?: unknown }): boolean =>
  Object.keys(method).some((member) => PRIVATE_MEMBER.test(member)) ||
  (isObject(method.publicKeyJwk) && isPrivateJwk(method.publicKeyJwk))

function checkMethod(value: unknown, where: string): asserts value is VerificationMethod {
  if (!isObject(value)) return refuse(`${where} has an entry that is not a verification method`)
  if (!isText(value.id) || !isText(value.type)) return refuse(`a method in ${where} has no id or no type`)
  if (holdsPrivateKey(value)) refuse(`a method in ${where} contains a private key`)
  if (!isText(value.controller) || !isDid(value.controller)) refuse(`a method in ${where} has no DID as controller`)
}

/**
 * Checks a resolved DID document (DID Core 1.0, sections 4 and 5): its id is the requested DID, methods have id, type
 * and controller and no private key, relationships have references or methods, no id names two methods. Returns the
 * same object, typed; ids stay as they were written (relative ones are legal). Throws
 * `Refusal('did.invalid_document')`.
 */
export function validateDidDocument(did: string, document: unknown): DidDocument {
  if (!isObject(document)) return refuse('it is not a JSON object')
  if (document.id !== did) refuse(`its id is not ${did}`)
  const ids = new Set<string>()
  for (const member of ['verificationMethod', 'publicKey', ...RELATIONSHIPS]) {
    const isRelationship = (RELATIONSHIPS as readonly string[]).includes(member)
    for (const entry of entries(document, member)) {
      if (isRelationship && isText(entry)) continue
      checkMethod(entry, member)
      const id = absoluteId(did, entry.id)
      if (ids.has(id)) refuse('two methods have the same id')
      ids.add(id)
    }
  }
  for (const service of entries(document, 'service')) {
    if (!isObject(service) || !isText(service.id)) refuse('a service has no id')
  }
  return document as DidDocument
}
