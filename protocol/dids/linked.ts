import { CONTEXT } from '../contexts/urls.ts'
import { Refusal } from '../errors.ts'
import { isObject } from '../json.ts'
import { jsonOf, parseCompactJws } from '../jws.ts'
import { type Clock, hasCome, isToCome, wholeSeconds } from '../time.ts'
import { isDid } from './syntax.ts'

/** Context of the resource at `/.well-known/did-configuration.json` (DIF Well Known DID Configuration). */
const DID_CONFIGURATION_CONTEXT = CONTEXT.didConfigurationV1

export interface DomainLinkageInput {
  did: string
  /** `https://host`; a path or trailing slash is dropped. */
  origin: string
  issuedAt: Date
  expiresAt: Date
}

/** Returns an unsigned DomainLinkageCredential; it has no `id`, as the DIF specification requires. */
export const domainLinkageCredential = ({ did, origin, issuedAt, expiresAt }: DomainLinkageInput) => ({
  '@context': [CONTEXT.credentialsV1, CONTEXT.didConfigurationV02],
  type: ['VerifiableCredential', 'DomainLinkageCredential'],
  issuer: did,
  issuanceDate: wholeSeconds(issuedAt),
  expirationDate: wholeSeconds(expiresAt),
  credentialSubject: { id: did, origin: new URL(origin).origin },
})

/** Returns the DIF resource of signed credentials: objects with a proof, or JWT strings. */
export const didConfiguration = <T>(credentials: T[]) => ({
  '@context': DID_CONFIGURATION_CONTEXT,
  linked_dids: credentials,
})

/** Returns the list of linked DIDs in the specification's form (specification, DIDs and domains). */
export const linkedDidsList = <T>(credentials: T[]) => ({
  context: DID_CONFIGURATION_CONTEXT,
  linkedDids: credentials.map((credential) => ({ DomainLinkageCredential: credential })),
})

/** A resource with more DIDs is refused. */
export const MAX_LINKED_DIDS = 100

/** Returns the entries of a DIF resource. Throws `Refusal('did.invalid_configuration')`. */
export function readDidConfiguration(resource: unknown): (string | Record<string, unknown>)[] {
  const entries =
    isObject(resource) && resource['@context'] === DID_CONFIGURATION_CONTEXT ? resource.linked_dids : undefined
  if (!Array.isArray(entries) || entries.length > MAX_LINKED_DIDS) {
    throw new Refusal(
      'did.invalid_configuration',
      `Not a DID configuration: expected its @context, and linked_dids of at most ${MAX_LINKED_DIDS} entries.`,
    )
  }
  return entries.map((entry) => {
    if (typeof entry === 'string' || isObject(entry)) return entry
    throw new Refusal('did.invalid_configuration', 'An entry of linked_dids is neither a credential nor a JWT.')
  })
}

export interface LinkageReason {
  type: 'Syntax' | 'Context' | 'Subject' | 'Origin' | 'NotYetValid' | 'Expired' | 'Proof'
  message: string
}

export interface LinkageVerdict {
  verified: boolean
  /** The linked DID; present if the credential names one. */
  did?: string
  reason: LinkageReason[]
}

export interface LinkageRules extends Clock {
  /** Origin of the fetched resource. */
  origin: string
  /** Checks the proof (object) or signature (JWT) against the DID's own key. */
  verifyProof: (credential: string | Record<string, unknown>) => Promise<boolean>
}

/**
 * Returns a JWT's credential with the claims that the JWT encoding moves out of it (VC Data Model 1.1, section 6.3.1).
 */
function fromJwt(jwt: string): { credential: Record<string, unknown>; agrees: boolean } | undefined {
  const parsed = parseCompactJws(jwt)
  if (!parsed) return undefined
  const { header } = parsed
  try {
    const claims = jsonOf(parsed.payload)
    if (!isObject(claims)) return undefined
    const { vc, iss, sub, exp, nbf } = claims
    if (!isObject(vc) || !isObject(vc.credentialSubject) || typeof header.kid !== 'string') return undefined
    const iso = (numeric: unknown) =>
      numeric === undefined ? undefined : new Date(Number(numeric) * 1000).toISOString()
    const credential = { ...vc, issuer: vc.issuer ?? iss, issuanceDate: iso(nbf), expirationDate: iso(exp) }
    const subject = vc.credentialSubject.id
    return { credential, agrees: iss === subject && sub === subject && header.kid.startsWith(`${iss}#`) }
  } catch {
    return undefined
  }
}

/** Whether the linked DID itself made every proof: a valid proof of another DID proves nothing. */
const signedBy = (did: unknown, proof: unknown): boolean =>
  [proof].flat().every((each) => isObject(each) && String(each.verificationMethod).startsWith(`${did}#`))

const momentOf = (value: unknown): Date | undefined =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? new Date(value) : undefined

/** Older credentials have the bare domain in place of the origin; it means https. */
function originOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 2048) return undefined
  const text = value.includes('://') ? value : `https://${value}`
  return URL.canParse(text) && text.startsWith('https://') ? new URL(text).origin : undefined
}

/**
 * Verifies one entry of `linked_dids` (DIF Well Known DID Configuration, DID Configuration Resource Verification): the
 * DID is issuer, subject and signer, the origin is that of the resource, and the dates and the proof are valid. Returns
 * a verdict; a bad credential is no error.
 */
export async function verifyDomainLinkage(
  entry: string | Record<string, unknown>,
  rules: LinkageRules,
): Promise<LinkageVerdict> {
  const jwt = typeof entry === 'string' ? fromJwt(entry) : undefined
  const credential = typeof entry === 'string' ? jwt?.credential : entry
  const fail = (type: LinkageReason['type'], message: string): LinkageReason => ({ type, message })
  if (!credential) return { verified: false, reason: [fail('Syntax', 'The JWT has no credential, or no kid.')] }
  const { type, issuer, credentialSubject, issuanceDate, expirationDate, id } = credential
  const subject = isObject(credentialSubject) ? credentialSubject : {}
  const contexts = [credential['@context']].flat()
  const origin = originOf(rules.origin)
  const [start, end] = [issuanceDate, expirationDate].map(momentOf)
  const checks: [boolean, LinkageReason][] = [
    [[type].flat().includes('DomainLinkageCredential'), fail('Syntax', 'The type is not DomainLinkageCredential.')],
    [id === undefined, fail('Syntax', 'A DomainLinkageCredential must have no id.')],
    [
      contexts[0] === CONTEXT.credentialsV1 && contexts.length > 1,
      fail('Context', 'The contexts are not those of a DomainLinkageCredential.'),
    ],
    [isDid(subject.id) && issuer === subject.id, fail('Subject', 'The issuer is not the linked DID.')],
    [
      jwt?.agrees ?? signedBy(subject.id, credential.proof),
      fail('Subject', 'The linked DID has not signed the credential.'),
    ],
    [
      origin !== undefined && originOf(subject.origin) === origin,
      fail('Origin', 'The origin differs from the origin of the resource.'),
    ],
    [
      start !== undefined && !isToCome(start, rules),
      fail('NotYetValid', 'The credential is not valid yet, or has no issuanceDate.'),
    ],
    [
      end !== undefined && !hasCome(end, rules),
      fail('Expired', 'The credential has expired, or has no expirationDate.'),
    ],
  ]
  const reason = checks.filter(([passed]) => !passed).map(([, failed]) => failed)
  if (!(await rules.verifyProof(entry))) reason.push(fail('Proof', 'The proof does not verify with a key of the DID.'))
  return { verified: reason.length === 0, ...(isDid(subject.id) ? { did: subject.id } : {}), reason }
}
