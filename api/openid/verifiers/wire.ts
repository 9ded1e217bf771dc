import type { ClientWithSecret } from '../../../activities/openid/verifiers/clients.ts'
import type { VerifierRecord } from '../../../activities/openid/verifiers/records.ts'
import { chainPem, readChain } from '../../../protocol/openid/verifiers/certificates.ts'
import type { ClientValues } from '../../../protocol/openid/verifiers/clients.ts'
import type { VerifierValues } from '../../../protocol/openid/verifiers/values.ts'
import type { Count, Did, Uuid } from '../../frame/wire.ts'

/** IRI of a JSON-LD property; of a mobile credential `<namespace>/<element>`; of an SD-JWT VC the path of a claim. */
export type StatementName = string

/** Name of a claim; none that the provider makes itself, such as sub. */
export type OidcClaimName = string

export interface OidcClaimMappingIn {
  json_ld_fqn: StatementName
  oidc_claim: OidcClaimName
}

export interface OidcClaimMappingOut {
  json_ld_fqn: string
  oidc_claim: string
}

/** Statements of the credential, and the claims of the ID token that they become. */
export type OidcClaimMappingsIn = OidcClaimMappingIn[]

/** X.509 certificates in PEM, one after the other, the verifier's own first. */
export type CertificateChainPem = string

/** How wallets fetch their requests: get (default), or post with what they are able to, where they can (OpenID4VP 1.0, section 5.10). */
export type RequestUriMethodName = 'get' | 'post'

export interface OidcVerifierIn {
  /**
   * Certificates for the P-256 key of the DID, without the trust anchor. With them wallets know the verifier by its own
   * certificate (x509_hash), without them by its DID.
   */
  certificate_chain?: CertificateChainPem
  claim_mappings: OidcClaimMappingsIn
  /** true: the ID token and the answer of the UserInfo endpoint have the presentation too, as vp_token. */
  include_presentation: boolean
  presentation_template_id: Uuid
  request_uri_method?: RequestUriMethodName
  /** A DID of the tenant with a P-256 or an Ed25519 key, which signs the requests to wallets. */
  verifier_did: Did
}

export interface OidcVerifierOut {
  id: Uuid
  verifierDid: Did
  presentationTemplateId: Uuid
  includePresentation: boolean
  claimMappings: OidcClaimMappingOut[]
  certificateChain?: string
  requestUriMethod: RequestUriMethodName
  /** The issuer for clients; its metadata is at /.well-known/openid-configuration below it. */
  issuer: string
}

export interface OidcVerifierCertificateRequestOut {
  /** PKCS #10 in PEM. */
  csrPem: string
}

export interface OidcVerifierPageOut {
  data: OidcVerifierOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

/** Redirect URIs, compared character by character. */
export type RedirectUris = string[]

/** authorization_code, and refresh_token for a client that gets refresh tokens. */
export type OidcGrantTypes = string[]

/** code */
export type OidcResponseTypes = string[]

/** web or native. */
export type OidcApplicationType = string

/** How the client authenticates at the token endpoint. */
export type OidcAuthMethod = string

/** What ID tokens are signed with. */
export type OidcSigningAlg = string

/** A picture that the page of a sign-in shows: an https URL. */
export type LogoUri = string

/** The client's name for people. */
export type OidcClientName = string

export interface OidcVerifierClientIn {
  name: OidcClientName
  applicationType: OidcApplicationType
  redirectUris: RedirectUris
  grantTypes: OidcGrantTypes
  responseTypes: OidcResponseTypes
  tokenEndpointAuthMethod: OidcAuthMethod
  idTokenSignedResponseAlg: OidcSigningAlg
  logoUri: LogoUri | null
}

export interface OidcVerifierClientOut {
  id: Uuid
  name: string
  applicationType: string
  redirectUris: string[]
  grantTypes: string[]
  responseTypes: string[]
  tokenEndpointAuthMethod: string
  idTokenSignedResponseAlg: string
  logoUri: string | null
}

/** The secret is shown when it is made, and never again. */
export interface OidcVerifierClientSecretOut extends OidcVerifierClientOut {
  secret?: string
}

export interface OidcVerifierClientPageOut {
  data: OidcVerifierClientOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

export const toValues = (body: OidcVerifierIn): VerifierValues => ({
  verifierDid: body.verifier_did,
  presentationTemplateId: body.presentation_template_id.toLowerCase(),
  includePresentation: body.include_presentation,
  claimMappings: body.claim_mappings.map((each) => ({ jsonLdFqn: each.json_ld_fqn, oidcClaim: each.oidc_claim })),
  ...(body.certificate_chain !== undefined && { certificateChain: readChain(body.certificate_chain) }),
  requestUriMethod: body.request_uri_method ?? 'get',
})

export const verifierToWire = ({ claimMappings, certificateChain, ...record }: VerifierRecord): OidcVerifierOut => ({
  id: record.id,
  verifierDid: record.verifierDid,
  presentationTemplateId: record.presentationTemplateId,
  includePresentation: record.includePresentation,
  claimMappings: claimMappings.map(({ jsonLdFqn, oidcClaim }) => ({ json_ld_fqn: jsonLdFqn, oidc_claim: oidcClaim })),
  ...(certificateChain && { certificateChain: chainPem(certificateChain) }),
  requestUriMethod: record.requestUriMethod,
  issuer: record.issuer,
})

export const toClientValues = (body: OidcVerifierClientIn): ClientValues => ({ ...body })

export const clientToWire = ({
  redirectUris,
  grantTypes,
  responseTypes,
  ...record
}: ClientWithSecret): OidcVerifierClientSecretOut => ({
  id: record.id,
  name: record.name,
  applicationType: record.applicationType,
  redirectUris: [...redirectUris],
  grantTypes: [...grantTypes],
  responseTypes: [...responseTypes],
  tokenEndpointAuthMethod: record.tokenEndpointAuthMethod,
  idTokenSignedResponseAlg: record.idTokenSignedResponseAlg,
  logoUri: record.logoUri,
  ...(record.secret !== undefined && { secret: record.secret }),
})

export const OIDC_VERIFIER: OidcVerifierOut = {
  id: '7d2f9a1c-4b6e-4c8d-a0f3-1e5b7c9d2f4a',
  verifierDid: 'did:web:verifier.example',
  presentationTemplateId: '3f2a1b0c-9d8e-4f7a-8b6c-5d4e3f2a1b0c',
  includePresentation: false,
  claimMappings: [{ json_ld_fqn: 'https://schema.org/givenName', oidc_claim: 'given_name' }],
  requestUriMethod: 'get',
  issuer: 'https://issuer.example/v1/oidc/verifiers/7d2f9a1c-4b6e-4c8d-a0f3-1e5b7c9d2f4a',
}

export const OIDC_CERTIFICATE_REQUEST: OidcVerifierCertificateRequestOut = {
  csrPem: '-----BEGIN CERTIFICATE REQUEST-----\nMIIBDjCBtQIBADAZMRc…\n-----END CERTIFICATE REQUEST-----\n',
}

export const OIDC_CLIENT: OidcVerifierClientOut = {
  id: '2c4e6a80-1b3d-4f5a-9c7e-0d2f4a6b8c1e',
  name: 'Student portal',
  applicationType: 'web',
  redirectUris: ['https://portal.university.example/callback'],
  grantTypes: ['authorization_code', 'refresh_token'],
  responseTypes: ['code'],
  tokenEndpointAuthMethod: 'client_secret_basic',
  idTokenSignedResponseAlg: 'ES256',
  logoUri: 'https://portal.university.example/logo.png',
}
