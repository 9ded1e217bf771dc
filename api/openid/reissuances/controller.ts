import {
  Controller,
  Delete,
  Example,
  Get,
  OperationId,
  Path,
  Queries,
  Request,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime'
import type { Platform } from '../../../activities/index.ts'
import type { Called } from '../../frame/authentication.ts'
import { camelTotals } from '../../frame/pagination.ts'
import type { Uuid } from '../../frame/wire.ts'
import {
  REISSUANCE,
  type ReissuanceOut,
  type ReissuancePageOut,
  type ReissuanceQuery,
  reissuanceToWire,
  toReissuanceFilter,
} from './wire.ts'

@Route('v1/openid/reissuances')
@Tags('OpenID')
export class ReissuancesController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns what wallets may get anew by their refresh tokens, newest first. It holds no personal data.
   * @summary List re-issuances
   */
  @Get()
  @OperationId('listOpenIdReissuances')
  @Security('bearerAuth', ['openid:read'])
  async list(@Request() called: Called, @Queries() query: ReissuanceQuery): Promise<ReissuancePageOut> {
    const filter = toReissuanceFilter(query)
    const { reissuances, total } = await this.platform.openIdReissuances.listReissuances(called.user.tenantId, filter)
    return { data: reissuances.map(reissuanceToWire), ...camelTotals(total, filter.limit) }
  }

  /**
   * Returns what a wallet may get anew by its refresh token, and how often it did.
   * @summary Read a re-issuance
   */
  @Get('{id}')
  @OperationId('getOpenIdReissuance')
  @Security('bearerAuth', ['openid:read'])
  @Example<ReissuanceOut>(REISSUANCE)
  async read(@Request() called: Called, @Path() id: Uuid): Promise<ReissuanceOut> {
    return reissuanceToWire(await this.platform.openIdReissuances.readReissuance(called.user.tenantId, id))
  }

  /**
   * Ends a re-issuance: its refresh token gives nothing any more, its claims are erased, and a session of it that is under
   * way ends. Credentials that were issued stay.
   * @summary End a re-issuance
   */
  @Delete('{id}')
  @OperationId('deleteOpenIdReissuance')
  @Security('bearerAuth', ['openid:write'])
  @SuccessResponse(204)
  async end(@Request() called: Called, @Path() id: Uuid): Promise<void> {
    await this.platform.openIdReissuances.endReissuance(called.user, id)
  }
}
