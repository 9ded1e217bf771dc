import { PAGE, type Row, row, within } from './rows.ts'

const VERIFIERS = '/v1/oidc/verifiers'
const MAPPING = 'json_ld_fqn oidc_claim'
const VERIFIER_BODY = [
  'claim_mappings include_presentation presentation_template_id verifier_did',
  within('claim_mappings[]', MAPPING),
].join(' ')
const VERIFIER = [
  'claimMappings id includePresentation presentationTemplateId verifierDid',
  within('claimMappings[]', MAPPING),
].join(' ')

const CLIENT_BODY = [
  'applicationType grantTypes idTokenSignedResponseAlg logoUri name redirectUris responseTypes',
  'tokenEndpointAuthMethod',
].join(' ')
const CLIENT = `${CLIENT_BODY} id`

const PROVIDERS = '/v1/users/authentication-providers'
const PROVIDER_BODY = [
  'claims_to_persist^ client_id client_secret forwarded_request_parameters^ scope^ static_request_parameters^',
  'token_endpoint_auth_method^',
].join(' ')
const PROVIDER = [
  'claims_to_persist client_id client_secret forwarded_request_parameters id redirect_url scope',
  'static_request_parameters token_endpoint_auth_method url',
].join(' ')

const INTERACTION = 'claims disabled session_timeout_in_sec url'
const METADATA = [
  'authorizationEndpoint codeChallengeMethodsSupported credentialEndpoint credentialIssuer credentialsSupported',
  'grantTypesSupported issuer mdocIacasUri responseModesSupported responseTypesSupported scopesSupported tokenEndpoint',
].join(' ')

export const OPENID_ROWS: Row[] = [
  row('indexOidcVerifier', `GET ${VERIFIERS}`, 200, { query: PAGE, answer: `data ${within('data[]', VERIFIER)}` }),
  row('createOidcVerifier', `POST ${VERIFIERS}`, 201, { body: VERIFIER_BODY, answer: VERIFIER }),
  row('getOidcVerifier', `GET ${VERIFIERS}/{id}`, 200, { answer: VERIFIER }),
  row('updateOidcVerifier', `PUT ${VERIFIERS}/{id}`, 200, { body: VERIFIER_BODY, answer: VERIFIER }),
  row('getOpenIdConfiguration', `POST ${VERIFIERS}/{id}/token`, 200, {
    body: 'clientId clientSecret code grantType redirectUri',
    answer: 'accessToken expiresIn idToken refreshToken tokenType',
  }),
  // limit and page of these lists stand in a body, which the API takes from the query
  row('getListOfOidcVerifierClient', `GET ${VERIFIERS}/{id}/clients`, 200, {
    query: PAGE,
    answer: `data ${within('data[]', CLIENT)}`,
  }),
  row('createOidcVerifierClient', `POST ${VERIFIERS}/{id}/clients`, 201, {
    body: CLIENT_BODY,
    answer: `${CLIENT} secret?`,
  }),
  row('getOidcVerifierClient', `GET ${VERIFIERS}/{id}/clients/{clientId}`, 200, { answer: CLIENT }),
  row('updateOidcVerifierClient', `PUT ${VERIFIERS}/{id}/clients/{clientId}`, 200, {
    body: CLIENT_BODY,
    answer: CLIENT,
  }),
  row('listAuthenticationProvider', `GET ${PROVIDERS}`, 200, {
    query: PAGE,
    answer: `data ${within('data[]', PROVIDER)}`,
  }),
  row('createAuthenticationProvider', `POST ${PROVIDERS}`, 200, { body: `${PROVIDER_BODY} url^`, answer: PROVIDER }),
  row('getAuthenticationProvider', `GET ${PROVIDERS}/{id}`, 200, { answer: PROVIDER }),
  row('updateAuthenticationProvider', `PUT ${PROVIDERS}/{id}`, 200, { body: PROVIDER_BODY, answer: PROVIDER }),
  row('updateOpenIDConfiguration', 'PUT /v1/openid/configuration', 200, {
    body: INTERACTION,
    answer: `${INTERACTION} secret`,
  }),
  row('searchUsers', 'POST /v1/users/search', 200, {
    body: `authenticationProvider claims limit^ page^ ${within('authenticationProvider', 'providerId? subjectId?')}`,
    answer: `data ${within('data[]', 'authenticationProvider.subjectId authenticationProvider.url claims id')}`,
    also: [404],
  }),
  row('retrieveListOfUsers', 'GET /v1/users', 200, {
    query: PAGE,
    answer: 'data data[].id data[].claims',
    also: [404],
  }),
  row('requestAutherization', 'GET /v1/oauth/authorize', 302, { also: [404] }),
  row('exchangeCredentials', 'POST /v1/oauth/token', 200, {
    body: 'clientId code codeVerifier grantType redirectUri',
    answer: 'accessToken expiresIn scope tokenType',
    also: [404],
  }),
  row('issuerVerifiableCredentials', 'POST /v1/openid/credential', 200, { also: [404] }),
  row('createOpenIdConfiguration', 'POST /v1/openid/offers', 200, {
    body: `credentials requestedParameters ${within('requestedParameters', 'loginHint? prompt?')}`,
    also: [404],
  }),
  row('openIdCredentialMetadata', 'GET /v1/openid/metadata', 200, { answer: METADATA, also: [404] }),
]
