import { OPERATOR_SCOPES, type Scope } from '../../../../protocol/tokens-logs/index.ts'
import { type AccountSample, makeAccountSample } from '../../accounts.ts'
import { type AdministrationSample, makeAdministrationSample } from '../../administration.ts'
import { type ClaimSourceSample, makeClaimSourceSample } from '../../claim-sources.ts'
import { type ContentSample, makeContentSample } from '../../content.ts'
import { makeCompactSample } from '../../credentials/compact.ts'
import { createDid, payload, sign } from '../../credentials/credentials.ts'
import { createIaca, createSigner, signMobile } from '../../credentials/mobile.ts'
import { makePresentationSample, type PresentationSample } from '../../credentials/presentations.examples.ts'
import { createTemplate } from '../../credentials/templates.ts'
import { createDomain } from '../../domains.ts'
import { type EcosystemSample, makeEcosystemSample } from '../../ecosystems.ts'
import { createMailbox, encrypt, inboxesOf } from '../../messaging.ts'
import { makeOpenIdSample, type OpenIdSample } from '../../openid/sample.ts'
import { makeSdJwtSample } from '../../sd-jwt/credentials.ts'
import { makeTransferSample, type TransferSample } from '../../transfers/sample.ts'
import { makeTrustListSample, type TrustListSample } from '../../trust-lists/lists.ts'
import { makeWebhookSample } from '../../webhooks.ts'
import type { Client, World } from '../../world.ts'
import { addClient } from '../tenants.ts'

/** What the examples speak of: one tenant's things. */
export interface Sample
  extends AccountSample,
    AdministrationSample,
    PresentationSample,
    ClaimSourceSample,
    ContentSample,
    TransferSample,
    TrustListSample,
    EcosystemSample,
    OpenIdSample {
  client: Client
  token: string
  /** Of an operator's client, for what belongs to the platform. */
  operatorToken: string
  /** The tenant's default issuer. */
  did: string
  /** For the operation that deletes it. */
  spareDid: string
  /** Has issued nothing, and stays. */
  idleDid: string
  credentialId: string
  erasureId: string
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
  sdJwtId: string
  sdJwtEncoded: string
  sdJwtTemplateId: string
  /** For the operation that deletes it. */
  spareSdJwtTemplateId: string
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
  eventId: string
}

export async function makeSample(world: World, client: Client): Promise<Sample> {
  const token = await world.tokenOf(client)
  const operatorToken = await tokenWith(world, OPERATOR_SCOPES)
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
    operatorToken,
    ...(await makeAccountSample(world)),
    ...(await makeAdministrationSample(world, { token, operatorToken })),
    ...(await makeTransferSample(world, operatorToken)),
    did,
    spareDid: await createDid(world, 'ed25519', token),
    idleDid: await createDid(world, 'ed25519', token),
    credentialId: id,
    erasureId: await eraseNobody(world, token),
    credential,
    listId,
    revocationId: await revokeSpare(world, token),
    batchId: batch.json<{ id: string }>().id,
    ...(await makePresentationSample(world, token)),
    templateId: (await createTemplate(world, { revocable: true }, token)).id,
    spareTemplateId: (await createTemplate(world, {}, token)).id,
    ...(await makeCompactSample(world, did, token)),
    ...(await makeSdJwtSample(world, did, token)),
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
    ...(await makeTrustListSample(world, token)),
    ...(await makeContentSample(world, operatorToken)),
    ...(await makeEcosystemSample(world)),
    ...(await makeOpenIdSample(world, client, token)),
  }
}

/** A token of a client of the first tenant with scopes that no tenant grants. */
async function tokenWith(world: World, scopes: readonly Scope[]): Promise<string> {
  const { tenantId } = world.first
  return world.tokenOf(await addClient(world.dependencies.systemSql, { tenantId, scopes }))
}

/** An erasure of somebody of whom there is nothing. */
async function eraseNobody(world: World, token: string): Promise<string> {
  const reply = await world.ask('/v1/privacy/erasures', { token, body: { subjectDid: 'did:example:nobody' } })
  if (reply.status !== 202) throw new Error(`no erasure: ${reply.text}`)
  return reply.json<{ id: string }>().id
}

/** A revocation of nothing: its issuer has issued nothing. */
async function revokeSpare(world: World, token: string): Promise<string> {
  const body = { by: 'issuer', id: await createDid(world, 'ed25519', token), is_revoked: true }
  const reply = await world.ask('/v1/credentials/web-semantic/revocations', { token, body })
  if (reply.status !== 202) throw new Error(`no revocation: ${reply.text}`)
  return reply.json<{ id: string }>().id
}
