import {
  Body,
  Controller,
  Example,
  Get,
  OperationId,
  Path,
  Post,
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
import type { OrganizationCall } from '../../../activities/administration/organizations/lifecycle.ts'
import type { Platform } from '../../../activities/index.ts'
import { readOrganization } from '../../../protocol/administration/organizations/details.ts'
import type { Called } from '../../frame/authentication.ts'
import { type PageQuery, snakeTotals, toPage } from '../../frame/pagination.ts'
import type { Problem } from '../../frame/problem.ts'
import type { Uuid } from '../../frame/wire.ts'
import {
  ORGANIZATION,
  ORGANIZATION_NAMES,
  type OrganizationIn,
  type OrganizationOut,
  type OrganizationPageOut,
  organizationIn,
  organizationToWire,
} from './wire.ts'

/** What operators may do with organizations that are not theirs follows from their scope. */
export const organizationCall = (
  called: Called & Pick<HttpRequest, 'caller'>,
  access: 'read' | 'write',
): OrganizationCall => ({
  ...called.user,
  isOperator: called.caller?.scopes.includes(`platform:${access}`) ?? false,
})

@Route('v1/organizations')
@Tags('Organizations')
export class OrganizationsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the organizations of the person who has logged in, newest first; all of them for an operator.
   * @summary List organizations
   */
  @Get()
  @OperationId('getOrganizations')
  @Security('bearerAuth', ['accounts:read'])
  async list(@Request() called: Called & HttpRequest, @Queries() query: PageQuery): Promise<OrganizationPageOut> {
    const page = toPage(query.limit, query.page)
    const call = organizationCall(called, 'read')
    const { organizations, total } = await this.platform.organizations.listOrganizations(call, page)
    return { data: organizations.map(organizationToWire), ...snakeTotals(total, page.limit) }
  }

  /**
   * Creates an organization. The person who creates it becomes its administrator.
   * @summary Create an organization
   */
  @Post()
  @OperationId('createOrganization')
  @Security('bearerAuth', ['accounts:write'])
  @SuccessResponse(201)
  @Example<OrganizationOut>(ORGANIZATION)
  @Response<Problem>(409, 'the account has too many organizations already')
  async create(@Request() called: Called & HttpRequest, @Body() body: OrganizationIn): Promise<OrganizationOut> {
    const details = readOrganization(organizationIn(body), ORGANIZATION_NAMES)
    const created = await this.platform.organizations.createOrganization(organizationCall(called, 'write'), details)
    this.setStatus(201)
    this.setHeader('Location', `/v1/organizations/${created.id}`)
    return organizationToWire(created)
  }

  /**
   * Returns an organization.
   * @summary Read an organization
   */
  @Get('{id}')
  @OperationId('getOrganization')
  @Security('bearerAuth', ['accounts:read'])
  @Example<OrganizationOut>(ORGANIZATION)
  async read(@Request() called: Called & HttpRequest, @Path() id: Uuid): Promise<OrganizationOut> {
    return organizationToWire(await this.platform.organizations.readOrganization(organizationCall(called, 'read'), id))
  }

  /**
   * Replaces what is known of an organization. Its administrators and operators may do this.
   * @summary Update an organization
   */
  @Put('{id}')
  @OperationId('updateOrganization')
  @Security('bearerAuth', ['accounts:write'])
  @Example<OrganizationOut>(ORGANIZATION)
  async update(
    @Request() called: Called & HttpRequest,
    @Path() id: Uuid,
    @Body() body: OrganizationIn,
  ): Promise<OrganizationOut> {
    const details = readOrganization(organizationIn(body), ORGANIZATION_NAMES)
    const call = organizationCall(called, 'write')
    return organizationToWire(await this.platform.organizations.updateOrganization(call, id, details))
  }
}
