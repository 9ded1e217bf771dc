import { type FieldError, Refusal, within } from '../../errors.ts'
import { isReservedName } from '../../names.ts'
import type { RequestUriMethod } from '../presentations/requests.ts'

/** A claim of the ID token, and the statement of the credential that it is taken from. */
export interface ClaimMapping {
  /** IRI of a JSON-LD property, `<namespace>/<element>` of an mdoc, or the path of an SD-JWT VC's claim with slashes. */
  jsonLdFqn: string
  /** Name of the claim. */
  oidcClaim: string
}

/** Values of a verifier (specification, OIDC verifier). */
export interface VerifierValues {
  verifierDid: string
  presentationTemplateId: string
  includePresentation: boolean
  claimMappings: readonly ClaimMapping[]
  /** Certificates in DER as base64, the verifier's own first; without them wallets know it by its DID. */
  certificateChain?: readonly string[]
  /** How wallets are asked to fetch their requests. */
  requestUriMethod: RequestUriMethod
}

/** The claim that has the presentation as the wallet sent it (D-526). */
export const PRESENTATION_CLAIM = 'vp_token'

const MAX_MAPPINGS = 50
const MAX_NAME = 255
const MAX_FQN = 2_048

/** Claims that the provider makes itself, so that no credential can speak for it (OpenID Connect Core 1.0, section 2). */
const OWN_CLAIMS: ReadonlySet<string> = new Set([
  'iss',
  'sub',
  'aud',
  'exp',
  'iat',
  'nbf',
  'jti',
  'nonce',
  'auth_time',
  'acr',
  'amr',
  'azp',
  'sid',
  'at_hash',
  'c_hash',
  's_hash',
  'cnf',
  'events',
  '_claim_names',
  '_claim_sources',
  PRESENTATION_CLAIM,
])

export const invalidVerifier = (errors: FieldError[]) =>
  new Refusal('oidc_verifier.invalid', 'The verifier has values that cannot be used; see errors.', errors)

interface StatementNames {
  isName(name: string): boolean
  expected: string
}

/** A name without colon and slash would be none of JSON-LD and of an mdoc: most likely a property without its context. */
const QUALIFIED: StatementNames = {
  isName: (name) => /[:/]/.test(name),
  expected: 'the IRI of a property, such as https://schema.org/givenName, or <namespace>/<element> of an mdoc',
}
const OF_CLAIMS: StatementNames = {
  isName: (name) => name.split('/').every((step) => !isReservedName(step)),
  expected: 'the name of a claim, such as given_name or address/country, or what other credentials have in its place',
}

function mappingErrors(
  { jsonLdFqn, oidcClaim }: ClaimMapping,
  at: number,
  all: readonly ClaimMapping[],
  names: StatementNames,
): FieldError[] {
  const path = within('claim_mappings', at)
  const errors: FieldError[] = []
  const report = (member: string, code: string, message: string) =>
    errors.push({ path: within(path, member), code, message })
  const isName = /^[\x21-\x7e]{1,255}$/.test(oidcClaim) && oidcClaim.length <= MAX_NAME
  if (!isName || isReservedName(oidcClaim))
    report('oidc_claim', 'claim', 'expected the name of a claim, such as given_name')
  else if (OWN_CLAIMS.has(oidcClaim))
    report('oidc_claim', 'own', 'expected another claim: the provider makes this one itself')
  else if (all.findIndex((each) => each.oidcClaim === oidcClaim) < at)
    report('oidc_claim', 'repeated', 'expected each claim once')
  const isFqn = jsonLdFqn.length <= MAX_FQN && /^[^\s\p{Cc}]+$/u.test(jsonLdFqn) && names.isName(jsonLdFqn)
  if (!isFqn) report('json_ld_fqn', 'fqn', `expected ${names.expected}`)
  return errors
}

/**
 * Throws `Refusal('oidc_verifier.invalid')` with each broken rule of the claim mappings. `asksForClaims`: for SD-JWT VCs,
 * whose claims have plain names.
 */
export function checkMappings(mappings: readonly ClaimMapping[], asksForClaims: boolean): void {
  if (mappings.length > MAX_MAPPINGS)
    throw invalidVerifier([{ path: 'claim_mappings', code: 'count', message: `expected at most ${MAX_MAPPINGS}` }])
  const errors = mappings.flatMap((each, at) =>
    mappingErrors(each, at, mappings, asksForClaims ? OF_CLAIMS : QUALIFIED),
  )
  if (errors.length > 0) throw invalidVerifier(errors)
}
