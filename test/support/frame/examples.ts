import { createDid, payload, sign } from '../credentials/credentials.ts'
import {
  makePresentationSample,
  PRESENTATION_EXAMPLES,
  type PresentationSample,
} from '../credentials/presentations.examples.ts'
import { course, createTemplate } from '../credentials/templates.ts'
import { VC_API_EXAMPLES } from '../credentials/vc-api.examples.ts'
import type { Client, World } from '../world.ts'

/** What the examples speak of: one tenant's things. */
export interface Sample extends PresentationSample {
  client: Client
  token: string
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
}

export async function makeSample(world: World, client: Client): Promise<Sample> {
  const token = await world.tokenOf(client)
  const did = await createDid(world, 'ed25519', token)
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
  /** The refusal that is right, where a success needs what a test world does not have. */
  answers?: number
}

/** A request that succeeds, for every operation with a body or an id. A test fails for the one that is missing here. */
export const EXAMPLES: Record<string, Example> = {
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
  createDID: { body: () => ({ method: 'KEY', options: { keyType: 'ed25519' } }) },
  resolveDID: { path: ({ did }) => ({ id: did }) },
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
  getWebSemanticCredentialDetails: { path: ({ credentialId }) => ({ id: credentialId }) },
  getWebSemanticRevocationStatus: { path: ({ credentialId }) => ({ id: credentialId }) },
  setWebSemanticRevocationStatus: {
    path: ({ credentialId }) => ({ id: credentialId }),
    body: () => ({ is_revoked: false }),
  },
  setWebSemanticSuspensionStatus: {
    path: ({ credentialId }) => ({ id: credentialId }),
    body: () => ({ is_suspended: true }),
    answers: 400,
  },
  getWebSemanticRevocationStatusNotifications: { path: ({ credentialId }) => ({ id: credentialId }) },
  getWebSemanticStatusHistory: { path: ({ credentialId }) => ({ id: credentialId }) },
  webSemanticRevocationStatusNotification: {
    path: ({ credentialId }) => ({ id: credentialId }),
    body: ({ did }) => ({ from: did, to: ['did:example:holder'] }),
  },
  createWebSemanticRevocation: { body: ({ idleDid }) => ({ by: 'issuer', id: idleDid, is_revoked: true }) },
  getWebSemanticRevocation: { path: ({ revocationId }) => ({ id: revocationId }) },
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
  getWebSemanticCredentialTemplate: { path: ({ templateId }) => ({ id: templateId }) },
  updateWebSemanticCredentialTemplate: {
    path: ({ templateId }) => ({ id: templateId }),
    body: ({ templateId }) => ({ ...course({ description: 'Changed', revocable: true }), id: templateId }),
  },
  deleteWebSemanticCredentialTemplate: { path: ({ spareTemplateId }) => ({ id: spareTemplateId }) },
  signWebSemanticCredentialFromTemplate: {
    path: ({ templateId }) => ({ id: templateId }),
    body: ({ did }) => ({
      claims: { id: 'did:example:holder', course: 'CS-101' },
      issuer_did: did,
      suspendable: true,
      tag: 'sample',
    }),
  },
  ...PRESENTATION_EXAMPLES,
  ...VC_API_EXAMPLES,
  getCredentialBatch: { path: ({ batchId }) => ({ id: batchId }) },
  pauseCredentialBatch: { path: ({ batchId }) => ({ id: batchId }) },
  resumeCredentialBatch: { path: ({ batchId }) => ({ id: batchId }) },
  cancelCredentialBatch: { path: ({ batchId }) => ({ id: batchId }) },
  revokeCredentialBatch: { path: ({ batchId }) => ({ id: batchId }), answers: 409 },
  getCredentialBatchErrors: { path: ({ batchId }) => ({ id: batchId }) },
  getCredentialBatchResults: { path: ({ batchId }) => ({ id: batchId }) },
  getWebSemanticCredentialRevocationList: { path: ({ listId }) => ({ id: listId }) },
  getPublishedStatusList: { path: ({ listId }) => ({ id: listId }) },
}

/** Why an answer to an example is not the one that it should have; undefined when it is. */
export const exampleFault = (operationId: string, status: number, text: string): string | undefined => {
  const expected = EXAMPLES[operationId]?.answers
  const right = expected === undefined ? status >= 200 && status < 300 : status === expected
  return right ? undefined : `${operationId} answered ${status} ${text.slice(0, 300)}`
}
