import {
  Body,
  Controller,
  Delete,
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
import type { Platform } from '../../../activities/index.ts'
import type { Called } from '../../frame/authentication.ts'
import { camelTotals, type PageQuery, toPage } from '../../frame/pagination.ts'
import type { Problem } from '../../frame/problem.ts'
import { inLowerCase, type Uuid } from '../../frame/wire.ts'
import { type BindingIn, type BindingOut, type BindingPageOut, bindingToWire } from './wire.ts'

@Route('v1/ecosystems/{ecosystemId}/tenants')
@Tags('Ecosystems')
export class EcosystemTenantsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the tenants that are bound to an ecosystem, newest first.
   * @summary List tenants of an ecosystem
   */
  @Get()
  @OperationId('getListOfEcosystemTenants')
  @Security('bearerAuth', ['platform:read'])
  async list(@Path() ecosystemId: Uuid, @Queries() query: PageQuery): Promise<BindingPageOut> {
    const page = toPage(query.limit, query.page)
    const { bindings, total } = await this.platform.ecosystemBindings.listBindings(ecosystemId, page)
    return { data: bindings.map(bindingToWire), ...camelTotals(total, page.limit) }
  }

  /**
   * Binds a tenant to an ecosystem: from then on it signs and verifies within the policy. The tenant sees it in its
   * settings. It has effect within a second.
   * @summary Bind a tenant to an ecosystem
   */
  @Put('{tenantId}')
  @OperationId('bindEcosystemTenant')
  @Security('bearerAuth', ['platform:write'])
  @Response<Problem>(409, 'the tenant is bound to another ecosystem')
  async bind(
    @Request() called: Called,
    @Path() ecosystemId: Uuid,
    @Path() tenantId: Uuid,
    @Body() body: BindingIn,
  ): Promise<BindingOut> {
    const participantId = body.participantId ? inLowerCase(body.participantId) : null
    const binding = { ecosystemId, tenantId, participantId }
    return bindingToWire(await this.platform.ecosystemBindings.bindTenant(called.user, binding))
  }

  /**
   * Frees a tenant from the policy of an ecosystem.
   * @summary Unbind a tenant from an ecosystem
   */
  @Delete('{tenantId}')
  @OperationId('unbindEcosystemTenant')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(204)
  async unbind(@Request() called: Called, @Path() ecosystemId: Uuid, @Path() tenantId: Uuid): Promise<void> {
    await this.platform.ecosystemBindings.unbindTenant(called.user, ecosystemId, tenantId)
  }
}
