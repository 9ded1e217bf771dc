import type { CreatedOffer } from '../../../activities/openid/sessions/offers.ts'
import type { SessionRecord } from '../../../activities/openid/sessions/read.ts'
import { DEFAULT_LIFETIME_SECONDS, type OfferInput, readParameters } from '../../../protocol/openid/oid4vci/offers.ts'
import type { PageQuery } from '../../frame/pagination.ts'
import type { Count, DateTime, JsonObject, Uuid } from '../../frame/wire.ts'

/** Ids of templates: of web semantic, compact, compact-semantic and mobile credentials. */
export type OfferedCredentials = string[]

/** Parameters for the authentication provider, such as loginHint and prompt. */
export type OfferParameters = JsonObject

/** Claims about the holder, of which each credential has those that its template takes. */
export type OfferClaims = JsonObject

/**
 * How the wallet proves that it may have the credentials. pre-authorized_code: it has the offer. authorization_code: its
 * holder logs in at the tenant's authentication provider.
 */
export type OfferGrant = 'pre-authorized_code' | 'authorization_code'

/** Seconds until the offer ends. Default: 86400. */
export type OfferSeconds = Count

export interface OfferIn {
  credentials: OfferedCredentials
  requestedParameters?: OfferParameters | null
  /**
   * Default: authorization_code, where requestedParameters or authenticationProviderId say something and the tenant has an
   * authentication provider; else pre-authorized_code.
   */
  grantType?: OfferGrant | null
  /** Who logs the holder in. Default: the provider that the tenant created first. */
  authenticationProviderId?: Uuid | null
  claims?: OfferClaims | null
  /**
   * true: the credentials may be suspended; only for revocable templates of web semantic credentials of data model 2.0.
   * Default: false.
   */
  suspendable?: boolean | null
  expiresInSec?: OfferSeconds | null
}

export interface SessionIn extends OfferIn {
  /**
   * true: the holder has to type a code of 6 digits, which the response has, and which should reach them by another way
   * than the offer. Default: false.
   */
  txCode?: boolean | null
}

/** The offer as a link: for a QR code, or to be opened on the device of the wallet. */
export type OfferUri = string

export interface OfferOut {
  /** The id of the session. */
  id: Uuid
  uri: OfferUri
  txCode?: string
  expiresAt: DateTime
}

/** What ended the session, or why an issuance failed; stable code, and a sentence for the operator. */
export interface SessionFailureOut {
  code: string
  message: string
}

export interface SessionStepOut {
  step: string
  at: DateTime
  issuanceId?: Uuid
  code?: string
}

export interface IssuanceOut {
  id: Uuid
  templateId: Uuid
  templateVersion: Count | null
  format: string
  state: 'OFFERED' | 'PENDING' | 'ISSUED' | 'FAILED'
  credentialIds: Uuid[]
  /** What the wallet said became of the credentials. */
  notification: string | null
  failure: SessionFailureOut | null
  requestedAt: DateTime | null
  issuedAt: DateTime | null
}

export type SessionStateName = 'OFFERED' | 'AUTHORIZED' | 'ISSUED' | 'COMPLETED' | 'FAILED' | 'EXPIRED' | 'CANCELLED'

export interface SessionOut {
  id: Uuid
  grantType: OfferGrant
  state: SessionStateName
  waitsFor: 'wallet' | 'holder' | 'issuance' | 'retry' | 'notification' | null
  steps: SessionStepOut[]
  issuances: IssuanceOut[]
  /** Wrong transaction codes. */
  txCodeFailures: Count
  failure: SessionFailureOut | null
  /** The re-issuance by whose refresh token its wallet gets the credentials anew, or got these; it may have ended. */
  reissuanceId: Uuid | null
  createdAt: DateTime
  /** The session ends then by itself. */
  endsAt: DateTime
  endedAt: DateTime | null
  /** The workflow that waits for the wallet and signs. */
  workflowId: string
  /** Path of the workflow below the address of the Temporal UI. */
  workflowPath: string
  /** The same in full, for operators; absent unless TEMPORAL_UI_PUBLIC_URL is set. */
  workflowUrl?: string
}

export interface SessionPageOut {
  data: SessionOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

export interface SessionQuery extends PageQuery {
  /** Returns only sessions in this state. */
  state?: SessionStateName
}

export function toOffer(body: OfferIn, txCode = false): OfferInput {
  const { credentials, requestedParameters, claims, grantType, authenticationProviderId, suspendable, expiresInSec } =
    body
  return {
    configurationIds: credentials.map((id) => id.toLowerCase()),
    grantType: grantType ?? undefined,
    providerId: authenticationProviderId ?? undefined,
    parameters: readParameters(requestedParameters ?? {}),
    claims: claims ?? {},
    txCode,
    suspendable: suspendable ?? false,
    lifetimeSeconds: expiresInSec ?? DEFAULT_LIFETIME_SECONDS,
  }
}

export const offerToWire = ({ sessionId: id, uri, txCode, expiresAt }: CreatedOffer): OfferOut => ({
  id,
  uri,
  ...(txCode !== undefined && { txCode }),
  expiresAt,
})

export const sessionToWire = ({ workflow: { id, path, url }, ...record }: SessionRecord): SessionOut => ({
  ...record,
  workflowId: id,
  workflowPath: path,
  ...(url && { workflowUrl: url }),
})

const ISSUANCE: IssuanceOut = {
  id: '0d9c4f3e-7b21-4c5a-9a3d-5b1f6e2c8a70',
  templateId: '3f2a1b0c-9d8e-4f7a-8b6c-5d4e3f2a1b0c',
  templateVersion: 1,
  format: 'web-semantic',
  state: 'ISSUED',
  credentialIds: ['5e6f7a8b-9c0d-8e1f-a2b3-c4d5e6f7a8b9'],
  notification: null,
  failure: null,
  requestedAt: '2027-01-04T09:00:05.000Z',
  issuedAt: '2027-01-04T09:00:05.210Z',
}

const WORKFLOW = '1f2e3d4c-5b6a-4978-8a9b-0c1d2e3f4a5b/openid/sessions/8c7b6a59-4f3e-4d2c-9b1a-0f9e8d7c6b5a'

export const SESSION: SessionOut = {
  id: '8c7b6a59-4f3e-4d2c-9b1a-0f9e8d7c6b5a',
  grantType: 'pre-authorized_code',
  state: 'ISSUED',
  waitsFor: 'notification',
  steps: [
    { step: 'OFFER_CREATED', at: '2027-01-04T08:59:00.000Z' },
    { step: 'TOKEN_ISSUED', at: '2027-01-04T09:00:04.000Z' },
    { step: 'CREDENTIAL_REQUESTED', at: '2027-01-04T09:00:05.000Z', issuanceId: ISSUANCE.id },
    { step: 'CREDENTIAL_ISSUED', at: '2027-01-04T09:00:05.210Z', issuanceId: ISSUANCE.id },
  ],
  issuances: [ISSUANCE],
  txCodeFailures: 0,
  failure: null,
  reissuanceId: null,
  createdAt: '2027-01-04T08:59:00.000Z',
  endsAt: '2027-01-04T09:20:04.000Z',
  endedAt: null,
  workflowId: WORKFLOW,
  workflowPath: `/namespaces/default/workflows/${encodeURIComponent(WORKFLOW)}`,
}

export const OFFER_URI =
  'openid-credential-offer://?credential_offer=%7B%22credential_issuer%22%3A%22https%3A%2F%2Fissuer.example%22%7D'
