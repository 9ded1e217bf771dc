import type { PresentationRequestRecord } from '../../activities/semantic-credentials/presentations/requests.ts'
import type { JsonObject, Uuid } from '../frame/wire.ts'
import type { TrustedContext, WarningOut } from './wire.ts'

export interface PresentationTemplateIn {
  /** Domain of the verifier: wallets show it, and put it into their proof. */
  domain: string
  name: string
  /**
   * What to request: a list of {type, credentialQuery} with type QueryByExample, QueryByFrame or DIDAuth; or an object
   * whose members are such queries by type, or text examples under any name. Returned as it was sent.
   */
  query: JsonObject | JsonObject[]
  /**
   * A presentation fails with every context that is neither bundled, nor registered, nor in this list; an empty list
   * trusts no other. Without the list, `warnings` names such contexts. Not in the specification.
   * @maxItems 100
   */
  trustedContexts?: TrustedContext[] | null
}

export interface PresentationTemplateUpdateIn extends PresentationTemplateIn {
  /** May repeat the id of the path. */
  id?: string | null
}

export interface PresentationTemplateOut {
  id: string
  domain: string
  name: string
  query: JsonObject | JsonObject[]
  trustedContexts?: TrustedContext[]
}

export interface PresentationTemplatePageOut {
  data: PresentationTemplateOut[]
  limit: number
  total_count: number
  total_pages: number
}

/** Either the members of a template (domain, name, query), or templateId. */
export interface PresentationRequestIn {
  /** Id of a presentation template. */
  templateId?: Uuid
  domain?: string
  name?: string
  /** As in a template. */
  query?: JsonObject | JsonObject[]
  /**
   * As in a template.
   * @maxItems 100
   */
  trustedContexts?: TrustedContext[] | null
  /** Not used: accepted so that the members of a template can be sent with its id. */
  id?: string | null
  /** 8 to 255 printable ASCII characters, never used before. Default: a random challenge. */
  challenge?: string
  /**
   * The tenant's DID that signs the request. Default: its default issuer, or without one its only DID with an Ed25519
   * key.
   */
  did?: string
  /** Where the wallet sends its presentation (reply_url): https. */
  callbackUrl?: string
  /**
   * Milliseconds since 1970, within 30 days. Default: an hour from now.
   * @isInt expiresTime must be a whole number
   */
  expiresTime?: number
}

export interface RequestMessageOut {
  id: string
  type: string
  from: string
  created_time: number
  expires_time: number
  reply_url?: string
  reply_to: string[]
  body: JsonObject
}

export interface PresentationRequestOut {
  id: string
  domain: string
  name: string
  query: JsonObject | JsonObject[]
  trustedContexts?: TrustedContext[]
  challenge: string
  templateId?: string
  callbackUrl?: string
  /** Milliseconds since 1970. */
  expiresTime: number
  /** open, used or expired. */
  state: string
  /** The message for a wallet. It and the members below are absent when the tenant has no DID that can sign. */
  request?: RequestMessageOut
  /** The message as a compact JWS, signed by the DID. */
  jws?: string
  /** Public address of the JWS. */
  requestUri?: string
  /** Opens a wallet on the same device: didcomm://?request= and the JWS. */
  didcommUri?: string
  /** requestUri as a QR code: data: URL of a PNG. */
  qrCode?: string
}

export interface VerifyPresentationIn {
  /** The holder's presentation, with proof; data model 1.1 or 2.0. */
  presentation: JsonObject
  /**
   * The expected challenge. When absent, the proof's challenge is accepted unchecked: see `warnings`, and the setting
   * requireChallenge. For the challenge of a presentation request its query is checked too, and it can be used once.
   */
  challenge?: string | null
  /**
   * The expected domain. When absent, the proof's is accepted unchecked: see `warnings`, and the setting requireDomain.
   */
  domain?: string | null
  /** A presentation template whose query, domain and trustedContexts are checked. Not in the specification. */
  templateId?: Uuid | null
  /**
   * The verification fails with every context of the presentation and its credentials that is neither bundled, nor
   * registered, nor in this list. Not in the specification.
   * @maxItems 100
   */
  trustedContexts?: TrustedContext[] | null
}

export interface CheckOut {
  /** form, challenge, domain, request, holderProof, holder, credentialForm … credentialStatus, holderBinding, query. */
  check: string
  /** JSON pointer into the presentation, or the place in the query. */
  path?: string
  outcome: 'passed' | 'failed' | 'skipped'
  /** What the check found, for people. */
  evidence: string
}

export interface VerifyPresentationOut {
  verified: boolean
  /** The first check that failed, its path and its evidence; empty when verified. */
  reason: string
  checks: CheckOut[]
  /**
   * What the verification does not cover: a challenge or domain without an expected value, contexts that are neither
   * bundled nor registered, related resources that were not fetched, queries without contexts. Not in the
   * specification.
   */
  warnings: WarningOut[]
}

type Query = JsonObject | JsonObject[]

export const queryToWire = (query: object): Query => query as Query

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
