import type {
  CreatedPresentationRequest,
  PresentationRequestDetails,
  PresentationRequestRecord,
} from '../../../activities/openid/presentations/records.ts'
import type { PresentationVerdict } from '../../../activities/openid/presentations/verify.ts'
import {
  type ClientIdPrefix,
  KEPT_SECONDS,
  LIFETIME_SECONDS,
  type PresentationRequestInput,
} from '../../../protocol/openid/presentations/requests.ts'
import type { ListedIssuerOut } from '../../credentials/trust.wire.ts'
import type { PageQuery } from '../../frame/pagination.ts'
import { type Count, type DateTime, type Did, inLowerCase, type JsonObject, type Uuid } from '../../frame/wire.ts'
import type { TrustedContext } from '../../semantic-credentials/wire.ts'
import type { CertificateChainPem, OidcClientName, RequestUriMethodName } from '../verifiers/wire.ts'

/** A query of DCQL (OpenID4VP 1.0, section 6). */
export type OpenId4VpDcqlQuery = JsonObject

/** What the holder agrees to, each with its type and its credential_ids (OpenID4VP 1.0, section 5.1). */
export type OpenId4VpTransactionData = JsonObject[]

/**
 * How wallets answer: direct_post.jwt (default) encrypted, direct_post in clear; dc_api.jwt and dc_api through the browser
 * of a page, by the Digital Credentials API.
 */
export type OpenId4VpResponseMode = 'direct_post' | 'direct_post.jwt' | 'dc_api' | 'dc_api.jwt'

/** Origins of the pages whose browser asks, with dc_api and dc_api.jwt. */
export type OpenId4VpOrigins = string[]

/** The origin of a page. */
export type OpenId4VpOrigin = string

/** The data of the DigitalCredential that the browser returned. */
export type OpenId4VpBrowserData = JsonObject

/** How wallets know the verifier. Default: by its certificate (x509_hash) where it has one, else by its DID. */
export type OpenId4VpClientIdPrefix = 'decentralized_identifier' | 'verifier_attestation' | 'x509_hash' | 'x509_san_dns'

/** A JWT of the type verifier-attestation+jwt (OpenID4VP 1.0, section 12). */
export type OpenId4VpVerifierAttestation = string

/** Where the wallet leads its holder on the device of the browser. */
export type OpenId4VpRedirectUri = string

/** Seconds until the request ends. Default: 600. */
export type OpenId4VpSeconds = Count

/** Seconds for which what was presented is kept after the end. Default: 86400. */
export type OpenId4VpKeptSeconds = Count

/** response_code of the redirect. */
export type OpenId4VpResponseCode = string

export interface OpenId4VpRequestIn {
  /** Who asks: the DID and the certificates of a verifier of createOidcVerifier; or else verifierDid. */
  verifierId?: Uuid | null
  /** A DID of the tenant with a P-256 or an Ed25519 key, which signs the request. */
  verifierDid?: Did | null
  /** Certificates for the P-256 key of verifierDid, without the trust anchor. */
  certificateChain?: CertificateChainPem | null
  /** In place of certificates: a JWT by which somebody whom wallets trust vouches for the key of the DID. */
  verifierAttestation?: OpenId4VpVerifierAttestation | null
  clientIdPrefix?: OpenId4VpClientIdPrefix | null
  /** The verifier's name, which some wallets show of one that no certificate names. */
  clientName?: OidcClientName | null
  /** What is asked for; or else presentationTemplateId. */
  dcqlQuery?: OpenId4VpDcqlQuery | null
  presentationTemplateId?: Uuid | null
  /**
   * With dcqlQuery: contexts that count in credentials of JSON-LD beside the bundled and the registered ones.
   * @maxItems 100
   */
  trustedContexts?: TrustedContext[] | null
  responseMode?: OpenId4VpResponseMode | null
  /** How the links ask wallets to fetch the request. Default: as the verifier of verifierId does, else get. */
  requestUriMethod?: RequestUriMethodName | null
  redirectUri?: OpenId4VpRedirectUri | null
  /** true: the answer has pageUri, a page of the platform for the person's browser, in place of links and QR code. */
  page?: boolean | null
  expectedOrigins?: OpenId4VpOrigins | null
  transactionData?: OpenId4VpTransactionData | null
  expiresInSec?: OpenId4VpSeconds | null
  keptForSec?: OpenId4VpKeptSeconds | null
}

export type OpenId4VpState = 'PENDING' | 'FETCHED' | 'VERIFIED' | 'REFUSED' | 'EXPIRED'

export interface OpenId4VpRequestSummaryOut {
  id: Uuid
  state: OpenId4VpState
  /** The verifier, as wallets know it. */
  clientId: string
  responseMode: string
  requestUriMethod: RequestUriMethodName
  redirectUri: string | null
  /** Answers that were not accepted; after five the request has ended. */
  failures: Count
  /** Why the last answer was not accepted. */
  failureCode: string | null
  createdAt: DateTime
  expiresAt: DateTime
  endedAt: DateTime | null
  /** The request and what was presented are deleted then. */
  keptUntil: DateTime
  /** true: a wallet has answered on the browser's device or for a page, and redeemOpenId4VpRequest returns what it presented. */
  needsResponseCode: boolean
}

export interface OpenId4VpCreatedOut extends OpenId4VpRequestSummaryOut {
  /** Opens a wallet on another device: the text of the QR code; null with dc_api, dc_api.jwt and a page. */
  uri: string | null
  /** A PNG as a data: URL. */
  qrCode: string | null
  /** Opens a wallet on the device of the browser; null without redirectUri, and with a page. */
  sameDeviceUri: string | null
  /** One of the requests of navigator.credentials.get({digital: {requests}}), with dc_api and dc_api.jwt. */
  browserRequest: OpenId4VpBrowserRequestOut | null
  /** The page that the verifier leads the person's browser to; null without page. */
  pageUri: string | null
}

export interface OpenId4VpBrowserDataOut {
  /** A JWS. */
  request: string
}

export interface OpenId4VpBrowserRequestOut {
  protocol: string
  data: OpenId4VpBrowserDataOut
}

export interface OpenId4VpBrowserAnswerIn {
  /** Of the page that asked: the wallet has bound its answer to it. */
  origin: OpenId4VpOrigin
  data: OpenId4VpBrowserData
}

export interface OpenId4VpCheckOut {
  name: string
  result: 'passed' | 'failed' | 'skipped'
}

export interface OpenId4VpReasonOut {
  /** The name of the check. */
  type: string
  code?: string
  message: string
}

export interface OpenId4VpCredentialOut {
  /** The id of the credential in the query. */
  id: string
  format: string
  verified: boolean
  checks: OpenId4VpCheckOut[]
  reason: OpenId4VpReasonOut[]
  warnings: string[]
  /** vct, document type, or types as IRIs. */
  types: string[]
  issuer?: string
  /** Where an enforced trust list has the issuer; absent: none is enforced, or none has it. */
  trust?: ListedIssuerOut
  /** Who presented it: a DID, or the thumbprint of a key (RFC 7638). */
  holder?: string
  /** What is disclosed: claims, elements by their namespaces, or the credential of JSON-LD. */
  claims?: JsonObject
}

export interface OpenId4VpRequestOut extends OpenId4VpRequestSummaryOut {
  /** What was presented last, check by check; of a refused presentation without claims and holder. */
  credentials: OpenId4VpCredentialOut[]
}

export interface OpenId4VpPageOut {
  data: OpenId4VpRequestSummaryOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

export interface OpenId4VpQuery extends PageQuery {
  /** Returns only requests in this state. */
  state?: OpenId4VpState
}

export interface OpenId4VpResponseCodeIn {
  responseCode: OpenId4VpResponseCode
}

const present = <Value>(value: Value | null | undefined): value is Value => value !== null && value !== undefined

export const toRequest = (body: OpenId4VpRequestIn): PresentationRequestInput => ({
  ...(present(body.verifierId) && { verifierId: inLowerCase(body.verifierId) }),
  ...(present(body.verifierDid) && { verifierDid: body.verifierDid }),
  ...(present(body.certificateChain) && { certificateChain: body.certificateChain }),
  ...(present(body.verifierAttestation) && { verifierAttestation: body.verifierAttestation }),
  ...(present(body.clientIdPrefix) && { clientIdPrefix: body.clientIdPrefix satisfies ClientIdPrefix }),
  ...(present(body.clientName) && { clientName: body.clientName }),
  ...(present(body.dcqlQuery) && { dcqlQuery: body.dcqlQuery }),
  ...(present(body.presentationTemplateId) && { presentationTemplateId: inLowerCase(body.presentationTemplateId) }),
  ...(present(body.trustedContexts) && { trustedContexts: body.trustedContexts }),
  responseMode: body.responseMode ?? 'direct_post.jwt',
  ...(present(body.requestUriMethod) && { requestUriMethod: body.requestUriMethod }),
  ...(present(body.page) && { page: body.page }),
  ...(present(body.redirectUri) && { redirectUri: body.redirectUri }),
  ...(present(body.expectedOrigins) && { expectedOrigins: body.expectedOrigins }),
  ...(present(body.transactionData) && { transactionData: body.transactionData }),
  lifetimeSeconds: body.expiresInSec ?? LIFETIME_SECONDS.default,
  keptSeconds: body.keptForSec ?? KEPT_SECONDS.default,
})

const credentialToWire = ({ claims, ...verdict }: PresentationVerdict): OpenId4VpCredentialOut => ({
  ...verdict,
  ...(claims && { claims }),
})

export const summaryToWire = (record: PresentationRequestRecord): OpenId4VpRequestSummaryOut => ({ ...record })

export const createdToWire = (record: CreatedPresentationRequest): OpenId4VpCreatedOut => ({ ...record })

export const requestToWire = ({ credentials, ...record }: PresentationRequestDetails): OpenId4VpRequestOut => ({
  ...record,
  credentials: credentials.map(credentialToWire),
})
