import {
  Body,
  Controller,
  Delete,
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
import type { Platform } from '../../../activities/index.ts'
import type { Called } from '../../frame/authentication.ts'
import { camelTotals, type PageQuery, toPage } from '../../frame/pagination.ts'
import type { Problem } from '../../frame/problem.ts'
import type { Uuid } from '../../frame/wire.ts'
import { readerOf } from './reader.ts'
import { type EcosystemIn, type EcosystemOut, type EcosystemPageOut, ecosystemToWire } from './wire.ts'

@Route('v1/ecosystems')
@Tags('Ecosystems')
export class EcosystemsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns ecosystems, newest first: all of them to an operator (`platform:read`), and to a tenant
   * (`administration:read`) the one that it is bound to.
   * @summary List ecosystems
   */
  @Get()
  @OperationId('getListOfEcosystems')
  @Security('bearerAuth')
  async list(@Request() request: HttpRequest, @Queries() query: PageQuery): Promise<EcosystemPageOut> {
    const page = toPage(query.limit, query.page)
    const { ecosystems, total } = await this.platform.ecosystems.listEcosystems(readerOf(request), page)
    return { data: ecosystems.map(ecosystemToWire), ...camelTotals(total, page.limit) }
  }

  /**
   * Creates an ecosystem: issuers and verifiers under one policy.
   * @summary Create an ecosystem
   */
  @Post()
  @OperationId('createEcosystem')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(201)
  async create(@Request() called: Called, @Body() body: EcosystemIn): Promise<EcosystemOut> {
    const created = await this.platform.ecosystems.createEcosystem(called.user, body)
    this.setStatus(201)
    this.setHeader('Location', `/v1/ecosystems/${created.id}`)
    return ecosystemToWire(created)
  }

  /**
   * Returns an ecosystem to an operator (`platform:read`), or to a tenant that is bound to it (`administration:read`).
   * @summary Read an ecosystem
   */
  @Get('{ecosystemId}')
  @OperationId('getEcosystem')
  @Security('bearerAuth')
  async read(@Request() request: HttpRequest, @Path() ecosystemId: Uuid): Promise<EcosystemOut> {
    return ecosystemToWire(await this.platform.ecosystems.readEcosystem(readerOf(request), ecosystemId))
  }

  /**
   * Changes the name of an ecosystem.
   * @summary Rename an ecosystem
   */
  @Put('{ecosystemId}')
  @OperationId('updateEcosystem')
  @Security('bearerAuth', ['platform:write'])
  async update(@Request() called: Called, @Path() ecosystemId: Uuid, @Body() body: EcosystemIn): Promise<EcosystemOut> {
    return ecosystemToWire(await this.platform.ecosystems.renameEcosystem(called.user, ecosystemId, body))
  }

  /**
   * Deletes an ecosystem with its participants and credentials, unless a tenant is bound to it.
   * @summary Delete an ecosystem
   */
  @Delete('{ecosystemId}')
  @OperationId('deleteEcosystem')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(204)
  @Response<Problem>(409, 'a tenant is bound to it')
  async remove(@Request() called: Called, @Path() ecosystemId: Uuid): Promise<void> {
    await this.platform.ecosystems.deleteEcosystem(called.user, ecosystemId)
  }
}
