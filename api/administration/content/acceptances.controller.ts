import { Controller, Get, OperationId, Path, Queries, Request, Response, Route, Security, Tags } from '@tsoa/runtime'
import type { Request as HttpRequest } from 'express'
import type { AcceptorRecord } from '../../../activities/administration/content/acceptances.ts'
import type { Platform } from '../../../activities/index.ts'
import type { Called } from '../../frame/authentication.ts'
import { type PageQuery, snakeTotals, toPage } from '../../frame/pagination.ts'
import type { Problem } from '../../frame/problem.ts'
import type { Uuid } from '../../frame/wire.ts'
import { organizationCall } from '../organizations/controller.ts'
import { type AcceptorOut, type AcceptorPageOut, acceptanceToWire } from './legal.wire.ts'

interface AcceptorQuery extends PageQuery {
  /** Slug of a policy: returns only its acceptances. */
  policy?: string
}

const toWire = ({ email, ...acceptance }: AcceptorRecord): AcceptorOut => ({ ...acceptanceToWire(acceptance), email })

@Route('v1/legal/acceptances')
@Tags('Content')
export class AcceptancesController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns who accepted which version of which legal policy, newest first. For operators.
   * @summary List acceptances of legal policies
   */
  @Get()
  @OperationId('listLegalAcceptances')
  @Security('bearerAuth', ['platform:read'])
  @Response<Problem>(404, 'there is no such policy')
  async list(@Queries() query: AcceptorQuery): Promise<AcceptorPageOut> {
    const page = toPage(query.limit, query.page)
    const { acceptances, total } = await this.platform.legalAcceptances.listAll(query.policy, page)
    return { data: acceptances.map(toWire), ...snakeTotals(total, page.limit) }
  }
}

@Route('v1/organizations/{id}/legal-acceptances')
@Tags('Organizations')
export class MembersAcceptancesController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns which members of an organization accepted which version of which legal policy, newest first. For its
   * administrators, and for operators.
   * @summary List acceptances of the members of an organization
   */
  @Get()
  @OperationId('listOrganizationLegalAcceptances')
  @Security('bearerAuth', ['accounts:read'])
  @Response<Problem>(404, 'there is no such organization, or no such policy')
  async list(
    @Request() called: Called & HttpRequest,
    @Path() id: Uuid,
    @Queries() query: AcceptorQuery,
  ): Promise<AcceptorPageOut> {
    const page = toPage(query.limit, query.page)
    const { acceptances, total } = await this.platform.legalAcceptances.listOfMembers(
      organizationCall(called, 'read'),
      id,
      query.policy,
      page,
    )
    return { data: acceptances.map(toWire), ...snakeTotals(total, page.limit) }
  }
}
