import {
  Body,
  Controller,
  Delete,
  Example,
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
import type { Called } from '../../frame/authentication.ts'
import { type PageQuery, snakeTotals, toPage } from '../../frame/pagination.ts'
import type { Problem } from '../../frame/problem.ts'
import type { Uuid } from '../../frame/wire.ts'
import { organizationCall } from './controller.ts'
import { INVITATION, type InvitationIn, type InvitationOut, type InvitationPageOut, invitationToWire } from './wire.ts'

@Route('v1/organizations/{id}/invitations')
@Tags('Organizations')
export class InvitationsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Invites a person by a mail to their address. Whoever logs in with an account of that address, and opens the link within
   * 7 days, becomes a member. Administrators of the organization and operators may do this.
   * @summary Invite a member
   */
  @Post()
  @OperationId('inviteOrganizationMember')
  @Security('bearerAuth', ['accounts:write'])
  @SuccessResponse(201)
  @Example<InvitationOut>(INVITATION)
  @Response<Problem>(409, 'too many invitations')
  async invite(
    @Request() called: Called & HttpRequest,
    @Path() id: Uuid,
    @Body() body: InvitationIn,
  ): Promise<InvitationOut> {
    const invitation = await this.platform.organizationInvitations.invite(organizationCall(called, 'write'), id, body)
    this.setStatus(201)
    return invitationToWire(invitation)
  }

  /**
   * Returns the invitations that can still be accepted, newest first. Administrators of the organization and operators see
   * them.
   * @summary List invitations
   */
  @Get()
  @OperationId('listOrganizationInvitations')
  @Security('bearerAuth', ['accounts:read'])
  async list(
    @Request() called: Called & HttpRequest,
    @Path() id: Uuid,
    @Queries() query: PageQuery,
  ): Promise<InvitationPageOut> {
    const page = toPage(query.limit, query.page)
    const call = organizationCall(called, 'read')
    const { invitations, total } = await this.platform.organizationInvitations.listInvitations(call, id, page)
    return { data: invitations.map(invitationToWire), ...snakeTotals(total, page.limit) }
  }

  /**
   * Withdraws an invitation that was not accepted: the link in its mail opens nothing any more.
   * @summary Withdraw an invitation
   */
  @Delete('{invitationId}')
  @OperationId('withdrawOrganizationInvitation')
  @Security('bearerAuth', ['accounts:write'])
  @SuccessResponse(204)
  async withdraw(@Request() called: Called & HttpRequest, @Path() id: Uuid, @Path() invitationId: Uuid): Promise<void> {
    await this.platform.organizationInvitations.withdraw(organizationCall(called, 'write'), id, invitationId)
  }
}
