import {
  Body,
  Controller,
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
import type { Platform } from '../../../activities/index.ts'
import type { Called } from '../../frame/authentication.ts'
import { camelTotals, type PageQuery, toPage } from '../../frame/pagination.ts'
import type { Problem } from '../../frame/problem.ts'
import type { Uuid } from '../../frame/wire.ts'
import {
  ERASURE,
  type ErasureIn,
  type ErasureOut,
  type ErasurePageOut,
  erasureLineToWire,
  erasureToWire,
  toErasure,
} from './wire.ts'

@Route('v1/privacy/erasures')
@Tags('Privacy')
export class ErasuresController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Erases what is stored about a person: a user of OpenID with the credentials that they were issued, the subject of credentials, or one credential. The work goes on after the answer; read it at its Location. The same again returns the first erasure; of a subject it also erases what is new. It cannot be undone.
   * @summary Erase a person
   */
  @Post()
  @OperationId('createErasure')
  @Security('bearerAuth', ['administration:write'])
  @SuccessResponse(202)
  @Example<ErasureOut>(ERASURE)
  @Response<Problem>(404, 'there is no such user or credential')
  @Response<Problem>(409, 'the same person is or was erased with another credentialStatus')
  async create(@Request() called: Called, @Body() body: ErasureIn): Promise<ErasureOut> {
    const erasure = await this.platform.erasures.createErasure(called.user, toErasure(body))
    this.setStatus(202)
    this.setHeader('Location', `/v1/privacy/erasures/${erasure.id}`)
    return erasureToWire(erasure)
  }

  /**
   * Returns the erasures of the tenant, newest first, without what stays. They do not say whom they are about.
   * @summary List erasures
   */
  @Get()
  @OperationId('listErasures')
  @Security('bearerAuth', ['administration:read'])
  async list(@Request() called: Called, @Queries() query: PageQuery): Promise<ErasurePageOut> {
    const page = toPage(query.limit, query.page)
    const { erasures, total } = await this.platform.erasures.listErasures(called.user.tenantId, page)
    return { data: erasures.map(erasureLineToWire), ...camelTotals(total, page.limit) }
  }

  /**
   * Returns an erasure: what is erased so far, what stays, and why. It does not say whom it is about.
   * @summary Read an erasure
   */
  @Get('{id}')
  @OperationId('getErasure')
  @Security('bearerAuth', ['administration:read'])
  @Example<ErasureOut>(ERASURE)
  async read(@Request() called: Called, @Path() id: Uuid): Promise<ErasureOut> {
    return erasureToWire(await this.platform.erasures.readErasure(called.user.tenantId, id))
  }
}
