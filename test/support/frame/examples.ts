import { REQUEST_EXAMPLES, thingIn } from '../../../api/frame/openapi/areas.ts'
import { ISSUER } from '../../../api/frame/openapi/examples.ts'
import { type ClaimSourceSample, makeClaimSourceSample } from '../claim-sources.ts'
import { COMPACT_EXAMPLES, makeCompactSample } from '../credentials/compact.ts'
import { createDid, payload, sign } from '../credentials/credentials.ts'
import { createIaca, createSigner, signMobile } from '../credentials/mobile.ts'
import {
  makePresentationSample,
  PRESENTATION_EXAMPLES,
  type PresentationSample,
} from '../credentials/presentations.examples.ts'
import { course, createTemplate } from '../credentials/templates.ts'
import { VC_API_EXAMPLES } from '../credentials/vc-api.examples.ts'
import { createDomain, newDomainName } from '../domains.ts'
import { createMailbox, encrypt, inboxesOf } from '../messaging.ts'
import { makeWebhookSample } from '../webhooks.ts'
import type { Client, World } from '../world.ts'
import { bodySchema, type Operation, operations } from './openapi.ts'

/** What the examples speak of: one tenant's things. */
export interface Sample extends PresentationSample, ClaimSourceSample {
  client: Client
  token: string
  /** The tenant's default issuer. */
  did: string
  /** For the operation that deletes it. */
  spareDid: string
  /** Has issued nothing, and stays. */
  idleDid: string
  credentialId: string
  credential: Record<string, unknown>
  listId: string
  revocationId: string
  /** Under way for as long as no worker is there. */
  batchId: string
  templateId: string
  /** For the operation that deletes it. */
  spareTemplateId: string
  compactId: string
  compactSemanticId: string
  /** The list of both. */
  compactListId: string
  compactTemplateId: string
  compactSemanticTemplateId: string
  /** Fills the PDF template. */
  passEncoded: string
  pdfTemplateId: string
  /** For the operation that deletes it. */
  sparePdfTemplateId: string
  iacaId: string
  mobileId: string
  mobileEncoded: string
  mobileListId: string
  /** For the operation that deletes it. */
  spareIacaId: string
  signerId: string
  /** For the operation that deletes it. */
  spareSignerId: string
  domainId: string
  /** For the operation that deletes it. */
  spareDomainId: string
  inboxId: string
  /** Registered with the inbox. */
  inboxDid: string
  messageId: string
  /** From a DID of the tenant to another one. */
  jwe: string
  /** For the operation that deletes it. */
  spareInboxId: string
  /** Another inbox, for the operations that delete its DID and its message. */
  spareInbox: { inboxId: string; inboxDid: string; messageId: string }
  webhookId: string
  /** For the operation that deletes it. */
  spareWebhookId: string
  /** Of a test event. */
  deliveryId: string
}

export async function makeSample(world: World, client: Client): Promise<Sample> {
  const token = await world.tokenOf(client)
  const did = await createDid(world, 'ed25519', token, true)
  const { id, credential } = await sign(world, did, { token, revocable: true, tag: 'sample' })
  const status = credential.credentialStatus as Record<string, string>
  const listId = String(status.statusListCredential).split('/').at(-1) ?? ''
  const raw = JSON.stringify({ payload: payload(did), proofType: 'eddsa-rdfc-2022' })
  const headers = { 'content-type': 'application/x-ndjson' }
  const batch = await world.ask('/v1/credentials/batches', { token, raw, headers })
  return {
    client,
    token,
    did,
    spareDid: await createDid(world, 'ed25519', token),
    idleDid: await createDid(world, 'ed25519', token),
    credentialId: id,
    credential,
    listId,
    revocationId: await revokeSpare(world, token),
    batchId: batch.json<{ id: string }>().id,
    ...(await makePresentationSample(world, token)),
    templateId: (await createTemplate(world, { revocable: true }, token)).id,
    spareTemplateId: (await createTemplate(world, {}, token)).id,
    ...(await makeCompactSample(world, did, token)),
    // signers have the newest IACA
    spareIacaId: await createIaca(world, token),
    iacaId: await createIaca(world, token),
    signerId: await createSigner(world, token),
    spareSignerId: await createSigner(world, token),
    ...(await signMobile(world, token)),
    domainId: (await createDomain(world, {}, token)).id,
    spareDomainId: (await createDomain(world, {}, token)).id,
    ...(await createMailbox(world, token)),
    jwe: await encrypt(world, { from: did, to: [did], token }),
    spareInboxId: await inboxesOf(world, token).created(),
    spareInbox: await createMailbox(world, token),
    ...(await makeWebhookSample(world, token)),
    ...(await makeClaimSourceSample(world, token)),
  }
}

/** A revocation of nothing: its issuer has issued nothing. */
async function revokeSpare(world: World, token: string): Promise<string> {
  const body = { by: 'issuer', id: await createDid(world, 'ed25519', token), is_revoked: true }
  const reply = await world.ask('/v1/credentials/web-semantic/revocations', { token, body })
  if (reply.status !== 202) throw new Error(`no revocation: ${reply.text}`)
  return reply.json<{ id: string }>().id
}

interface Example {
  body?: (sample: Sample) => Record<string, unknown>
  path?: (sample: Sample) => Record<string, string>
  /** Entries that the tenant's log gets beside the operation's own. */
  alsoLogs?: string[]
  /** The refusal that is right, where a success needs what a test world does not have. */
  answers?: number
}

/** The sample's thing below a path: an operation of it needs no more than its body. */
const THINGS: Record<string, (sample: Sample) => string> = {
  '/v1/dids/{id}': ({ did }) => did,
  '/v1/config/domain/{id}': ({ domainId }) => domainId,
  '/v1/messaging/inboxes/{id}': ({ inboxId }) => inboxId,
  '/v1/webhooks/{id}': ({ webhookId }) => webhookId,
  '/v1/claim-sources/{id}': ({ claimSourceId }) => claimSourceId,
  '/v1/webhooks/deliveries/{id}': ({ deliveryId }) => deliveryId,
  '/v1/credentials/{id}': ({ credentialId }) => credentialId,
  '/v1/credentials/web-semantic/{id}': ({ credentialId }) => credentialId,
  '/v1/credentials/web-semantic/configurations/{id}': ({ templateId }) => templateId,
  '/v1/credentials/web-semantic/presentations/templates/{id}': ({ presentationTemplateId }) => presentationTemplateId,
  '/v1/credentials/web-semantic/presentations/requests/{id}': ({ presentationRequestId }) => presentationRequestId,
  '/v1/presentation-requests/{id}': ({ presentationRequestId }) => presentationRequestId,
  '/v1/credentials/web-semantic/revocations/{id}': ({ revocationId }) => revocationId,
  '/v1/credentials/web-semantic/revocation-lists/{id}': ({ listId }) => listId,
  '/v1/revocation-lists/{id}': ({ listId }) => listId,
  '/v1/credentials/batches/{id}': ({ batchId }) => batchId,
  '/v1/credentials/compact/{id}': ({ compactId }) => compactId,
  '/v1/credentials/compact-semantic/{id}': ({ compactSemanticId }) => compactSemanticId,
  '/v1/credentials/compact/configurations/{id}': ({ compactTemplateId }) => compactTemplateId,
  '/v1/credentials/compact-semantic/configurations/{id}': ({ compactSemanticTemplateId }) => compactSemanticTemplateId,
  '/v1/credentials/compact/revocation-lists/{id}': ({ compactListId }) => compactListId,
  '/v1/credentials/compact/pdf/templates/{id}': ({ pdfTemplateId }) => pdfTemplateId,
  '/v1/credentials/mobile/{id}': ({ mobileId }) => mobileId,
  '/v1/credentials/mobile/status-lists/{id}': ({ mobileListId }) => mobileListId,
  '/v1/credentials/mobile/iacas/{id}': ({ iacaId }) => iacaId,
  '/v1/iacas/{id}': ({ iacaId }) => iacaId,
  '/v1/credentials/mobile/document-signers/{id}': ({ signerId }) => signerId,
}

/** What the document's example and THINGS do not say of a request that succeeds. */
const PARTICULAR: Record<string, Example> = {
  getOAuthAccessToken: {
    body: ({ client }) => ({
      clientId: client.clientId,
      clientSecret: client.clientSecret,
      grantType: 'client_credentials',
      scope: 'dids:read',
    }),
  },
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
  updateWebhook: { path: ({ spareWebhookId }) => ({ id: spareWebhookId }) },
  deleteClaimSource: { path: ({ spareClaimSourceId }) => ({ id: spareClaimSourceId }) },
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
  ...PRESENTATION_EXAMPLES,
  ...VC_API_EXAMPLES,
  revokeCredentialBatch: { answers: 409 },
  verifyMobileCredential: { body: ({ mobileEncoded }) => ({ payload: mobileEncoded }) },
  deleteMobileCredentialsIaca: { path: ({ spareIacaId }) => ({ id: spareIacaId }) },
  revokeMobileCredentialsDocumentSigner: { path: ({ spareSignerId }) => ({ id: spareSignerId }) },
  deleteMobileCredentialsDocumentSigner: { path: ({ spareSignerId }) => ({ id: spareSignerId }) },
}

/** A request from the document's own example, by the sample's issuer, of the sample's thing. */
function documented(operation: Operation): Example {
  const idOf = THINGS[thingIn(operation.path) ?? '']
  const example = bodySchema(operation) && REQUEST_EXAMPLES[operation.operationId]
  const text = JSON.stringify(example)
  return {
    ...(idOf && { path: (sample) => ({ id: idOf(sample) }) }),
    ...(example && { body: ({ did }) => JSON.parse(text.replaceAll(ISSUER, did)) as Record<string, unknown> }),
  }
}

/** A request that succeeds, for every operation with a body or an id. A test fails for the one that is missing here. */
export const EXAMPLES: Record<string, Example> = Object.fromEntries(
  operations
    .map(
      (operation) =>
        [operation.operationId, { ...documented(operation), ...PARTICULAR[operation.operationId] }] as const,
    )
    .filter(([, example]) => Object.keys(example).length > 0),
)

/** Why an answer to an example is not the one that it should have; undefined when it is. */
export const exampleFault = (operationId: string, status: number, text: string): string | undefined => {
  const expected = EXAMPLES[operationId]?.answers
  const right = expected === undefined ? status >= 200 && status < 300 : status === expected
  return right ? undefined : `${operationId} answered ${status} ${text.slice(0, 300)}`
}
