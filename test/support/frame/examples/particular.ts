import { newEmail } from '../../accounts.ts'
import { newSubdomain } from '../../administration.ts'
import { COMPACT_EXAMPLES } from '../../credentials/compact.ts'
import { payload } from '../../credentials/credentials.ts'
import { PRESENTATION_EXAMPLES } from '../../credentials/presentations.examples.ts'
import { course } from '../../credentials/templates.ts'
import { VC_API_EXAMPLES } from '../../credentials/vc-api.examples.ts'
import { newDomainName } from '../../domains.ts'
import { ECOSYSTEM_EXAMPLES } from '../../ecosystems.examples.ts'
import { IDENTITY_QUERY, SAMPLE_EMAIL } from '../../openid/sample.ts'
import { SD_JWT_EXAMPLES } from '../../sd-jwt/credentials.ts'
import { CONTENT_EXAMPLES } from './content.ts'
import type { Sample } from './sample.ts'

export interface Example {
  body?: (sample: Sample) => Record<string, unknown>
  path?: (sample: Sample) => Record<string, string>
  /** Entries that the tenant's log gets beside the operation's own. */
  alsoLogs?: string[]
  /** The refusal that is right, where a success needs what a test world does not have. */
  answers?: number
}

const offerOf = ({ templateId }: Sample) => ({
  credentials: [templateId],
  requestedParameters: { loginHint: 'ada@university.example', prompt: 'login' },
  grantType: 'pre-authorized_code',
})

/** What the document's example and THINGS do not say of a request that succeeds. */
export const PARTICULAR: Record<string, Example> = {
  getOAuthAccessToken: {
    body: ({ client }) => ({
      clientId: client.clientId,
      clientSecret: client.clientSecret,
      grantType: 'client_credentials',
      scope: 'dids:read',
    }),
  },
  loginUser: { body: ({ person: { email, password } }) => ({ email, password }) },
  // no mail has been opened, and no browser is there
  verifyEmail: { answers: 400 },
  resetPassword: { answers: 400 },
  acceptInvitation: { answers: 400 },
  // of somebody else's password, so that the sample keeps its own
  changePassword: {
    body: () => ({ password: 'not the password', new_password: 'another long password' }),
    answers: 400,
  },
  eraseOwnAccount: { body: () => ({ password: 'not the password' }), answers: 400 },
  enrolAuthenticator: { body: ({ person: { password } }) => ({ password }) },
  // the code is nobody's, and nothing is enrolled for good
  confirmAuthenticator: { answers: 400 },
  removeAuthenticator: { body: () => ({ password: 'not the password' }), answers: 400 },
  inviteOrganizationMember: { body: () => ({ email: newEmail(), role: 'issuer' }) },
  updateOrganizationMember: { path: ({ organizationId: id, memberId: accountId }) => ({ id, accountId }) },
  removeOrganizationMember: { path: ({ organizationId: id, spareMemberId: accountId }) => ({ id, accountId }) },
  withdrawOrganizationInvitation: { path: ({ organizationId: id, invitationId }) => ({ id, invitationId }) },
  refreshSession: { answers: 403 },
  logoutUser: { answers: 403 },
  getListOfLogs: {
    body: () => ({
      categories: ['did'],
      types: ['DID_CREATE_SUCCESS'],
      ids: [],
      requestIds: [],
      dateFrom: '2020-01-01T00:00:00Z',
      dateTo: '2999-01-01T00:00:00Z',
    }),
  },
  createDomain: { body: () => ({ domain: newDomainName(), name: 'A domain' }) },
  deleteDomain: { path: ({ spareDomainId }) => ({ id: spareDomainId }) },
  // DNS has no record of it
  verifyDomain: { answers: 400 },
  registerDID: { body: ({ inboxDid }) => ({ did: inboxDid }) },
  deleteInbox: { path: ({ spareInboxId }) => ({ id: spareInboxId }) },
  unregisterDID: { path: ({ spareInbox }) => ({ id: spareInbox.inboxId, did: spareInbox.inboxDid }) },
  getMessage: { path: ({ inboxId, messageId }) => ({ id: inboxId, messageId }) },
  deleteMessage: { path: ({ spareInbox }) => ({ id: spareInbox.inboxId, messageId: spareInbox.messageId }) },
  signCredential: {
    body: ({ did }) => ({ didUrl: `${did}#${did.slice('did:key:'.length)}`, payload: { course: 'CS-101' } }),
  },
  sendMessage: {
    body: ({ inboxDid }) => ({ to: inboxDid, message: { course: 'CS-101' } }),
    alsoLogs: ['MESSAGING_INBOX_MESSAGE_RECEIVE_SUCCESS'], // both DIDs are the tenant's own
  },
  createOpenIdConfiguration: { body: (sample) => offerOf(sample) },
  createOpenIdSession: { body: (sample) => ({ ...offerOf(sample), txCode: true }) },
  cancelOpenIdSession: { path: ({ spareSessionId }) => ({ id: spareSessionId }) },
  // no wallet has asked for anything
  retryOpenIdSession: { answers: 409 },
  // no wallet is at work, and no browser
  exchangeCredentials: { answers: 400 },
  requestAutherization: { answers: 400 },
  pushAuthorizationRequest: { answers: 400 },
  finishAuthentication: { answers: 400 },
  receiveInteraction: { answers: 400 },
  finishInteraction: { answers: 400 },
  createOpenIdWallet: {
    body: () => ({ name: 'A wallet', redirectUris: ['https://wallet.example/callback'] }),
  },
  deleteOpenIdWalletProvider: { path: ({ spareWalletProviderId }) => ({ id: spareWalletProviderId }) },
  deleteOpenIdReissuance: { path: ({ spareReissuanceId }) => ({ id: spareReissuanceId }) },
  deleteOpenIdWallet: { path: ({ spareWalletId }) => ({ id: spareWalletId }) },
  issuerVerifiableCredentials: { answers: 401 },
  getDeferredCredential: { answers: 401 },
  notifyCredentialIssuer: { answers: 401 },
  updateWebhook: { path: ({ spareWebhookId }) => ({ id: spareWebhookId }) },
  createTenant: { body: ({ environmentId }) => ({ environmentId, name: 'A tenant', subdomain: newSubdomain() }) },
  // its scope alone is enough for it
  createOAuth2Client: { body: () => ({ name: 'A client', description: '', scopes: [] }) },
  updateOAuth2Client: {
    body: () => ({ name: 'Another name', scopes: [], reset_secret: true, secret_grace_seconds: 3_600 }),
  },
  deleteTenant: { path: ({ spareAdministeredId }) => ({ id: spareAdministeredId }) },
  getTenantDeletion: { path: ({ deletedTenantId }) => ({ id: deletedTenantId }) },
  // one is under way
  createTenantExport: { path: ({ exportedTenantId: id }) => ({ id }), answers: 409 },
  getTenantExport: { path: ({ exportedTenantId: id, exportId }) => ({ id, exportId }) },
  downloadTenantExport: { path: ({ exportedTenantId: id, exportId }) => ({ id, exportId }) },
  getTenantImport: { path: ({ importId }) => ({ importId }) },
  deleteOAuth2Client: { path: ({ spareOAuth2ClientId }) => ({ id: spareOAuth2ClientId }) },
  // the tenant wrote its entries
  refreshTrustList: { answers: 409 },
  deleteTrustList: { path: ({ spareTrustListId }) => ({ id: spareTrustListId }) },
  deleteClaimSource: { path: ({ spareClaimSourceId }) => ({ id: spareClaimSourceId }) },
  // nobody answers there
  createAuthenticationProvider: {
    body: () => ({ url: 'https://127.0.0.1', client_id: 'countersign', client_secret: 'a-secret-of-the-client' }),
    answers: 400,
  },
  createOidcVerifier: { body: ({ verifierBody }) => ({ ...verifierBody }) },
  updateOidcVerifier: { body: ({ verifierBody }) => ({ ...verifierBody }) },
  deleteOidcVerifier: { path: ({ spareVerifierId: id }) => ({ id }) },
  createOpenId4VpRequest: { body: ({ verifierId }) => ({ verifierId, dcqlQuery: IDENTITY_QUERY }) },
  // no wallet has answered
  redeemOpenId4VpRequest: { answers: 400 },
  // no browser asks
  answerOpenId4VpRequest: { answers: 400 },
  deleteOpenId4VpRequest: { path: ({ spareOpenId4VpId: id }) => ({ id }) },
  // the sample's keys are of a moment ago
  rotateOidcVerifierKeys: { answers: 409 },
  getOidcVerifierClient: { path: ({ verifierId: id, oidcClientId: clientId }) => ({ id, clientId }) },
  updateOidcVerifierClient: { path: ({ verifierId: id, oidcClientId: clientId }) => ({ id, clientId }) },
  deleteOidcVerifierClient: { path: ({ verifierId: id, spareOidcClientId: clientId }) => ({ id, clientId }) },
  // the client of the example is nobody's
  getOpenIdConfiguration: { answers: 401 },
  searchUsers: {
    body: ({ providerId }) => ({ authenticationProvider: { providerId }, claims: { email: SAMPLE_EMAIL } }),
  },
  deleteUser: { path: ({ spareUserId }) => ({ id: spareUserId }) },
  deleteWebhook: { path: ({ spareWebhookId }) => ({ id: spareWebhookId }) },
  // no worker ends its delivery
  redeliverWebhookDelivery: { answers: 409 },
  decryptCredentials: { body: ({ jwe }) => ({ jwe }) },
  deleteDID: { path: ({ spareDid }) => ({ id: spareDid }) },
  signWebSemanticCredential: {
    body: ({ did }) => ({
      payload: payload(did, { name: 'A course', description: 'Of a school' }),
      proofType: 'eddsa-rdfc-2022',
      revocable: true,
      tag: 'sample',
    }),
  },
  registerJsonLdContext: { body: () => ({ url: 'https://127.0.0.1/context.jsonld' }), answers: 400 },
  updateTenantSettings: { body: () => ({ fetchUnknownContexts: true, vcApi: true }) },
  verifyWebSemanticCredentials: { body: ({ credential }) => ({ payload: credential }) },
  setWebSemanticRevocationStatus: {
    body: () => ({ is_revoked: false }),
  },
  setWebSemanticSuspensionStatus: {
    body: () => ({ is_suspended: true }),
    answers: 400,
  },
  webSemanticRevocationStatusNotification: {
    body: ({ did }) => ({ from: did, to: ['did:example:holder'] }),
  },
  createWebSemanticRevocation: { body: ({ idleDid }) => ({ by: 'issuer', id: idleDid, is_revoked: true }) },
  createWebSemanticCredentialTemplate: {
    body: () => ({
      ...course({ revocable: true, type: 'SampleCredential', additional_types: ['AlumniCredential'] }),
      claim_mappings: {
        course: 'claims.course',
        level: { map_from: 'claims.level', default_value: 1 },
        student: { given_name: 'claims.given_name', authentication_provider: { url: 'authenticationProvider.url' } },
      },
      credential_branding: { backgroundColor: '#B00AA0', watermarkImageUrl: 'https://example.edu/watermark.png' },
      description: 'Says which course was passed.',
      expires_in: { years: 1, months: 6 },
      issuer: { name: 'Example University', icon_url: 'https://example.edu/i.png', logo_url: null },
      proof_type: 'eddsa-rdfc-2022',
    }),
  },
  updateWebSemanticCredentialTemplate: {
    body: ({ templateId }) => ({ ...course({ description: 'Changed', revocable: true }), id: templateId }),
  },
  deleteWebSemanticCredentialTemplate: { path: ({ spareTemplateId }) => ({ id: spareTemplateId }) },
  signWebSemanticCredentialFromTemplate: {
    body: ({ did }) => ({
      claims: { id: 'did:example:holder', course: 'CS-101' },
      issuer_did: did,
      suspendable: true,
      tag: 'sample',
    }),
  },
  ...COMPACT_EXAMPLES,
  ...SD_JWT_EXAMPLES,
  ...CONTENT_EXAMPLES,
  ...ECOSYSTEM_EXAMPLES,
  ...PRESENTATION_EXAMPLES,
  ...VC_API_EXAMPLES,
  revokeCredentialBatch: { answers: 409 },
  verifyMobileCredential: { body: ({ mobileEncoded }) => ({ payload: mobileEncoded }) },
  deleteMobileCredentialsIaca: { path: ({ spareIacaId }) => ({ id: spareIacaId }) },
  revokeMobileCredentialsDocumentSigner: { path: ({ spareSignerId }) => ({ id: spareSignerId }) },
  deleteMobileCredentialsDocumentSigner: { path: ({ spareSignerId }) => ({ id: spareSignerId }) },
}
