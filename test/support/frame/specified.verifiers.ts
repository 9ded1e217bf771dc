const VERIFIER = ['claimMappings', 'id', 'includePresentation', 'presentationTemplateId', 'verifierDid']

const OIDC_CLIENT = [
  'applicationType',
  'grantTypes',
  'id',
  'idTokenSignedResponseAlg',
  'logoUri',
  'name',
  'redirectUris',
  'responseTypes',
  'tokenEndpointAuthMethod',
]

const VERIFIERS = '/v1/oidc/verifiers'

/** The specification's operations of verifiers and their clients. */
export const OIDC_SPECIFIED: [operationId: string, method: string, path: string, status: number, fields: string[]][] = [
  ['indexOidcVerifier', 'GET', VERIFIERS, 200, ['data']],
  ['createOidcVerifier', 'POST', VERIFIERS, 201, VERIFIER],
  ['getOidcVerifier', 'GET', `${VERIFIERS}/{id}`, 200, VERIFIER],
  ['updateOidcVerifier', 'PUT', `${VERIFIERS}/{id}`, 200, VERIFIER],
  ['getListOfOidcVerifierClient', 'GET', `${VERIFIERS}/{id}/clients`, 200, ['data']],
  ['createOidcVerifierClient', 'POST', `${VERIFIERS}/{id}/clients`, 201, [...OIDC_CLIENT, 'secret']],
  ['getOidcVerifierClient', 'GET', `${VERIFIERS}/{id}/clients/{clientId}`, 200, OIDC_CLIENT],
  ['updateOidcVerifierClient', 'PUT', `${VERIFIERS}/{id}/clients/{clientId}`, 200, OIDC_CLIENT],
  // getOpenIdConfiguration needs a person with a wallet: test/openid/verifiers/sign-in.test.ts
]
