const read = 'openid:read'
const write = 'openid:write'
const category = 'user'
const hook = 'credential-provider'
const openid = 'openid'
const verifier = 'oidc-verifier'

/** Operations of authentication providers, users and the interaction hook, as protocol/operations.ts describes them. */
export const OPENID_OPERATIONS = {
  listAuthenticationProvider: { scope: read, name: 'USER_AUTHENTICATION_PROVIDER_RETRIEVE_LIST', category },
  createAuthenticationProvider: { scope: write, name: 'USER_AUTHENTICATION_PROVIDER_CREATE', category, changes: true },
  getAuthenticationProvider: { scope: read, name: 'USER_AUTHENTICATION_PROVIDER_RETRIEVE', category },
  updateAuthenticationProvider: { scope: write, name: 'USER_AUTHENTICATION_PROVIDER_UPDATE', category, changes: true },
  retrieveListOfUsers: { scope: read, name: 'USER_RETRIEVE_LIST', category },
  searchUsers: { scope: read, name: 'USER_SEARCH', category },
  deleteUser: { scope: write, name: 'USER_DELETE', category, changes: true },
  createOpenIdConfiguration: { scope: write, name: 'OPENID_OFFER_CREATE', category: openid, changes: true },
  createOpenIdSession: { scope: write, name: 'OPENID_SESSION_CREATE', category: openid, changes: true },
  listOpenIdSessions: { scope: read, name: 'OPENID_SESSION_RETRIEVE_LIST', category: openid },
  getOpenIdSession: { scope: read, name: 'OPENID_SESSION_RETRIEVE', category: openid },
  retryOpenIdSession: { scope: write, name: 'OPENID_SESSION_RETRY', category: openid, changes: true },
  cancelOpenIdSession: { scope: write, name: 'OPENID_SESSION_CANCEL', category: openid, changes: true },
  requestAutherization: { name: 'OPENID_AUTHORIZATION', category: openid },
  pushAuthorizationRequest: { name: 'OPENID_AUTHORIZATION_PUSH', category: openid },
  finishAuthentication: { name: 'OPENID_LOGIN', category: openid },
  receiveInteraction: { name: 'OPENID_INTERACTION', category: openid },
  finishInteraction: { name: 'OPENID_INTERACTION_END', category: openid },
  listOpenIdWallets: { scope: read, name: 'OPENID_WALLET_RETRIEVE_LIST', category: openid },
  createOpenIdWallet: { scope: write, name: 'OPENID_WALLET_CREATE', category: openid, changes: true },
  getOpenIdWallet: { scope: read, name: 'OPENID_WALLET_RETRIEVE', category: openid },
  updateOpenIdWallet: { scope: write, name: 'OPENID_WALLET_UPDATE', category: openid, changes: true },
  deleteOpenIdWallet: { scope: write, name: 'OPENID_WALLET_DELETE', category: openid, changes: true },
  getOpenIdWalletPolicy: { scope: read, name: 'OPENID_WALLET_POLICY_RETRIEVE', category: openid },
  updateOpenIdWalletPolicy: { scope: write, name: 'OPENID_WALLET_POLICY_UPDATE', category: openid, changes: true },
  exchangeCredentials: { name: 'OPENID_TOKEN', category: openid },
  issuerVerifiableCredentials: { name: 'OPENID_CREDENTIAL', category: openid },
  getDeferredCredential: { name: 'OPENID_DEFERRED_CREDENTIAL', category: openid },
  notifyCredentialIssuer: { name: 'OPENID_NOTIFICATION', category: openid },
  indexOidcVerifier: { scope: read, name: 'OIDC_VERIFIER_RETRIEVE_LIST', category: verifier },
  createOidcVerifier: { scope: write, name: 'OIDC_VERIFIER_CREATE', category: verifier, changes: true },
  getOidcVerifier: { scope: read, name: 'OIDC_VERIFIER_RETRIEVE', category: verifier },
  getOidcVerifierCertificateRequest: { scope: read, name: 'OIDC_VERIFIER_CERTIFICATE_REQUEST', category: verifier },
  updateOidcVerifier: { scope: write, name: 'OIDC_VERIFIER_UPDATE', category: verifier, changes: true },
  deleteOidcVerifier: { scope: write, name: 'OIDC_VERIFIER_DELETE', category: verifier, changes: true },
  rotateOidcVerifierKeys: { scope: write, name: 'OIDC_VERIFIER_KEYS_ROTATE', category: verifier, changes: true },
  getListOfOidcVerifierClient: { scope: read, name: 'OIDC_VERIFIER_CLIENT_RETRIEVE_LIST', category: verifier },
  createOidcVerifierClient: { scope: write, name: 'OIDC_VERIFIER_CLIENT_CREATE', category: verifier, changes: true },
  getOidcVerifierClient: { scope: read, name: 'OIDC_VERIFIER_CLIENT_RETRIEVE', category: verifier },
  updateOidcVerifierClient: { scope: write, name: 'OIDC_VERIFIER_CLIENT_UPDATE', category: verifier, changes: true },
  deleteOidcVerifierClient: { scope: write, name: 'OIDC_VERIFIER_CLIENT_DELETE', category: verifier, changes: true },
  getOpenIdConfiguration: { name: 'OIDC_VERIFIER_TOKEN', category: verifier },
  getOpenIDConfiguration: { scope: read, name: 'CREDENTIAL_PROVIDER_OPENID_CONFIGURATION_RETRIEVE', category: hook },
  updateOpenIDConfiguration: {
    scope: write,
    name: 'CREDENTIAL_PROVIDER_OPENID_CONFIGURATION_UPDATE',
    category: hook,
    changes: true,
  },
} as const
