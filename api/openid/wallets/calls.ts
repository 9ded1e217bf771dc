import type { Request as HttpRequest } from 'express'
import type { Platform } from '../../../activities/index.ts'
import type { WalletCall } from '../../../activities/openid/authorization/clients.ts'
import type { SentRequest } from '../../../activities/openid/sessions/encryption.ts'
import type { PresentedToken } from '../../../activities/openid/sessions/tokens.ts'
import type { Json } from '../../../protocol/json.ts'
import { readAttestation } from '../../../protocol/openid/oid4vci/attestations/wallets.ts'

/** Sends an answer as a JWT (OpenID4VCI 1.0, section 10); it has no charset. */
export function sendJwt({ res }: HttpRequest, status: number, jwt: string): void {
  res?.status(status).setHeader('Content-Type', 'application/jwt')
  res?.send(Buffer.from(jwt))
}

/** The body of a request that may be encrypted. */
export const sentBy = ({ sentJwt }: HttpRequest, body: Json): SentRequest =>
  sentJwt === undefined ? { body } : { jwe: sentJwt }

/** Of the next proof of an attestation (draft-ietf-oauth-attestation-based-client-auth-11, section 6.2). */
const CHALLENGE = 'OAuth-Client-Attestation-Challenge'

const TOKEN = /^(Bearer|DPoP) +([A-Za-z0-9._~+/=-]{1,500})$/i

/** The access token of a request, with its scheme. */
export function tokenOf({ headers }: HttpRequest): PresentedToken | undefined {
  const [, scheme = '', token] = TOKEN.exec(headers.authorization ?? '') ?? []
  return token === undefined ? undefined : { scheme: scheme.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer', token }
}

/**
 * The tenant of the host, which the log entry of the request is for, and what the wallet sent besides its body. A wallet
 * that proves a key gets the nonce of its next proof (RFC 9449, section 8.2), and one with an attestation the next challenge.
 */
export async function walletCallOf(
  { openIdConfigurations, walletClients }: Pick<Platform, 'openIdConfigurations' | 'walletClients'>,
  request: HttpRequest,
): Promise<WalletCall> {
  const { headers, path, res } = request
  const { tenantId, issuer } = await openIdConfigurations.issuerAt(headers.host ?? '')
  const { dpop } = headers
  const attestation = readAttestation(headers['oauth-client-attestation'], headers['oauth-client-attestation-pop'])
  if (res) {
    res.locals.tenantId = tenantId
    if (dpop !== undefined) res.set('DPoP-Nonce', walletClients.newDpopNonce(tenantId))
    if (attestation !== undefined) res.set(CHALLENGE, walletClients.newChallenge(tenantId))
  }
  return { tenantId, issuer, url: `${issuer}${path}`, dpop: typeof dpop === 'string' ? dpop : undefined, attestation }
}
