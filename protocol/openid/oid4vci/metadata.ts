import type { JWK } from 'jose'
import type { WalletConfiguration } from '../../credentials/wallets.ts'
import type { Json } from '../../json.ts'
import { ATTESTATION_ALGORITHMS, requirementsFor } from './attestations/keys.ts'
import { SIGNING_ALGORITHMS } from './authorization/dpop.ts'
import type { WalletPolicy } from './authorization/types.ts'
import { COMPRESSION, CONTENT_ENCRYPTION, KEY_AGREEMENT } from './encryption.ts'
import { PRE_AUTHORIZED } from './session.ts'

/** A template that a tenant has now. */
export interface OfferedConfiguration extends WalletConfiguration {
  id: string
}

/** Addresses of a tenant for wallets. */
export const endpointsOf = (issuer: string) => ({
  authorize: `${issuer}/v1/oauth/authorize`,
  par: `${issuer}/v1/oauth/par`,
  token: `${issuer}/v1/oauth/token`,
  credential: `${issuer}/v1/openid/credential`,
  deferred: `${issuer}/v1/openid/deferred-credential`,
  challenge: `${issuer}/v1/oauth/challenge`,
  nonce: `${issuer}/v1/openid/nonce`,
  notification: `${issuer}/v1/openid/notification`,
  iacas: `${issuer}/v1/iacas`,
})

/** `typ` of metadata that is signed (section 12.2.3). */
export const SIGNED_METADATA_TYPE = 'openidvci-issuer-metadata+jwt'
/** For which signed metadata is good. */
export const SIGNED_METADATA_SECONDS = 24 * 60 * 60

/** RFC 6749, section 3.3; a type with other characters has no scope. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/

export const scopeOf = ({ format, types }: Pick<OfferedConfiguration, 'format' | 'types'>): string | undefined => {
  const scope = `${format}:${types[0] ?? ''}`
  return SCOPE.test(scope) ? scope : undefined
}

/** Whether the profile of a tenant lets a configuration be given (HAIP 1.0, sections 4.1 and 6.1.1). */
export const isFit = (configuration: OfferedConfiguration, { profile }: Pick<WalletPolicy, 'profile'>): boolean =>
  profile !== 'haip' || !configuration.lacksCertificate

/** How wallets prove keys; attestations where somebody is trusted to make them. */
function proofTypes({ keyAttestations }: OfferedConfiguration, support: IssuerSupport): Json {
  const { attestsKeys, requiresKeyAttestation, keyStorage, userAuthentication } = requirementsFor(
    support,
    keyAttestations,
  )
  const required = {
    ...(keyStorage.length > 0 && { key_storage: keyStorage }),
    ...(userAuthentication.length > 0 && { user_authentication: userAuthentication }),
  }
  const type = (algorithms: readonly string[]): Json => ({
    proof_signing_alg_values_supported: algorithms,
    ...(requiresKeyAttestation && { key_attestations_required: required }),
  })
  return {
    jwt: type(ATTESTATION_ALGORITHMS.jwt),
    ...((attestsKeys || requiresKeyAttestation) && { attestation: type(ATTESTATION_ALGORITHMS.attestation) }),
  }
}

function configurationMetadata(configuration: OfferedConfiguration, support: IssuerSupport): Json {
  const { format, name, bindingMethods, signingAlgorithms, members } = configuration
  const scope = scopeOf(configuration)
  return {
    format,
    ...(scope !== undefined && { scope }),
    ...(bindingMethods.length > 0 && {
      cryptographic_binding_methods_supported: bindingMethods,
      proof_types_supported: proofTypes(configuration, support),
    }),
    ...(signingAlgorithms && { credential_signing_alg_values_supported: signingAlgorithms }),
    credential_metadata: { display: [{ name }] },
    ...members,
  }
}

/** What the tenant's credential issuer does for wallets now. */
export interface IssuerSupport extends WalletPolicy {
  /** A provider is trusted to attest keys. */
  attestsKeys: boolean
  /** Keys of the issuer, for encrypted requests. */
  requestKeys: { keys: JWK[] }
}

/** Encrypted requests and answers (section 10). */
const encryptionMetadata = ({ requestKeys, requiresEncryption }: IssuerSupport): Json => {
  const content = { enc_values_supported: CONTENT_ENCRYPTION, zip_values_supported: COMPRESSION }
  return {
    credential_request_encryption: { jwks: requestKeys, ...content, encryption_required: requiresEncryption },
    credential_response_encryption: {
      alg_values_supported: [KEY_AGREEMENT],
      ...content,
      encryption_required: requiresEncryption,
    },
  }
}

/** The credential issuer's metadata for wallets (OpenID4VCI 1.0, section 12.2.4). */
export function issuerMetadata(
  issuer: string,
  configurations: readonly OfferedConfiguration[],
  support: IssuerSupport,
): Json {
  const { credential, deferred, nonce, notification, iacas } = endpointsOf(issuer)
  return {
    credential_issuer: issuer,
    credential_endpoint: credential,
    deferred_credential_endpoint: deferred,
    nonce_endpoint: nonce,
    notification_endpoint: notification,
    ...(support.batchSize > 1 && { batch_credential_issuance: { batch_size: support.batchSize } }),
    ...encryptionMetadata(support),
    mdoc_iacas_uri: iacas,
    credential_configurations_supported: Object.fromEntries(
      configurations.map((configuration) => [configuration.id, configurationMetadata(configuration, support)]),
    ),
  }
}

/** Scopes of the configurations, each once. */
const scopesOf = (configurations: readonly OfferedConfiguration[]): string[] => [
  ...new Set(configurations.flatMap((configuration) => scopeOf(configuration) ?? [])),
]

/** What the tenant's authorization server does for wallets now. */
export interface ServerSupport extends WalletPolicy {
  /** There is an authentication provider, without which nobody can log in. */
  hasLogin: boolean
  /** A provider is trusted to attest wallets. */
  attestsWallets: boolean
}

const grantsOf = ({ hasLogin, reissueDays }: ServerSupport): string[] => [
  ...(hasLogin ? ['authorization_code'] : []),
  PRE_AUTHORIZED,
  ...(reissueDays > 0 ? ['refresh_token'] : []),
]

/** How wallets authenticate: by their provider's word, or by keys that are registered. */
function clientAuthentication(support: ServerSupport, challenge: string): Json {
  const { attestsWallets, requiresWalletAttestation, requiresClientAuthentication } = support
  const isAttested = attestsWallets || requiresWalletAttestation
  const own = [...(requiresClientAuthentication ? [] : ['none']), 'private_key_jwt']
  return {
    token_endpoint_auth_methods_supported: [
      ...(requiresWalletAttestation ? [] : own),
      ...(isAttested ? ['attest_jwt_client_auth'] : []),
    ],
    token_endpoint_auth_signing_alg_values_supported: SIGNING_ALGORITHMS,
    ...(isAttested && {
      challenge_endpoint: challenge,
      client_attestation_signing_alg_values_supported: SIGNING_ALGORITHMS,
      client_attestation_pop_signing_alg_values_supported: SIGNING_ALGORITHMS,
    }),
  }
}

/** The authorization server's metadata for wallets (RFC 8414, 9126, 9207, 9449). */
export function serverMetadata(
  issuer: string,
  configurations: readonly OfferedConfiguration[],
  support: ServerSupport,
): Json {
  const { authorize, par, token, challenge } = endpointsOf(issuer)
  const { hasLogin, requiresPar, requiresClientAuthentication, requiresWalletAttestation } = support
  return {
    issuer,
    ...(hasLogin && {
      authorization_endpoint: authorize,
      pushed_authorization_request_endpoint: par,
      require_pushed_authorization_requests: requiresPar,
      authorization_response_iss_parameter_supported: true,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
    }),
    token_endpoint: token,
    response_types_supported: hasLogin ? ['code'] : [],
    response_modes_supported: hasLogin ? ['query'] : [],
    grant_types_supported: grantsOf(support),
    code_challenge_methods_supported: ['S256'],
    ...clientAuthentication(support, challenge),
    dpop_signing_alg_values_supported: SIGNING_ALGORITHMS,
    scopes_supported: scopesOf(configurations),
    authorization_details_types_supported: ['openid_credential'],
    'pre-authorized_grant_anonymous_access_supported': !requiresClientAuthentication && !requiresWalletAttestation,
  }
}

/** Both in one document, in the specification's shape (specification, openIdCredentialMetadata). */
export function specifiedMetadata(
  issuer: string,
  configurations: readonly OfferedConfiguration[],
  support: ServerSupport,
) {
  const { hasLogin } = support
  const { authorize, token, credential, iacas } = endpointsOf(issuer)
  return {
    issuer,
    credentialIssuer: issuer,
    authorizationEndpoint: authorize,
    tokenEndpoint: token,
    credentialEndpoint: credential,
    mdocIacasUri: iacas,
    scopesSupported: scopesOf(configurations),
    responseTypesSupported: hasLogin ? ['code'] : [],
    responseModesSupported: hasLogin ? ['query'] : [],
    grantTypesSupported: grantsOf(support),
    codeChallengeMethodsSupported: ['S256'],
    credentialsSupported: configurations.map((configuration): Json => {
      const { id, format, bindingMethods, specifiedMembers } = configuration
      const scope = scopeOf(configuration)
      return {
        id,
        format,
        ...(scope !== undefined && { scope }),
        ...(bindingMethods.length > 0 && { cryptographicBindingMethodsSupported: bindingMethods }),
        ...specifiedMembers,
      }
    }),
  }
}
