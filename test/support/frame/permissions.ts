// What test/frame/api/contract.test.ts knows of operations by name, on purpose by hand.

/** For wallets and for clients of verifiers, which have codes and tokens of their own; the log has entries of them. */
export const WALLETS = [
  'exchangeCredentials',
  'finishAuthentication',
  'finishInteraction',
  'getDeferredCredential',
  'getOpenIdConfiguration',
  'issuerVerifiableCredentials',
  'notifyCredentialIssuer',
  'pushAuthorizationRequest',
  'receiveInteraction',
  'requestAutherization',
]

/** Answer what no scope to read shows: the file of a tenant, with its claims in clear. */
export const WRITE_BY_GET = ['downloadTenantExport']

/** For people who have not logged in; the log of the first tenant has entries of them. */
export const PEOPLE = [
  'loginUser',
  'logoutUser',
  'refreshSession',
  'registerUser',
  'requestPasswordReset',
  'resetPassword',
  'verifyEmail',
]

/** Published content of the platform. */
const CONTENT = [
  'getBlogCategory',
  'getBlogPost',
  'getHelpArticle',
  'getHelpArticles',
  'getLegalPolicy',
  'getLegalPolicyVersion',
  'listBlogCategories',
  'listBlogPosts',
  'listLegalPolicies',
  'listLegalPolicyVersions',
]

/** What anybody may ask: tokens and their keys, and what is published. */
export const PUBLIC = [
  ...CONTENT,
  'getCompactRevocationList',
  'getCompactRevocationLists',
  'getDIDConfiguration',
  'getEcosystemIssuer',
  'getEcosystemPolicy',
  'getEcosystemVerifier',
  'getLinkedDIDs',
  'getJwtVcIssuerMetadata',
  'getMobileStatusList',
  'getOAuthAccessToken',
  ...['Certificate', 'CertificatePem', 'Crl', 's'].map((what) => `getPublishedIaca${what}`),
  'getPublishedStatusList',
  'getSdJwtTypeMetadata',
  'getSignedPresentationRequest',
  'getTokenKeySet',
  'getWebhookKeySet',
  'receiveMessage',
  ...WALLETS,
  ...PEOPLE,
  ...[
    'getAttestationChallenge',
    'getCredentialNonce',
    'getCredentialIssuerMetadata',
    'getAuthorizationServerMetadata',
    'openIdCredentialMetadata',
  ],
].sort()

/** They send a body, and change nothing of the tenant's. */
export const READS_BY_POST = [
  'convertLinkedData',
  'createCompactCredentialPdf',
  'decryptCredentials',
  'deriveWebSemanticCredential',
  'dryRunEcosystemPolicy',
  'exportLogs',
  'getCompactCredentialQRCode',
  'getCompactSemanticCredentialQRCode',
  'getListOfLogs',
  'searchCredentials',
  'searchUsers',
  'vcApiDeriveCredential',
  'vcApiVerifyCredential',
  'vcApiVerifyPresentation',
  'verifyCompactCredential',
  'verifyCompactSemanticCredential',
  'verifyCredential',
  'verifyLog',
  'verifyMobileCredential',
  'verifySdJwtCredential',
  'verifyWebSemanticCredentials',
  'verifyWebSemanticPresentationTemplate',
]

/** Every token reads how the parts are; their credentials' format decides on the scope, or whether the caller is an operator or a tenant of the ecosystem. */
export const OF_ALL_FORMATS = [
  'getHealth',
  'getCredential',
  'getCredentialTimeline',
  'listCredentials',
  'searchCredentials',
  'getListOfEcosystems',
  'getEcosystem',
  'getListOfEcosystemParticipants',
  'getEcosystemParticipant',
  'getListOfEcosystemCredentials',
  'getEcosystemCredential',
]

/** Paths of what belongs to no tenant: operators write it. */
export const PLATFORM_PATHS = /^\/v1\/(help|blog|legal|ecosystems|environments|tenants)(\/|$)/

/** The area whose scopes the operations of a path need. */
export const areaOf = (path: string): string => {
  if (path.startsWith('/v1/dids')) return 'dids'
  if (path.startsWith('/v1/config/domain')) return 'domains'
  if (path.startsWith('/v1/messaging')) return 'messaging'
  if (path.startsWith('/v1/analytics')) return 'logs'
  if (path.startsWith('/v1/credentials/compact')) return 'compact-credentials'
  if (path.startsWith('/v1/credentials/mobile')) return 'mobile-credentials'
  if (path.startsWith('/v1/credentials/sd-jwt-vc')) return 'sd-jwt-credentials'
  if (path.startsWith('/v1/webhooks')) return 'webhooks'
  if (/^\/v1\/(users|openid|oidc)/.test(path)) return 'openid'
  if (/^\/v1\/(claim-sources|oauth2|trust-lists)/.test(path)) return 'administration'
  if (/^\/v1\/(account|organizations)\b|\/policies\/[^/]+\/acceptances$/.test(path)) return 'accounts'
  if (PLATFORM_PATHS.test(path)) return 'platform'
  return /^\/v1\/(settings|privacy)/.test(path) ? 'administration' : 'semantic-credentials'
}
