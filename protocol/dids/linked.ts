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

/** An unsigned DomainLinkageCredential; it has no `id`, as the DIF specification wants it. */
export const domainLinkageCredential = ({ did, origin, issuedAt, expiresAt }: DomainLinkageInput) => ({
  '@context': [CONTEXT.credentialsV1, CONTEXT.didConfigurationV02],
  type: ['VerifiableCredential', 'DomainLinkageCredential'],
  issuer: did,
  issuanceDate: wholeSeconds(issuedAt),
  expirationDate: wholeSeconds(expiresAt),
  credentialSubject: { id: did, origin: new URL(origin).origin },
})

/** The DIF resource of signed credentials: objects with a proof, or JWT strings. */
export const didConfiguration = <T>(credentials: T[]) => ({
  '@context': DID_CONFIGURATION_CONTEXT,
  linked_dids: credentials,
})

/** The list of linked DIDs in the specification's shape (specification, DIDs and domains). */
export const linkedDidsList = <T>(credentials: T[]) => ({
  context: DID_CONFIGURATION_CONTEXT,
  linkedDids: credentials.map((credential) => ({ DomainLinkageCredential: credential })),
})

/** A domain that names more DIDs than this is not walked. */
export const MAX_LINKED_DIDS = 100

/** The entries of a DIF resource. Throws `Refusal('did.invalid_configuration')`. */
export function readDidConfiguration(resource: unknown): (string | Record<string, unknown>)[] {
  const linked =
    isObject(resource) && resource['@context'] === DID_CONFIGURATION_CONTEXT ? resource.linked_dids : undefined
  if (!Array.isArray(linked) || linked.length > MAX_LINKED_DIDS) {
    throw new Refusal('did.invalid_configuration', 'Not a DID configuration: it needs its @context and linked_dids.')
  }
  return linked.map((entry) => {
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
  /** The DID that is linked; present when the credential could be read so far. */
  did?: string
  reason: LinkageReason[]
}

export interface LinkageRules extends Clock {
  /** Origin that the resource was fetched from. */
  origin: string
  /** Checks the proof (object) or signature (JWT) against the DID's own key. */
  verifyProof: (credential: string | Record<string, unknown>) => Promise<boolean>
}

/** A JWT's credential, its claims copied in where the JWT encoding of VC Data Model 1.1, section 6.3.1, moves them. */
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

/** Whoever signs must be the DID that is linked: a valid proof of somebody else proves nothing. */
const signedBy = (did: unknown, proof: unknown): boolean =>
  [proof].flat().every((each) => isObject(each) && String(each.verificationMethod).startsWith(`${did}#`))

const momentOf = (value: unknown): Date | undefined =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? new Date(value) : undefined

/** Older linked DIDs give the bare domain where an origin belongs; it can only mean https. */
function originOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 2048) return undefined
  const text = value.includes('://') ? value : `https://${value}`
  return URL.canParse(text) && text.startsWith('https://') ? new URL(text).origin : undefined
}

/**
 * Checks one entry of `linked_dids` (DIF Well Known DID Configuration, DID Configuration Resource Verification): the
 * DID speaks for itself, names the origin that it was found at, within its time, with a valid proof. A verdict, never
 * an error for a bad credential.
 */
export async function verifyDomainLinkage(
  entry: string | Record<string, unknown>,
  rules: LinkageRules,
): Promise<LinkageVerdict> {
  const jwt = typeof entry === 'string' ? fromJwt(entry) : undefined
  const credential = typeof entry === 'string' ? jwt?.credential : entry
  const fail = (type: LinkageReason['type'], message: string): LinkageReason => ({ type, message })
  if (!credential) return { verified: false, reason: [fail('Syntax', 'The JWT holds no credential, or no kid.')] }
  const { type, issuer, credentialSubject, issuanceDate, expirationDate, id } = credential
  const subject = isObject(credentialSubject) ? credentialSubject : {}
  const contexts = [credential['@context']].flat()
  const origin = originOf(rules.origin)
  const [begun, end] = [issuanceDate, expirationDate].map(momentOf)
  const checks: [boolean, LinkageReason][] = [
    [[type].flat().includes('DomainLinkageCredential'), fail('Syntax', 'The type is not DomainLinkageCredential.')],
    [id === undefined, fail('Syntax', 'A DomainLinkageCredential has no id.')],
    [
      contexts[0] === CONTEXT.credentialsV1 && contexts.length > 1,
      fail('Context', 'The contexts are not those of domain linkage.'),
    ],
    [isDid(subject.id) && issuer === subject.id, fail('Subject', 'The issuer is not the DID that is linked.')],
    [
      jwt?.agrees ?? signedBy(subject.id, credential.proof),
      fail('Subject', 'It is not signed by the DID that is linked.'),
    ],
    [
      origin !== undefined && originOf(subject.origin) === origin,
      fail('Origin', 'The origin is not the one that it was found at.'),
    ],
    [
      begun !== undefined && !isToCome(begun, rules),
      fail('NotYetValid', 'It is not valid yet, or says not since when.'),
    ],
    [end !== undefined && !hasCome(end, rules), fail('Expired', 'It is expired, or says not until when.')],
  ]
  const reason = checks.filter(([passed]) => !passed).map(([, failed]) => failed)
  if (!(await rules.verifyProof(entry))) reason.push(fail('Proof', 'The proof does not verify with a key of the DID.'))
  return { verified: reason.length === 0, ...(isDid(subject.id) ? { did: subject.id } : {}), reason }
}
