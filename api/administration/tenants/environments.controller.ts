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
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime'
import type { Platform } from '../../../activities/index.ts'
import type { Called } from '../../frame/authentication.ts'
import { camelTotals, toPage } from '../../frame/pagination.ts'
import type { Uuid } from '../../frame/wire.ts'
import {
  ENVIRONMENT,
  type EnvironmentIn,
  type EnvironmentOut,
  type EnvironmentPageOut,
  environmentToWire,
} from './wire.ts'

const DEFAULT_LIMIT = 10

interface EnvironmentQuery {
  /**
   * Rows on a page: 0 to 1000. Default: 10.
   * @isLong limit must be a whole number
   */
  limit?: number
  /**
   * Starts at 1.
   * @isLong page must be a whole number
   */
  page?: number
}

@Route('v1/environments')
@Tags('Administration')
export class EnvironmentsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the environments in which tenants can be created, oldest first. For operators.
   * @summary List environments
   */
  @Get()
  @OperationId('getEnvironments')
  @Security('bearerAuth', ['platform:read'])
  async list(@Queries() query: EnvironmentQuery): Promise<EnvironmentPageOut> {
    const page = toPage(query.limit, query.page, DEFAULT_LIMIT)
    const { environments, total } = await this.platform.environments.listEnvironments(page)
    return { data: environments.map(environmentToWire), ...camelTotals(total, page.limit) }
  }

  /**
   * Creates an environment. Its domains are those of the installation. For operators.
   * @summary Create an environment
   */
  @Post()
  @OperationId('createEnvironment')
  @Security('bearerAuth', ['platform:write'])
  @SuccessResponse(201)
  @Example<EnvironmentOut>(ENVIRONMENT)
  async create(@Request() called: Called, @Body() body: EnvironmentIn): Promise<EnvironmentOut> {
    const created = await this.platform.environments.createEnvironment(called.user, body)
    this.setStatus(201)
    this.setHeader('Location', `/v1/environments/${created.id}`)
    return environmentToWire(created)
  }

  /**
   * Returns an environment. For operators.
   * @summary Read an environment
   */
  @Get('{id}')
  @OperationId('getEnvironment')
  @Security('bearerAuth', ['platform:read'])
  @Example<EnvironmentOut>(ENVIRONMENT)
  async read(@Path() id: Uuid): Promise<EnvironmentOut> {
    return environmentToWire(await this.platform.environments.readEnvironment(id))
  }

  /**
   * Changes how an environment is described; its tenants stay where they are. For operators.
   * @summary Update an environment
   */
  @Put('{id}')
  @OperationId('updateEnvironment')
  @Security('bearerAuth', ['platform:write'])
  @Example<EnvironmentOut>(ENVIRONMENT)
  async update(@Request() called: Called, @Path() id: Uuid, @Body() body: EnvironmentIn): Promise<EnvironmentOut> {
    return environmentToWire(await this.platform.environments.updateEnvironment(called.user, id, body))
  }
}
