import {
  Body,
  Controller,
  Get,
  OperationId,
  Post,
  Produces,
  Queries,
  Request,
  Response,
  Route,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime'
import type { Request as HttpRequest } from 'express'
import type { Platform } from '../../../activities/index.ts'
import { parametersIn } from '../../../protocol/openid/oid4vci/authorization/requests.ts'
import type { Problem } from '../../frame/problem.ts'
import { walletCallOf } from '../wallets/calls.ts'
import { cookiesOf, forBrowser, redirect, sendForm } from './browser.ts'
import type { AuthorizationQuery, CallbackQuery, InteractionIn, PushedIn, PushedOut, ReturnQuery } from './wire.ts'

const queryOf = ({ originalUrl }: HttpRequest): URLSearchParams => new URLSearchParams(originalUrl.split(/\?(.*)/s)[1])

@Route('v1/oauth')
@Tags('OpenID')
export class AuthorizationController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /** The tenant of the host, which the log entry of the request is for, and the response for a browser. */
  private async browserOf(request: HttpRequest) {
    const response = forBrowser(request)
    const { tenantId, issuer } = await this.platform.openIdConfigurations.issuerAt(request.headers.host ?? '')
    response.locals.tenantId = tenantId
    return { response, call: { tenantId, issuer, requestId: String(response.locals.requestId) } }
  }

  /**
   * Sends a holder's browser, which comes from a wallet, to the authentication provider (RFC 6749, section 4.1.1; OpenID4VCI
   * 1.0, section 5). Public; the host name selects the tenant. Errors go to redirect_uri, once it is known to be the
   * wallet's.
   * @summary Ask for authorization
   */
  @Get('authorize')
  @OperationId('requestAutherization')
  @SuccessResponse(302)
  @Response<Problem>(404, 'no tenant has this host')
  async authorize(@Request() request: HttpRequest, @Queries() _query: AuthorizationQuery): Promise<void> {
    const { response, call } = await this.browserOf(request)
    redirect(request, response, await this.platform.logins.beginLogin(call, parametersIn(queryOf(request))))
  }

  /**
   * Keeps the parameters of an authorization request for 90 seconds (RFC 9126), and returns the request_uri to send in
   * their place. Public; the host name selects the tenant. Errors are those of OAuth 2.0.
   * @summary Push an authorization request
   */
  @Post('par')
  @OperationId('pushAuthorizationRequest')
  @SuccessResponse(201)
  @Response<Problem>(401, 'the wallet did not authenticate')
  @Response<Problem>(404, 'no tenant has this host')
  async push(@Request() request: HttpRequest, @Body() body: PushedIn): Promise<PushedOut> {
    const call = await walletCallOf(this.platform, request)
    const { requestUri, expiresIn } = await this.platform.logins.pushRequest(call, body)
    this.setStatus(201)
    return { request_uri: requestUri, expires_in: expiresIn }
  }

  /**
   * Takes a holder's browser back from the authentication provider, and sends it to the interaction hook, or to the wallet
   * with a code. Public; the host name selects the tenant.
   * @summary Come back from the authentication provider
   */
  @Get('authentication/callback')
  @OperationId('finishAuthentication')
  @Produces('text/html')
  @Response(302, 'to the wallet')
  @Response<Problem>(404, 'no tenant has this host')
  async callback(@Request() request: HttpRequest, @Queries() _query: CallbackQuery): Promise<string> {
    const { response, call } = await this.browserOf(request)
    const next = await this.platform.loginEnds.finishLogin(call, queryOf(request), cookiesOf(request))
    if ('form' in next) sendForm(request, response, next)
    else redirect(request, response, next)
    return ''
  }

  /**
   * Takes a holder's browser back from the interaction hook, with its answer. Public; the host name selects the tenant.
   * @summary Answer an interaction
   */
  @Post('interaction')
  @OperationId('receiveInteraction')
  @SuccessResponse(303)
  @Response<Problem>(404, 'no tenant has this host')
  async answer(@Request() request: HttpRequest, @Body() body: InteractionIn): Promise<void> {
    const { response, call } = await this.browserOf(request)
    redirect(request, response, await this.platform.loginEnds.receiveAnswer(call, body.session_token))
  }

  /**
   * Sends a holder's browser to the wallet with a code, after the interaction hook has answered. Public; the host name
   * selects the tenant.
   * @summary End an interaction
   */
  @Get('interaction')
  @OperationId('finishInteraction')
  @SuccessResponse(302)
  @Response<Problem>(404, 'no tenant has this host')
  async end(@Request() request: HttpRequest, @Queries() query: ReturnQuery): Promise<void> {
    const { response, call } = await this.browserOf(request)
    const { login } = query
    redirect(request, response, await this.platform.loginEnds.finishInteraction(call, login ?? '', cookiesOf(request)))
  }
}
