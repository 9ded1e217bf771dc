import type { PresentationRequestRecord } from '../../activities/semantic-credentials/presentations/requests.ts'
import type { CheckName } from '../../protocol/semantic-credentials/presentations/checks.ts'
import type { ListedIssuerOut } from '../credentials/trust.wire.ts'
import type { Count, Did, EpochMilliseconds, HttpsUrl, JsonObject, Uri, Uuid } from '../frame/wire.ts'
import type { TrustedContext, WarningOut } from './wire.ts'

/** Domain of the verifier: wallets show it, and put it into their proof. */
export type VerifierDomain = string

/** A name for people. */
export type DisplayName = string

/** Printable ASCII characters. */
export type Challenge = string

/**
 * What to request: a list of queries, or an object whose members are such queries by type, or text examples under any
 * name. Returned as it was sent.
 */
export type PresentationQuery = JsonObject | JsonObject[]

/** A presentation of any holder. One that breaks the data model does not verify. */
export type PresentationToVerify = JsonObject

export interface PresentationTemplateIn {
  domain: VerifierDomain
  name: DisplayName
  query: PresentationQuery
  /**
   * A presentation fails if it has a context that is neither bundled, nor registered, nor in this list; an empty list
   * allows only bundled and registered contexts. Without the list, `warnings` names such contexts.
   * @maxItems 100
   */
  trustedContexts?: TrustedContext[] | null
}

export interface PresentationTemplateUpdateIn extends PresentationTemplateIn {
  /** May repeat the id of the path. */
  id?: string | null
}

export interface PresentationTemplateOut {
  id: Uuid
  domain: string
  name: string
  /** As it was sent. */
  query: JsonObject | JsonObject[]
  trustedContexts?: TrustedContext[]
}

export interface PresentationTemplatePageOut {
  data: PresentationTemplateOut[]
  limit: Count
  total_count: Count
  total_pages: Count
}

/** Either the members of a template (domain, name, query), or templateId. */
export interface PresentationRequestIn {
  /** Id of a presentation template. */
  templateId?: Uuid
  domain?: VerifierDomain
  name?: DisplayName
  query?: PresentationQuery
  /**
   * As in a template.
   * @maxItems 100
   */
  trustedContexts?: TrustedContext[] | null
  /** Not used: accepted so that the members of a template can be sent with its id. */
  id?: string | null
  /** A challenge that no other request of the tenant has. Default: a random challenge. */
  challenge?: Challenge
  /**
   * The tenant's DID that signs the request. Default: the tenant's default issuer; without a default issuer, its only
   * DID with an Ed25519 key.
   */
  did?: Did
  /** Where the wallet sends its presentation (reply_url): https. */
  callbackUrl?: HttpsUrl
  /** When the request ends, within 30 days. Default: an hour from now. */
  expiresTime?: EpochMilliseconds
}

export interface RequestMessageOut {
  id: Uuid
  type: Uri
  from: Did
  created_time: EpochMilliseconds
  expires_time: EpochMilliseconds
  reply_url?: Uri
  reply_to: Did[]
  body: JsonObject
}

export interface PresentationRequestOut {
  id: Uuid
  domain: string
  name: string
  /** As it was sent, or as in the template. */
  query: JsonObject | JsonObject[]
  trustedContexts?: TrustedContext[]
  challenge: string
  templateId?: Uuid
  callbackUrl?: Uri
  /** When the request ends. */
  expiresTime: EpochMilliseconds
  state: 'open' | 'used' | 'expired'
  /** The message for a wallet. It and the members below are absent when the tenant has no DID that can sign. */
  request?: RequestMessageOut
  /** The message as a compact JWS, signed by the DID. */
  jws?: string
  /** Public address of the JWS. */
  requestUri?: Uri
  /** Opens a wallet on the same device: didcomm://?request= and the JWS. */
  didcommUri?: Uri
  /** requestUri as a QR code: data: URL of a PNG. */
  qrCode?: Uri
}

export interface VerifyPresentationIn {
  /** The holder's presentation, with proof, of data model 1.1 or 2.0; or as EnvelopedVerifiablePresentation. */
  presentation: PresentationToVerify
  /**
   * The expected challenge. When absent, the proof's challenge is accepted unchecked: see `warnings`, and the setting
   * requireChallenge. For the challenge of a presentation request its query is checked too, and it can be used once.
   */
  challenge?: string | null
  /**
   * The expected domain. When absent, the proof's domain is accepted unchecked: see `warnings`, and the setting
   * requireDomain.
   */
  domain?: string | null
  /** A presentation template whose query, domain and trustedContexts are checked. */
  templateId?: Uuid | null
  /**
   * The verification fails if the presentation or a credential in it has a context that is neither bundled, nor
   * registered, nor in this list.
   * @maxItems 100
   */
  trustedContexts?: TrustedContext[] | null
  /**
   * DIDs whose credentials are accepted; an empty list accepts none. Default: any issuer.
   * @maxItems 1000
   */
  trustedIssuers?: string[] | null
}

export interface CheckOut {
  check: CheckName
  /** JSON pointer into the presentation, or the place in the query. */
  path?: string
  outcome: 'passed' | 'failed' | 'skipped'
  /** What the check found, for people. */
  evidence: string
  /** Of a passed credentialTrust: where the list has the issuer. */
  trust?: ListedIssuerOut
}

export interface VerifyPresentationOut {
  verified: boolean
  /** The first check that failed, its path and its evidence; empty when verified. */
  reason: string
  checks: CheckOut[]
  /**
   * What the verification does not cover: a challenge or domain without an expected value, contexts that are neither
   * bundled nor registered, related resources that were not fetched, queries without contexts.
   */
  warnings: WarningOut[]
}

export const queryToWire = (query: object): JsonObject | JsonObject[] => query as JsonObject | JsonObject[]

export function requestToWire(record: PresentationRequestRecord): PresentationRequestOut {
  const { id, domain, name, query, trustedContexts, challenge, templateId, callbackUrl, expiresAt, state, signed } =
    record
  return {
    id,
    domain,
    name,
    query: queryToWire(query),
    ...(trustedContexts && { trustedContexts }),
    challenge,
    ...(templateId === null ? {} : { templateId }),
    ...(callbackUrl === null ? {} : { callbackUrl }),
    expiresTime: Date.parse(expiresAt),
    state,
    ...(signed && {
      request: { ...signed.message, body: { ...signed.message.body } },
      jws: signed.jws,
      requestUri: signed.requestUri,
      didcommUri: signed.didcommUri,
      qrCode: signed.qrCode,
    }),
  }
}

/** For the API document. */
export const TEMPLATE_EXAMPLE: PresentationTemplateOut = {
  id: '7b1c5f6e-52a1-4d0e-9c2b-0c6f2a4f9d11',
  domain: 'verifier.example',
  name: 'Proof of a course',
  query: [
    {
      type: 'QueryByExample',
      credentialQuery: [
        {
          required: true,
          reason: 'To open the next course',
          example: {
            '@context': ['https://www.w3.org/ns/credentials/v2'],
            type: 'VerifiableCredential',
            trustedIssuer: [{ required: true, issuer: 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK' }],
          },
        },
      ],
    },
  ],
}
