import { Body, Controller, OperationId, Post, Request, Response, Route, SuccessResponse, Tags } from '@tsoa/runtime'
import type { Request as HttpRequest } from 'express'
import type { Platform } from '../../../activities/index.ts'
import type { OpenedRequest } from '../../../activities/openid/sessions/encryption.ts'
import type { Delivery } from '../../../activities/openid/sessions/requests.ts'
import {
  type CredentialRequest,
  readCredentialRequest,
  readDeferredRequest,
  readNotification,
  readTokenRequest,
} from '../../../protocol/openid/oid4vci/requests.ts'
import type { Problem } from '../../frame/problem.ts'
import { sendJwt, sentBy, tokenOf, walletCallOf } from './calls.ts'
import {
  type ChallengeOut,
  type CredentialRequestIn,
  type CredentialResponseOut,
  type DeferredRequestIn,
  deliveryToWire,
  type NonceOut,
  tokenToWire,
  type WalletNotificationIn,
  type WalletTokenIn,
  type WalletTokenOut,
} from './wire.ts'

@Route('v1')
@Tags('OpenID')
export class WalletsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  private async sessionOf(request: HttpRequest) {
    const call = await walletCallOf(this.platform, request)
    const { walletClients, sessionTokens } = this.platform
    // for the challenge of the refusal
    if (request.res && request.headers.authorization === undefined)
      request.res.locals.requiresDpop = await walletClients.requiresDpop(call.tenantId)
    const session = await sessionTokens.sessionOf(call, tokenOf(request))
    request.noted = { objectIds: [session.id] }
    return { session, tenantId: call.tenantId, issuer: call.issuer, requestId: String(request.res?.locals.requestId) }
  }

  /** Answers as the wallet wants it: as JSON, or encrypted. */
  private async deliver(
    request: HttpRequest,
    delivery: Delivery,
    { encryption }: OpenedRequest,
    wanted?: CredentialRequest['wanted'],
  ): Promise<CredentialResponseOut> {
    const status = delivery.state === 'pending' ? 202 : 200
    const content = deliveryToWire(delivery, wanted)
    if (encryption) sendJwt(request, status, await this.platform.walletEncryption.sealResponse(content, encryption))
    else this.setStatus(status)
    return content
  }

  /**
   * Exchanges the code of an offer, or a refresh token, for an access token, for wallets. Public; the host name selects the tenant. Errors are
   * those of OAuth 2.0.
   * @summary Exchange a code
   */
  @Post('oauth/token')
  @OperationId('exchangeCredentials')
  @SuccessResponse(200)
  @Response<Problem>(401, 'the wallet did not authenticate')
  @Response<Problem>(404, 'no tenant has this host')
  async exchange(@Request() request: HttpRequest, @Body() body: WalletTokenIn): Promise<WalletTokenOut> {
    const call = await walletCallOf(this.platform, request)
    const asked = readTokenRequest(body)
    const client = await this.platform.walletClients.identify(call, body, 'token')
    const caller = { tenantId: call.tenantId, requestId: String(request.res?.locals.requestId) }
    const token = await this.platform.sessionTokens.exchangeCode(caller, asked, client)
    request.noted = { objectIds: [token.sessionId] }
    return tokenToWire(token, asked.casing)
  }

  /**
   * Returns a challenge for the proof of a wallet's attestation. Public; the host name selects the tenant.
   * @summary Get a challenge
   */
  @Post('oauth/challenge')
  @OperationId('getAttestationChallenge')
  @SuccessResponse(200)
  @Response<Problem>(404, 'no tenant has this host')
  async challenge(@Request() request: HttpRequest): Promise<ChallengeOut> {
    const { tenantId } = await walletCallOf(this.platform, request)
    return { attestation_challenge: this.platform.walletClients.newChallenge(tenantId) }
  }

  /**
   * Returns a nonce for the proofs of a credential request. Public; the host name selects the tenant.
   * @summary Get a nonce
   */
  @Post('openid/nonce')
  @OperationId('getCredentialNonce')
  @SuccessResponse(200)
  @Response<Problem>(404, 'no tenant has this host')
  async nonce(@Request() request: HttpRequest): Promise<NonceOut> {
    const { tenantId } = await walletCallOf(this.platform, request)
    return { c_nonce: this.platform.sessionSecrets.newNonce(tenantId, 'proof') }
  }

  /**
   * Issues the credentials that a wallet was offered, one for each key that it proves. The same request again returns the
   * same credentials. The access token is that of exchangeCredentials. An encrypted request (application/jwt) gets an
   * encrypted answer, where it asks for that.
   * @summary Issue a credential to a wallet
   */
  @Post('openid/credential')
  @OperationId('issuerVerifiableCredentials')
  @SuccessResponse(200)
  @Response<Problem>(401, 'the access token of the wallet is missing or not valid')
  @Response<Problem>(404, 'no tenant has this host')
  async credential(@Request() request: HttpRequest, @Body() body: CredentialRequestIn): Promise<CredentialResponseOut> {
    const { session, tenantId, ...context } = await this.sessionOf(request)
    const opened = await this.platform.walletEncryption.openRequest(tenantId, sentBy(request, body))
    const asked = readCredentialRequest(opened.body)
    const delivery = await this.platform.credentialRequests.requestCredential(session, asked, context)
    return this.deliver(request, delivery, opened, asked.wanted)
  }

  /**
   * Returns credentials that were not ready when the wallet asked for them; encrypted, where the request is and asks for
   * that.
   * @summary Get a deferred credential
   */
  @Post('openid/deferred-credential')
  @OperationId('getDeferredCredential')
  @SuccessResponse(200)
  @Response<Problem>(401, 'the access token of the wallet is missing or not valid')
  @Response<Problem>(404, 'no tenant has this host')
  async deferred(@Request() request: HttpRequest, @Body() body: DeferredRequestIn): Promise<CredentialResponseOut> {
    const { session, tenantId } = await this.sessionOf(request)
    const opened = await this.platform.walletEncryption.openRequest(tenantId, sentBy(request, body))
    const transactionId = readDeferredRequest(opened.body)
    return this.deliver(request, await this.platform.credentialRequests.requestDeferred(session, transactionId), opened)
  }

  /**
   * Takes what a wallet says became of the credentials. The same notification again changes nothing.
   * @summary Notify the issuer
   */
  @Post('openid/notification')
  @OperationId('notifyCredentialIssuer')
  @SuccessResponse(204)
  @Response<Problem>(401, 'the access token of the wallet is missing or not valid')
  @Response<Problem>(404, 'no tenant has this host')
  async notify(@Request() request: HttpRequest, @Body() body: WalletNotificationIn): Promise<void> {
    const { session } = await this.sessionOf(request)
    await this.platform.walletNotifications.notify(session, readNotification(body))
  }
}
