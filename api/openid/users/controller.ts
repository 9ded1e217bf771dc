import {
  Body,
  Controller,
  Delete,
  Get,
  OperationId,
  Path,
  Post,
  Queries,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime'
import type { Request as HttpRequest } from 'express'
import type { Platform } from '../../../activities/index.ts'
import { formatsOf } from '../../credentials/scopes.ts'
import type { Called } from '../../frame/authentication.ts'
import { camelTotals, type PageQuery, toPage } from '../../frame/pagination.ts'
import type { Problem } from '../../frame/problem.ts'
import type { Uuid } from '../../frame/wire.ts'
import { type UserDeletionQuery, type UserPageOut, type UserQuery, type UserSearchIn, userToWire } from './wire.ts'

@Route('v1/users')
@Tags('OpenID')
export class UsersController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the users that authentication providers identified, newest first.
   * @summary List users
   */
  @Get()
  @OperationId('retrieveListOfUsers')
  @Security('bearerAuth', ['openid:read'])
  @Response<Problem>(404, 'there is no such authentication provider')
  async list(@Request() called: Called, @Queries() query: UserQuery): Promise<UserPageOut> {
    const page = toPage(query.limit, query.page)
    const { users, total } = await this.platform.users.listUsers(called.user.tenantId, page, query.providerId)
    return { data: users.map(userToWire), ...camelTotals(total, page.limit) }
  }

  /**
   * Returns the users that have all the claims, newest first. Texts must match exactly, also in case.
   * @summary Search users
   */
  @Post('search')
  @OperationId('searchUsers')
  @Security('bearerAuth', ['openid:read'])
  @SuccessResponse(200)
  @Response<Problem>(404, 'no user matches, or there is no such authentication provider')
  async search(
    @Request() called: Called,
    @Body() body: UserSearchIn,
    @Queries() query: PageQuery,
  ): Promise<UserPageOut> {
    const { authenticationProvider, claims } = body
    const page = toPage(body.limit ?? query.limit, body.page ?? query.page)
    const search = {
      providerId: authenticationProvider.providerId?.toLowerCase(),
      subjectId: authenticationProvider.subjectId ?? undefined,
      claims,
    }
    const { users, total } = await this.platform.users.searchUsers(called.user.tenantId, search, page)
    return { data: users.map(userToWire), ...camelTotals(total, page.limit) }
  }

  /**
   * Deletes a user with their subject and claims, and ends the sessions of wallets that have them. Credentials that the user
   * was issued after a login stay as they are, or are revoked or suspended in the background: the header Location is then
   * where the progress is read, and the token needs the scopes to write their formats. The holder who logs in again becomes
   * another user.
   * @summary Delete a user
   */
  @Delete('{id}')
  @OperationId('deleteUser')
  @Security('bearerAuth', ['openid:write'])
  @SuccessResponse(204)
  @Response<Problem>(403, 'the token does not have the scope of a format')
  async remove(
    @Request() called: Called & HttpRequest,
    @Path() id: Uuid,
    @Queries() query: UserDeletionQuery,
  ): Promise<void> {
    const choice = { credentials: query.credentials ?? 'keep', writable: formatsOf(called, 'write') }
    const { revocationId } = await this.platform.userErasure.deleteUser(called.user, id, choice)
    if (revocationId) this.setHeader('Location', `/v1/credentials/web-semantic/revocations/${revocationId}`)
  }
}
