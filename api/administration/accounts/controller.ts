import {
  Body,
  Controller,
  Delete,
  Example,
  Get,
  OperationId,
  Path,
  Post,
  Put,
  Queries,
  Request,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime'
import type { Platform } from '../../../activities/index.ts'
import type { Called } from '../../frame/authentication.ts'
import { type PageQuery, snakeTotals, toPage } from '../../frame/pagination.ts'
import type { Uuid } from '../../frame/wire.ts'
import {
  ACCOUNT,
  type AccountNamesIn,
  type AccountOut,
  type AccountSessionPageOut,
  AUTHENTICATOR,
  type AuthenticatorCodeIn,
  type AuthenticatorOut,
  accountToWire,
  type InvitationTokenIn,
  MEMBERSHIP,
  type MembershipOut,
  namesIn,
  type OwnPasswordIn,
  type PasswordChangeIn,
  RECOVERY_CODES,
  type RecoveryCodesOut,
  sessionToWire,
} from './wire.ts'

@Route('v1/account')
@Tags('Accounts')
export class AccountController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the account of the person who has logged in, with their organizations and the tenants of these.
   * @summary Read one's own account
   */
  @Get()
  @OperationId('getOwnAccount')
  @Security('bearerAuth', ['accounts:read'])
  @Example<AccountOut>(ACCOUNT)
  async read(@Request() called: Called): Promise<AccountOut> {
    return accountToWire(await this.platform.accounts.ownAccounts.readOwn(called.user))
  }

  /**
   * Changes the names of the person who has logged in.
   * @summary Update one's own account
   */
  @Put()
  @OperationId('updateOwnAccount')
  @Security('bearerAuth', ['accounts:write'])
  @Example<AccountOut>(ACCOUNT)
  async update(@Request() called: Called, @Body() body: AccountNamesIn): Promise<AccountOut> {
    await this.platform.accounts.ownAccounts.updateOwn(called.user, namesIn(body))
    return accountToWire(await this.platform.accounts.ownAccounts.readOwn(called.user))
  }

  /**
   * Returns the sessions of the person who has logged in, newest first.
   * @summary List one's own sessions
   */
  @Get('sessions')
  @OperationId('listOwnSessions')
  @Security('bearerAuth', ['accounts:read'])
  async listSessions(@Request() called: Called, @Queries() query: PageQuery): Promise<AccountSessionPageOut> {
    const page = toPage(query.limit, query.page)
    const { sessions, total } = await this.platform.accounts.sessions.listSessions(called.user, page)
    return { data: sessions.map(sessionToWire), ...snakeTotals(total, page.limit) }
  }

  /**
   * Ends a session: it is not refreshed any more, and its access token ends within 5 seconds.
   * @summary End one of one's own sessions
   */
  @Delete('sessions/{id}')
  @OperationId('endOwnSession')
  @Security('bearerAuth', ['accounts:write'])
  @SuccessResponse(204)
  async endSession(@Request() called: Called, @Path() id: Uuid): Promise<void> {
    await this.platform.accounts.sessions.endSession(called.user, id)
  }

  /**
   * Sets another password, and ends all other sessions of the account. The owner gets a mail.
   * @summary Change one's own password
   */
  @Post('password')
  @OperationId('changePassword')
  @Security('bearerAuth', ['accounts:write'])
  @SuccessResponse(204)
  async changePassword(@Request() called: Called, @Body() body: PasswordChangeIn): Promise<void> {
    const { password, new_password: newPassword } = body
    await this.platform.accounts.passwordChanges.changePassword(called.user, { password, newPassword })
  }

  /**
   * Makes the secret of an authenticator (TOTP, RFC 6238). It counts once confirmAuthenticator had a code of it.
   * @summary Enrol an authenticator
   */
  @Post('totp')
  @OperationId('enrolAuthenticator')
  @Security('bearerAuth', ['accounts:write'])
  @SuccessResponse(200)
  @Example<AuthenticatorOut>(AUTHENTICATOR)
  async enrol(@Request() called: Called, @Body() body: OwnPasswordIn): Promise<AuthenticatorOut> {
    return this.platform.accounts.codes.enrol(called.user, body.password)
  }

  /**
   * Confirms the authenticator with a code of it: from here on a login needs one. The answer has recovery codes, which are
   * shown this once; each stands for one code of the authenticator.
   * @summary Confirm an authenticator
   */
  @Post('totp/confirm')
  @OperationId('confirmAuthenticator')
  @Security('bearerAuth', ['accounts:write'])
  @SuccessResponse(200)
  @Example<RecoveryCodesOut>(RECOVERY_CODES)
  async confirm(@Request() called: Called, @Body() body: AuthenticatorCodeIn): Promise<RecoveryCodesOut> {
    return { recovery_codes: await this.platform.accounts.codes.confirm(called.user, body.totp) }
  }

  /**
   * Removes the authenticator with its recovery codes: a login needs no code any more.
   * @summary Remove an authenticator
   */
  @Post('totp/remove')
  @OperationId('removeAuthenticator')
  @Security('bearerAuth', ['accounts:write'])
  @SuccessResponse(204)
  async removeAuthenticator(@Request() called: Called, @Body() body: OwnPasswordIn): Promise<void> {
    await this.platform.accounts.codes.remove(called.user, body.password)
  }

  /**
   * Makes the person who has logged in a member of the organization that has invited their address.
   * @summary Accept an invitation
   */
  @Post('invitations')
  @OperationId('acceptInvitation')
  @Security('bearerAuth', ['accounts:write'])
  @SuccessResponse(200)
  @Example<MembershipOut>(MEMBERSHIP)
  async accept(@Request() called: Called, @Body() body: InvitationTokenIn): Promise<MembershipOut> {
    const { organizationId, role } = await this.platform.organizationInvitations.accept(called.user, body.token)
    return { organization_id: organizationId, role }
  }

  /**
   * Erases the account of the person who has logged in, with all that is known of them. Entries of the log
   * keep only the id of the account.
   * @summary Erase one's own account
   */
  @Post('erasure')
  @OperationId('eraseOwnAccount')
  @Security('bearerAuth', ['accounts:write'])
  @SuccessResponse(204)
  async erase(@Request() called: Called, @Body() body: OwnPasswordIn): Promise<void> {
    await this.platform.accounts.ownAccounts.erase(called.user, body.password)
  }
}
