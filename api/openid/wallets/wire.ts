import type { IssuedToken } from '../../../activities/openid/sessions/authorize.ts'
import type { Delivery } from '../../../activities/openid/sessions/requests.ts'
import type { Json } from '../../../protocol/json.ts'
import type { Casing, CredentialRequest } from '../../../protocol/openid/oid4vci/requests.ts'
import type { JsonObject } from '../../frame/wire.ts'

/**
 * A token request, as a form or as JSON, in the standard's casing or in that of this API, which the response then has as
 * well. Members that are not known are ignored (RFC 6749, section 3.2).
 */
export type WalletTokenIn = JsonObject

/** An access token, in the casing of the request. */
export type WalletTokenOut = JsonObject

/** A credential request of OpenID4VCI 1.0, section 8.2, or one by format and types. */
export type CredentialRequestIn = JsonObject

/** `credentials` and `notification_id`; to a request by format: `credential` and `format`; 202: `transaction_id`. */
export type CredentialResponseOut = JsonObject

export type DeferredRequestIn = JsonObject

export type WalletNotificationIn = JsonObject

export interface ChallengeOut {
  /** For the proof of one request, within 5 minutes. */
  attestation_challenge: string
}

export interface NonceOut {
  /** For the proofs of one credential request, within 5 minutes. */
  c_nonce: string
}

/** The issuer's metadata (OpenID4VCI 1.0, section 12.2.4). */
export type IssuerMetadataOut = JsonObject

/** The authorization server's metadata (RFC 8414). */
export type ServerMetadataOut = JsonObject

export interface SpecifiedMetadataOut {
  issuer: string
  credentialIssuer: string
  authorizationEndpoint: string
  tokenEndpoint: string
  credentialEndpoint: string
  mdocIacasUri: string
  scopesSupported: string[]
  responseTypesSupported: string[]
  responseModesSupported: string[]
  grantTypesSupported: string[]
  codeChallengeMethodsSupported: string[]
  credentialsSupported: JsonObject[]
}

export function tokenToWire(token: IssuedToken, casing: Casing): WalletTokenOut {
  const { accessToken, expiresIn, tokenType, scope, authorizationDetails: details, refreshToken } = token
  if (casing === 'camel')
    return {
      ...{ accessToken, expiresIn, scope: scope ?? '', tokenType },
      ...(details && { authorizationDetails: details }),
      ...(refreshToken !== undefined && { refreshToken }),
    }
  return {
    access_token: accessToken,
    expires_in: expiresIn,
    token_type: tokenType,
    ...(scope !== undefined && { scope }),
    ...(details && { authorization_details: details }),
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
  }
}

/** Seconds after which a wallet asks again. */
const INTERVAL_SECONDS = 5

export function deliveryToWire(delivery: Delivery, wanted?: CredentialRequest['wanted']): CredentialResponseOut {
  if (delivery.state === 'pending') return { transaction_id: delivery.transactionId, interval: INTERVAL_SECONDS }
  const { credentials, notificationId } = delivery
  if (wanted?.by === 'format' && credentials.length === 1)
    return { credential: credentials[0], format: wanted.format, notification_id: notificationId } as Json
  return { credentials: credentials.map((credential) => ({ credential })), notification_id: notificationId }
}
