import {
  Body,
  Controller,
  Example,
  OperationId,
  Post,
  Request,
  Response,
  Route,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime'
import type { Request as HttpRequest } from 'express'
import type { Platform } from '../../../activities/index.ts'
import type { Problem } from '../../frame/problem.ts'
import {
  asStranger,
  assertSameSite,
  browserOf,
  dropRefreshToken,
  keepMark,
  keepRefreshToken,
  responseOf,
} from './browser.ts'
import {
  type LoginIn,
  type NewPasswordIn,
  namesIn,
  openedToWire,
  PASSWORD_RESET,
  type PasswordResetIn,
  type PasswordResetOut,
  REGISTRATION,
  type RefreshIn,
  type RegistrationIn,
  type RegistrationOut,
  registeredToWire,
  resetToWire,
  SESSION_TOKEN,
  type SessionTokenOut,
  VERIFICATION,
  type VerificationIn,
  type VerificationOut,
} from './wire.ts'

@Route('v1/auth')
@Tags('Accounts')
export class AuthController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Registers a person. The answer is the same whether the address has an account or not; what to do next stands in a
   * mail to it. The account begins when its address is confirmed (verifyEmail).
   * @summary Register a new user
   */
  @Post('register')
  @OperationId('registerUser')
  @SuccessResponse(201)
  @Example<RegistrationOut>(REGISTRATION)
  @Response<Problem>(429, 'too many registrations from this address')
  async register(@Request() request: HttpRequest, @Body() body: RegistrationIn): Promise<RegistrationOut> {
    const call = await asStranger(request, this.platform)
    const { email, password } = body
    await this.platform.accounts.registration.registerUser(call, { email, password, ...namesIn(body) })
    this.setStatus(201)
    return registeredToWire()
  }

  /**
   * Confirms an e-mail address with the token of the mail and the password of the registration: the account begins. The
   * password says that the registration is one's own. A token is good once, for 24 hours.
   * @summary Confirm an e-mail address
   */
  @Post('verify-email')
  @OperationId('verifyEmail')
  @SuccessResponse(200)
  @Example<VerificationOut>(VERIFICATION)
  async verifyEmail(@Request() request: HttpRequest, @Body() body: VerificationIn): Promise<VerificationOut> {
    const call = await asStranger(request, this.platform)
    const { accountId, mark } = await this.platform.accounts.registration.verifyEmail(call, body)
    keepMark(responseOf(request), this.platform.accounts.site, mark)
    return { account_id: accountId }
  }

  /**
   * Sends a link by which a new password is set, where the address has an account. The answer is the same either way.
   * @summary Ask to reset a password
   */
  @Post('password-reset')
  @OperationId('requestPasswordReset')
  @SuccessResponse(202)
  @Example<PasswordResetOut>(PASSWORD_RESET)
  @Response<Problem>(429, 'too many requests from this address')
  async requestPasswordReset(
    @Request() request: HttpRequest,
    @Body() body: PasswordResetIn,
  ): Promise<PasswordResetOut> {
    const call = await asStranger(request, this.platform)
    await this.platform.accounts.passwordChanges.requestReset(call, body.email)
    this.setStatus(202)
    return resetToWire()
  }

  /**
   * Sets a new password with the token of the mail, and ends all sessions of the account. A token is good once, for an
   * hour.
   * @summary Set a new password
   */
  @Post('password-reset/confirm')
  @OperationId('resetPassword')
  @SuccessResponse(204)
  async resetPassword(@Request() request: HttpRequest, @Body() body: NewPasswordIn): Promise<void> {
    const call = await asStranger(request, this.platform)
    const mark = await this.platform.accounts.passwordChanges.confirmReset(call, body)
    keepMark(responseOf(request), this.platform.accounts.site, mark)
  }

  /**
   * Logs a person in. The access token lives 10 minutes; a cookie, which no script can read, has the refresh token. An
   * unknown address, a wrong password and an address that was not confirmed have one answer.
   * @summary Login a user
   */
  @Post('login')
  @OperationId('loginUser')
  @SuccessResponse(200)
  @Example<SessionTokenOut>(SESSION_TOKEN)
  @Response<Problem>(401, 'wrong address or password')
  @Response<Problem>(403, 'a tenant of somebody else')
  @Response<Problem>(429, 'too many failed attempts')
  async login(@Request() request: HttpRequest, @Body() body: LoginIn): Promise<SessionTokenOut> {
    const call = await asStranger(request, this.platform)
    const { site } = this.platform.accounts
    const response = responseOf(request)
    const known = (clientId: string) => Object.assign(response.locals, { clientId })
    const opened = await this.platform.accounts.login.login(call, body, browserOf(request, site), known)
    keepRefreshToken(response, site, opened)
    keepMark(response, site, opened.mark)
    return openedToWire(opened)
  }

  /**
   * Returns a new access token for the refresh token in the cookie, and a new cookie: a refresh token is good once, and
   * one that comes a second time ends the session. Send the header X-Requested-With.
   * @summary Refresh a session, or switch its tenant
   */
  @Post('refresh')
  @OperationId('refreshSession')
  @SuccessResponse(200)
  @Example<SessionTokenOut>(SESSION_TOKEN)
  @Response<Problem>(401, 'the session has ended')
  @Response<Problem>(403, 'a page of another site, or a tenant of somebody else')
  @Response<Problem>(409, 'another request refreshed the session at the same time')
  async refresh(@Request() request: HttpRequest, @Body() body: RefreshIn): Promise<SessionTokenOut> {
    await asStranger(request, this.platform)
    const { site } = this.platform.accounts
    const response = responseOf(request)
    assertSameSite(request, site)
    const { refreshToken } = browserOf(request, site)
    const opened = await this.platform.accounts.sessions.refresh(refreshToken, body.tenantId)
    Object.assign(response.locals, { clientId: opened.accountId })
    keepRefreshToken(response, site, opened)
    return openedToWire(opened)
  }

  /**
   * Ends the session of the cookie. Its access token ends within 5 seconds. Send the header X-Requested-With.
   * @summary Log out
   */
  @Post('logout')
  @OperationId('logoutUser')
  @SuccessResponse(204)
  @Response<Problem>(403, 'a page of another site')
  async logout(@Request() request: HttpRequest): Promise<void> {
    await asStranger(request, this.platform)
    const { site } = this.platform.accounts
    const response = responseOf(request)
    assertSameSite(request, site)
    const accountId = await this.platform.accounts.sessions.logout(browserOf(request, site).refreshToken)
    Object.assign(response.locals, { clientId: accountId ?? null })
    dropRefreshToken(response, site)
  }
}
