import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { OidcClient, OidcVerifier } from '../../../entities/openid/verifiers.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { ClientValues } from '../../../protocol/openid/verifiers/clients.ts'
import type { VerifierValues } from '../../../protocol/openid/verifiers/values.ts'

export interface VerifierRecord extends VerifierValues {
  id: string
  /** The issuer for its clients. */
  issuer: string
}

export const issuerOf = (baseUrl: string, verifierId: string): string => `${baseUrl}/v1/oidc/verifiers/${verifierId}`

export interface ClientRecord extends ClientValues {
  id: string
}

export const verifierNotFound = () => new Refusal('oidc_verifier.not_found', 'There is no such verifier.')

export const clientNotFound = () => new Refusal('oidc_client.not_found', 'The verifier has no such client.')

export const toVerifier = (row: OidcVerifier, baseUrl: string): VerifierRecord => ({
  id: row.id,
  issuer: issuerOf(baseUrl, row.id),
  verifierDid: row.verifierDid,
  presentationTemplateId: row.presentationTemplateId,
  includePresentation: row.includePresentation,
  claimMappings: row.claimMappings,
  ...(row.certificateChain && { certificateChain: row.certificateChain }),
  requestUriMethod: row.requestUriMethod ?? 'get',
})

export const toClient = (row: OidcClient): ClientRecord => ({
  id: row.id,
  name: row.name,
  applicationType: row.applicationType,
  redirectUris: row.redirectUris,
  grantTypes: row.grantTypes,
  responseTypes: row.responseTypes,
  tokenEndpointAuthMethod: row.tokenEndpointAuthMethod,
  idTokenSignedResponseAlg: row.idTokenSignedResponseAlg,
  logoUri: row.logoUri ?? null,
})

const LOCK = { lockMode: LockMode.PESSIMISTIC_WRITE }

/** Throws `Refusal('oidc_verifier.not_found')`. */
export async function findVerifier(em: SqlEntityManager, id: string, lock = false): Promise<OidcVerifier> {
  const row = await em.findOne(OidcVerifier, { id }, lock ? LOCK : {})
  if (!row) throw verifierNotFound()
  return row
}

/** Throws `Refusal('oidc_client.not_found')`. */
export async function findClient(
  em: SqlEntityManager,
  verifierId: string,
  id: string,
  lock = false,
): Promise<OidcClient> {
  const row = await em.findOne(OidcClient, { id, verifierId }, lock ? LOCK : {})
  if (!row) throw clientNotFound()
  return row
}
