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
import type { Platform } from '../../activities/index.ts'
import type { Called } from '../frame/authentication.ts'
import { type PageQuery, snakeTotals, toPage } from '../frame/pagination.ts'
import type { Problem } from '../frame/problem.ts'
import type { Uuid } from '../frame/wire.ts'
import {
  CLAIM_SOURCE,
  type ClaimSourceIn,
  type ClaimSourceOut,
  type ClaimSourcePageOut,
  type ClaimSourceUpdateIn,
  checkIds,
  claimSourceToWire,
  toInput,
} from './wire.ts'

@Route('v1/claim-sources')
@Tags('Claim sources')
export class ClaimSourcesController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the tenant's claim sources, newest first. Secrets are masked.
   * @summary List claim sources
   */
  @Get()
  @OperationId('getClaimSourceList')
  @Security('bearerAuth', ['administration:read'])
  async list(@Request() called: Called, @Queries() query: PageQuery): Promise<ClaimSourcePageOut> {
    const page = toPage(query.limit, query.page)
    const { claimSources, total } = await this.platform.claimSources.listClaimSources(called.user.tenantId, page)
    return { data: claimSources.map(claimSourceToWire), ...snakeTotals(total, page.limit) }
  }

  /**
   * Creates a claim source: a server that the platform asks for the claims of a credential when it is issued through
   * OpenID. It answers with one JSON object. Its answer is never kept.
   * @summary Create a claim source
   */
  @Post()
  @OperationId('createClaimSource')
  @Security('bearerAuth', ['administration:write'])
  @SuccessResponse(201)
  @Example<ClaimSourceOut>(CLAIM_SOURCE)
  @Response<Problem>(409, 'the tenant has too many claim sources already')
  async create(@Request() called: Called, @Body() body: ClaimSourceIn): Promise<ClaimSourceOut> {
    const created = await this.platform.claimSources.createClaimSource(called.user, toInput(body))
    this.setStatus(201)
    this.setHeader('Location', `/v1/claim-sources/${created.id}`)
    return claimSourceToWire(created)
  }

  /**
   * Returns a claim source. Its secret is masked: stars, and the last 5 characters of a longer secret.
   * @summary Read a claim source
   */
  @Get('{id}')
  @OperationId('getClaimSource')
  @Security('bearerAuth', ['administration:read'])
  @Example<ClaimSourceOut>(CLAIM_SOURCE)
  async read(@Request() called: Called, @Path() id: Uuid): Promise<ClaimSourceOut> {
    return claimSourceToWire(await this.platform.claimSources.readClaimSource(called.user.tenantId, id))
  }

  /**
   * Replaces name, URL and parameters; the method and the authorization where the body has them. A masked secret stands
   * for the secret that it masks, which must be sent again when it goes to another server.
   * @summary Update a claim source
   */
  @Put('{id}')
  @OperationId('updateClaimSource')
  @Security('bearerAuth', ['administration:write'])
  @Example<ClaimSourceOut>(CLAIM_SOURCE)
  async update(
    @Request() called: Called,
    @Path() id: Uuid,
    @Body() body: ClaimSourceUpdateIn,
  ): Promise<ClaimSourceOut> {
    checkIds(body, { id, tenantId: called.user.tenantId })
    return claimSourceToWire(await this.platform.claimSources.updateClaimSource(called.user, id, toInput(body)))
  }

  /**
   * Deletes a claim source. A credential whose template names it is not issued any more.
   * @summary Delete a claim source
   */
  @Delete('{id}')
  @OperationId('deleteClaimSource')
  @Security('bearerAuth', ['administration:write'])
  @SuccessResponse(204)
  async remove(@Request() called: Called, @Path() id: Uuid): Promise<void> {
    await this.platform.claimSources.deleteClaimSource(called.user, id)
  }
}
