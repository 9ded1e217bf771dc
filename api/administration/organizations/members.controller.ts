import {
  Body,
  Controller,
  Delete,
  Example,
  Get,
  OperationId,
  Path,
  Put,
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
import type { Called } from '../../frame/authentication.ts'
import { type PageQuery, snakeTotals, toPage } from '../../frame/pagination.ts'
import type { Problem } from '../../frame/problem.ts'
import type { Uuid } from '../../frame/wire.ts'
import { organizationCall } from './controller.ts'
import { MEMBER_ROLE, type MemberIn, type MemberPageOut, type MemberRoleOut, memberToWire } from './wire.ts'

@Route('v1/organizations/{id}')
@Tags('Organizations')
export class MembersController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the members of an organization, in the order in which they joined.
   * @summary List members of an organization
   */
  @Get('members')
  @OperationId('listOrganizationMembers')
  @Security('bearerAuth', ['accounts:read'])
  async list(
    @Request() called: Called & HttpRequest,
    @Path() id: Uuid,
    @Queries() query: PageQuery,
  ): Promise<MemberPageOut> {
    const page = toPage(query.limit, query.page)
    const { members, total } = await this.platform.organizationMembers.listMembers(
      organizationCall(called, 'read'),
      id,
      page,
    )
    return { data: members.map(memberToWire), ...snakeTotals(total, page.limit) }
  }

  /**
   * Gives a member another role. What it takes away ends within 5 seconds; what it gives is in the next access token, within
   * 10 minutes.
   * @summary Change the role of a member
   */
  @Put('members/{accountId}')
  @OperationId('updateOrganizationMember')
  @Security('bearerAuth', ['accounts:write'])
  @Example<MemberRoleOut>(MEMBER_ROLE)
  @Response<Problem>(409, 'no administrator would be left')
  async update(
    @Request() called: Called & HttpRequest,
    @Path() id: Uuid,
    @Path() accountId: Uuid,
    @Body() body: MemberIn,
  ): Promise<MemberRoleOut> {
    const call = organizationCall(called, 'write')
    const role = await this.platform.organizationMembers.changeRole(call, id, accountId, body.role)
    return { account_id: accountId, role }
  }

  /**
   * Removes a member. Administrators remove everybody, and each member themselves.
   * @summary Remove a member
   */
  @Delete('members/{accountId}')
  @OperationId('removeOrganizationMember')
  @Security('bearerAuth', ['accounts:write'])
  @SuccessResponse(204)
  @Response<Problem>(409, 'no administrator would be left')
  async remove(@Request() called: Called & HttpRequest, @Path() id: Uuid, @Path() accountId: Uuid): Promise<void> {
    await this.platform.organizationMembers.remove(organizationCall(called, 'write'), id, accountId)
  }
}
