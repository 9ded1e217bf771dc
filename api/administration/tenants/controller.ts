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
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime'
import type { Platform } from '../../../activities/index.ts'
import type { Called } from '../../frame/authentication.ts'
import { camelTotals, type PageQuery, toPage } from '../../frame/pagination.ts'
import type { Problem } from '../../frame/problem.ts'
import type { Uuid } from '../../frame/wire.ts'
import {
  CREATED_TENANT,
  type CreatedTenantOut,
  createdTenantToWire,
  deletionToWire,
  TENANT,
  TENANT_DELETION,
  type TenantDeletionOut,
  type TenantIn,
  type TenantOut,
  type TenantPageOut,
  type TenantUpdateIn,
  tenantToWire,
  toNewTenant,
  toTenantChange,
} from './wire.ts'

@Route('v1/tenants')
@Tags('Administration')
export class TenantsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the tenants, newest first. For operators.
   * @summary List tenants
   */
  @Get()
  @OperationId('getTenants')
  @Security('bearerAuth', ['platform:read'])
  async list(@Queries() query: PageQuery): Promise<TenantPageOut> {
    const page = toPage(query.limit, query.page)
    const { tenants, total } = await this.platform.tenantLifecycle.listTenants(page)
    return { inboxes: tenants.map(tenantToWire), ...camelTotals(total, page.limit) }
  }

  /**
   * Creates a tenant and its first client, which may do everything in it. The client's secret is shown only here. With did or iaca, the platform then makes these as well; getTenant tells how far that is. For operators.
   * @summary Create a tenant
   */
  @Post()
  @OperationId('createTenant')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(201)
  @Example<CreatedTenantOut>(CREATED_TENANT)
  @Response<Problem>(404, 'there is no such environment, or no such organization')
  @Response<Problem>(409, 'a tenant has this subdomain, or had it within a year')
  async create(@Request() called: Called, @Body() body: TenantIn): Promise<CreatedTenantOut> {
    const created = await this.platform.tenantLifecycle.createTenant(called.user, toNewTenant(body))
    this.setStatus(201)
    this.setHeader('Location', `/v1/tenants/${created.id}`)
    return createdTenantToWire(created)
  }

  /**
   * Returns a tenant. For operators.
   * @summary Read a tenant
   */
  @Get('{id}')
  @OperationId('getTenant')
  @Security('bearerAuth', ['platform:read'])
  @Example<TenantOut>(TENANT)
  async read(@Path() id: Uuid): Promise<TenantOut> {
    return tenantToWire(await this.platform.tenantLifecycle.readTenant(id))
  }

  /**
   * Renames a tenant, or gives it to an organization, whose people may then work in it. Its subdomain stays: what it issued names it. For operators.
   * @summary Update a tenant
   */
  @Put('{id}')
  @OperationId('updateTenant')
  @Security('bearerAuth', ['platform:write'])
  @Example<TenantOut>(TENANT)
  async update(@Request() called: Called, @Path() id: Uuid, @Body() body: TenantUpdateIn): Promise<TenantOut> {
    return tenantToWire(await this.platform.tenantLifecycle.updateTenant(called.user, id, toTenantChange(body)))
  }

  /**
   * Deletes a tenant. From this answer on it is gone: it gets no tokens, those that it has end within 5 seconds, and its public addresses within 10. A workflow then ends its workflows, destroys its keys and deletes its rows; getTenantDeletion tells how far that is. Nothing brings the tenant back. For operators.
   * @summary Delete a tenant
   */
  @Delete('{id}')
  @OperationId('deleteTenant')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(202)
  @Example<TenantDeletionOut>(TENANT_DELETION)
  @Response<Problem>(409, 'the tenant is the first one, which stays')
  async remove(@Request() called: Called, @Path() id: Uuid): Promise<TenantDeletionOut> {
    const deletion = await this.platform.tenantDeletion.deleteTenant(called.user, id)
    this.setStatus(202)
    this.setHeader('Location', `/v1/tenants/${id}/deletion`)
    return deletionToWire(deletion)
  }

  /**
   * Returns how far the deletion of a tenant is; also when nothing else is left of it. For operators.
   * @summary Read the deletion of a tenant
   */
  @Get('{id}/deletion')
  @OperationId('getTenantDeletion')
  @Security('bearerAuth', ['platform:read'])
  @Example<TenantDeletionOut>(TENANT_DELETION)
  async readDeletion(@Path() id: Uuid): Promise<TenantDeletionOut> {
    return deletionToWire(await this.platform.tenantDeletion.readTenantDeletion(id))
  }
}
