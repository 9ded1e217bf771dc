import { randomUUID } from 'node:crypto'
import { MOBILE_SIGN_EXAMPLE } from '../../../../api/mobile-credentials/answers.ts'
import type { Sample } from '../examples/sample.ts'

/** A member that holds the id of a tenant’s thing: another tenant’s is refused as a missing one is. */
export interface Holding {
  /** The thing that the member names, of a sample. */
  id: (sample: Sample) => string
  /** What the answer to another tenant’s is, where it is not 404: a DID is refused with the body that names it. */
  answers?: number
  /** What the rest of the example’s body becomes. */
  rest?: (body: Record<string, unknown>, sample: Sample) => object
  /** The refusal of the asker’s own, where no success can be had in a test world. */
  own?: number
  /** Of a query parameter: what goes with it. */
  query?: (sample: Sample) => Record<string, string>
  /** Of a query parameter: one row of the upload. */
  row?: object
}

/** A holding, or why a member that looks like an id holds none of a tenant. A sentence covers what is below its member too. */
export type Entry = Holding | string

const issuer: Holding = { id: ({ did }) => did, answers: 400 }
const SIGNED = 'a document that is signed: what it says names nobody’s things, but for its issuer'
const FOREIGN = 'a document or a token of anybody, to be verified or derived from'
const CLAIMS = 'says where a claim comes from'
const ELSEWHERE = 'the id that somebody else gave the client'
const RECIPIENT = 'for anybody, here or elsewhere'
const LATER = 'may be created later: a source of another tenant is as none when claims are fetched (D-068)'
const LATER_SIGNER = 'may be created later: a signature finds the issuer of the tenant alone'
const REPEATED = 'repeats the path'
const PLATFORM = 'of the platform: operators administer all of them'
const PROVED = 'of a wallet, which the host’s tenant knows or does not, and which proves itself'

const claimSources = Object.fromEntries(
  [
    'WebSemanticCredential',
    'MobileCredential',
    'CompactCredential',
    'CompactSemanticCredential',
    'SdJwtCredential',
  ].flatMap((name) => ['create', 'update'].map((verb) => [`${verb}${name}Template /claim_source_id`, LATER])),
)

const offer = (operation: string): Record<string, Entry> => ({
  [`${operation} /credentials/*`]: { id: ({ templateId }) => templateId },
  [`${operation} /authenticationProviderId`]: { id: ({ providerId }) => providerId },
})

const logs = (operation: string): Record<string, Entry> => ({
  [`${operation} /objectIds/*`]: 'tested below with entries of both tenants',
  [`${operation} /ids/*`]: 'tested below with entries of both tenants',
  [`${operation} /requestIds/*`]: 'tested below with requests of both tenants',
})

const participantOfAnother: Holding = { id: ({ ecosystemParticipantId }) => ecosystemParticipantId }
const credentialOfAnother: Holding = { id: ({ ecosystemCredentialId }) => ecosystemCredentialId }

/** Every member of a JSON body that holds an id, by its schema, its name or an example. A test fails for one that is missing here. */
export const BODIES: Record<string, Entry> = {
  'getOAuthAccessToken /clientId': { id: ({ client }) => client.clientId, answers: 401 },
  'getOAuthAccessToken /client_id': {
    id: ({ client }) => client.clientId,
    answers: 401,
    rest: (_, { client }) => ({
      client_id: client.clientId,
      client_secret: client.clientSecret,
      grant_type: 'client_credentials',
    }),
  },
  ...logs('getListOfLogs'),
  ...logs('exportLogs'),
  'vcApiIssueCredential /credential/issuer/id': issuer,
  'vcApiIssueCredential /credential': SIGNED,
  'vcApiIssueCredentialWithProofType /credential/issuer/id': issuer,
  'vcApiIssueCredentialWithProofType /credential': SIGNED,
  'vcApiVerifyCredential /verifiableCredential': FOREIGN,
  'vcApiDeriveCredential /verifiableCredential': FOREIGN,
  'vcApiUpdateStatus /credentialId': { id: ({ credentialId }) => `urn:uuid:${credentialId}` },
  'vcApiVerifyPresentation /verifiablePresentation': FOREIGN,
  'vcApiProvePresentation /presentation/holder': issuer,
  'vcApiProvePresentation /presentation': SIGNED,
  ...claimSources,
  'createWebSemanticCredentialTemplate /claim_mappings': CLAIMS,
  'updateWebSemanticCredentialTemplate /claim_mappings': CLAIMS,
  'updateWebSemanticCredentialTemplate /id': REPEATED,
  'signWebSemanticCredentialFromTemplate /issuer_did': issuer,
  'signWebSemanticCredentialFromTemplate /claims': SIGNED,
  'updateWebSemanticPresentationTemplate /id': REPEATED,
  'createWebSemanticPresentationRequest /did': issuer,
  'createWebSemanticPresentationRequest /templateId': {
    id: ({ presentationTemplateId }) => presentationTemplateId,
    rest: (_, { presentationTemplateId }) => ({ templateId: presentationTemplateId }),
  },
  'verifyWebSemanticPresentationTemplate /presentation': FOREIGN,
  'verifyWebSemanticPresentationTemplate /templateId': { id: ({ presentationTemplateId }) => presentationTemplateId },
  'deriveWebSemanticCredential /credential': FOREIGN,
  'signWebSemanticCredential /payload/issuer/id': issuer,
  'signWebSemanticCredential /payload': SIGNED,
  'verifyWebSemanticCredentials /payload': FOREIGN,
  'createErasure /userId': { id: ({ userId }) => userId, rest: () => ({}) },
  'createErasure /credentialId': { id: ({ credentialId }) => credentialId, rest: () => ({}) },
  'createErasure /subjectDid': RECIPIENT,
  'createWebSemanticRevocation /id': { id: ({ idleDid }) => idleDid },
  'webSemanticRevocationStatusNotification /from': issuer,
  'webSemanticRevocationStatusNotification /to/*': RECIPIENT,
  'exchangeCredentials /client_id': PROVED,
  'exchangeCredentials /clientId': PROVED,
  'pushAuthorizationRequest /client_id': PROVED,
  'issuerVerifiableCredentials /credential_configuration_id': 'of the access token’s own session',
  'getOpenIdConfiguration /client_id': { id: ({ oidcClientId }) => oidcClientId, answers: 401, own: 401 },
  'getOpenIdConfiguration /clientId': { id: ({ oidcClientId }) => oidcClientId, answers: 401, own: 401 },
  ...Object.fromEntries(
    ['createOidcVerifier', 'updateOidcVerifier'].flatMap((operation) => [
      [
        `${operation} /presentation_template_id`,
        { id: ({ verifierBody }: Sample) => String(Reflect.get(verifierBody, 'presentation_template_id')) },
      ] as const,
      [`${operation} /verifier_did`, issuer] as const,
    ]),
  ),
  ...Object.fromEntries(
    ['/dcqlQuery/credentials/*/id', '/dcqlQuery/credentials/*/claims/*/id', '/transactionData/*/credential_ids/*'].map(
      (pointer) => [`createOpenId4VpRequest ${pointer}`, 'a name within the query of the request'] as const,
    ),
  ),
  'createOpenId4VpRequest /verifierId': { id: ({ verifierId }) => verifierId },
  'createOpenId4VpRequest /verifierDid': {
    ...issuer,
    rest: (body, { did }) => ({ dcqlQuery: body.dcqlQuery, verifierDid: did }),
  },
  'createOpenId4VpRequest /presentationTemplateId': {
    id: ({ verifierBody }) => String(Reflect.get(verifierBody, 'presentation_template_id')),
    rest: ({ verifierId }, { verifierBody }) => ({
      verifierId,
      presentationTemplateId: Reflect.get(verifierBody, 'presentation_template_id'),
    }),
  },
  'searchCredentials /templateId': { id: ({ templateId }) => templateId, answers: 200 },
  'searchCredentials /batchId': { id: ({ batchId }) => batchId, answers: 200 },
  'searchUsers /authenticationProvider/providerId': { id: ({ providerId }) => providerId },
  'searchUsers /authenticationProvider/subjectId': 'of the provider’s own numbering',
  ...offer('createOpenIdConfiguration'),
  ...offer('createOpenIdSession'),
  'createAuthenticationProvider /client_id': ELSEWHERE,
  'updateAuthenticationProvider /client_id': ELSEWHERE,
  'createOpenIdWallet /clientId': 'a name that the wallet has chosen, in each tenant its own',
  'createOpenIdWalletProvider /clientIds/*': 'a name that the wallet has chosen, in each tenant its own',
  'updateOpenIdWalletProvider /clientIds/*': 'a name that the wallet has chosen, in each tenant its own',
  'createMobileCredentialsDocumentSigner /iacaId': { id: ({ iacaId }) => iacaId },
  'signMobileCredential /documentSignerId': { id: ({ signerId }) => signerId },
  'signCredential /didUrl': { id: ({ did }) => `${did}#${did.slice('did:key:'.length)}`, answers: 400 },
  'sendMessage /to': RECIPIENT,
  'registerDID /did': { id: ({ inboxDid }) => inboxDid, answers: 400 },
  'encryptCredentials /recipientDidUrls/*': RECIPIENT,
  'encryptCredentials /senderDidUrl': issuer,
  'signCompactCredential /payload/iss': issuer,
  'signCompactSemanticCredential /payload/issuer/id': issuer,
  'signCompactCredentialFromTemplate /issuer_did': issuer,
  'signCompactSemanticCredentialFromTemplate /issuer_did': issuer,
  'signSdJwtCredential /issuer_did': issuer,
  'signSdJwtCredential /document_signer_id': { id: ({ signerId }) => signerId },
  'signSdJwtCredentialFromTemplate /issuer_did': issuer,
  'signSdJwtCredentialFromTemplate /document_signer_id': LATER_SIGNER,
  'createSdJwtCredentialTemplate /issuer_did': LATER_SIGNER,
  'createSdJwtCredentialTemplate /document_signer_id': LATER_SIGNER,
  'updateSdJwtCredentialTemplate /issuer_did': LATER_SIGNER,
  'updateSdJwtCredentialTemplate /document_signer_id': LATER_SIGNER,
  'createCompactCredentialPdf /templateId': { id: ({ pdfTemplateId }) => pdfTemplateId },
  'createClaimSource /authorization': ELSEWHERE,
  'updateClaimSource /authorization': ELSEWHERE,
  'updateClaimSource /id': REPEATED,
  'updateClaimSource /org_id': { id: ({ client }) => client.tenantId, answers: 400 },
  'updateTenantSettings /ecosystemId': PLATFORM,
  'updateTenantSettings /ecosystemParticipantId': PLATFORM,
  'createEnvironment /region/id': 'a region’s name at the cloud',
  'updateEnvironment /region/id': 'a region’s name at the cloud',
  'createTenant /environmentId': PLATFORM,
  'createTenant /organizationId': PLATFORM,
  'updateTenant /organizationId': PLATFORM,
  'bindEcosystemTenant /participantId': participantOfAnother,
  'updateEcosystemParticipant /identifiers': 'says who a participant is: anybody may be one',
  'dryRunEcosystemPolicy /changes/*/participantId': participantOfAnother,
  'dryRunEcosystemPolicy /changes/*/credentialId': {
    id: ({ allowedCredentialId }) => allowedCredentialId,
    rest: (_, { ecosystemParticipantId, allowedCredentialId }) => ({
      changes: [
        {
          change: 'takeCredential',
          role: 'issuer',
          participantId: ecosystemParticipantId,
          credentialId: allowedCredentialId,
        },
      ],
    }),
  },
  'createEcosystemIssuer /credentialId': credentialOfAnother,
  'createEcosystemVerifier /credentialId': credentialOfAnother,
  'createBlogPost /author_id': PLATFORM,
  'createBlogPost /category_id': PLATFORM,
  'updateBlogPost /author_id': PLATFORM,
  'updateBlogPost /category_id': PLATFORM,
  'loginUser /tenantId': { id: ({ client }) => client.tenantId, answers: 403, own: 403 },
  'refreshSession /tenantId': 'as of loginUser, with the cookie of a session',
}

/** Members that name things of more than one kind: each kind, beside the one of the table. */
export const FURTHER: [operation: string, pointer: string, holding: Holding][] = [
  ...(['template', 'batch'] as const).map((by): [string, string, Holding] => [
    'createWebSemanticRevocation',
    '/id',
    {
      id: ({ templateId, batchId }) => (by === 'template' ? templateId : batchId),
      rest: (body) => ({ ...body, by }),
      ...(by === 'batch' && { own: 409 }),
    },
  ]),
  // of the other formats, whose claims the example has not got
  ['createOpenIdSession', '/credentials/*', { id: ({ compactTemplateId }) => compactTemplateId, own: 400 }],
  ['createOpenIdSession', '/credentials/*', { id: ({ mobileTemplateId }) => mobileTemplateId, own: 400 }],
]

/** The query parameters that hold an id, as the members of bodies. */
export const FILTERS: Record<string, Entry> = {
  'getWebhookDeliveries webhookId': { id: ({ webhookId }) => webhookId, answers: 200 },
  'getWebhookDeliveries eventId': { id: ({ eventId }) => eventId, answers: 200 },
  'listOpenIdReissuances credentialId': { id: ({ credentialId }) => credentialId, answers: 200 },
  'listOpenIdReissuances userId': { id: ({ userId }) => userId, answers: 200 },
  'retrieveListOfUsers providerId': { id: ({ providerId }) => providerId },
  'listCredentials templateId': { id: ({ templateId }) => templateId, answers: 200 },
  'listCredentials batchId': { id: ({ batchId }) => batchId, answers: 200 },
  'listCredentials issuer': { id: ({ did }) => did, answers: 200 },
  'createCredentialBatch issuer': { ...issuer, query: () => ({ proofType: 'eddsa-rdfc-2022' }), row: { payload: {} } },
  'createCredentialBatch templateId': {
    id: ({ templateId }) => templateId,
    query: ({ did }) => ({ issuerDid: did }),
    row: { claims: {} },
  },
  'createCredentialBatch issuerDid': {
    ...issuer,
    query: ({ templateId }) => ({ templateId }),
    row: { claims: {} },
  },
  'createCredentialBatch documentSignerId': {
    id: ({ signerId }) => signerId,
    query: () => ({ format: 'mobile' }),
    row: { payload: MOBILE_SIGN_EXAMPLE.payload },
  },
  'requestAutherization client_id': PROVED,
  'createTenantImport environmentId': PLATFORM,
  'createTenantImport organizationId': PLATFORM,
}

/** The value in place of a thing’s id that is nobody’s, in the same form. */
export const missing = (value: string): string => {
  const nobody = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'
  if (/^\d+$/.test(value)) return '2000000000'
  if (value.startsWith('urn:uuid:')) return `urn:uuid:${randomUUID()}`
  if (!value.startsWith('did:')) return randomUUID()
  return value.includes('#') ? `${nobody}#${nobody.slice('did:key:'.length)}` : nobody
}
