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
import { camelTotals, type PageQuery, toPage } from '../frame/pagination.ts'
import type { Problem } from '../frame/problem.ts'
import type { Uuid } from '../frame/wire.ts'
import { IMPORTED_LIST, TRUST_LIST } from './examples.ts'
import {
  summaryToWire,
  type TrustListChangesIn,
  type TrustListIn,
  type TrustListOut,
  type TrustListPageOut,
  toTrustList,
  toTrustListChanges,
  trustListToWire,
} from './wire.ts'

@Route('v1/trust-lists')
@Tags('Trust lists')
export class TrustListsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the tenant's trust lists, newest first, without their entries.
   * @summary List trust lists
   */
  @Get()
  @OperationId('listTrustLists')
  @Security('bearerAuth', ['administration:read'])
  async list(@Request() called: Called, @Queries() query: PageQuery): Promise<TrustListPageOut> {
    const page = toPage(query.limit, query.page)
    const { trustLists, total } = await this.platform.trustLists.listTrustLists(called.user.tenantId, page)
    return { data: trustLists.map(summaryToWire), ...camelTotals(total, page.limit) }
  }

  /**
   * Creates a list of issuers that the tenant trusts. Once it is enforced for a format, a credential of that format
   * verifies only if its issuer is in one of the enforced lists. Its entries are in the request, or in a list of ETSI that
   * the request has or names by its URL, which is read at once and then by a schedule.
   * @summary Create a trust list
   */
  @Post()
  @OperationId('createTrustList')
  @Security('bearerAuth', ['administration:write'])
  @SuccessResponse(201)
  @Example<TrustListOut>(TRUST_LIST)
  @Response<Problem>(409, 'the tenant has as many as it can have')
  async create(@Request() called: Called, @Body() body: TrustListIn): Promise<TrustListOut> {
    const list = await this.platform.trustLists.createTrustList(called.user, toTrustList(body))
    this.setStatus(201)
    this.setHeader('Location', `/v1/trust-lists/${list.id}`)
    return trustListToWire(list)
  }

  /**
   * Returns a trust list with its entries.
   * @summary Read a trust list
   */
  @Get('{id}')
  @OperationId('getTrustList')
  @Security('bearerAuth', ['administration:read'])
  @Example<TrustListOut>(TRUST_LIST)
  async read(@Request() called: Called, @Path() id: Uuid): Promise<TrustListOut> {
    return trustListToWire(await this.platform.trustLists.readTrustList(called.user.tenantId, id))
  }

  /**
   * Changes the members that are sent. `entries` takes the place of a source, and a source that of entries: its list, and
   * the list of lists that names its signers, are read at once, and refused where they are older than those that are known
   * from the same addresses (`trust_list.source_…`, `trust_list.lotl_…`).
   * @summary Update a trust list
   */
  @Put('{id}')
  @OperationId('updateTrustList')
  @Security('bearerAuth', ['administration:write'])
  @Example<TrustListOut>(TRUST_LIST)
  async update(@Request() called: Called, @Path() id: Uuid, @Body() body: TrustListChangesIn): Promise<TrustListOut> {
    return trustListToWire(await this.platform.trustLists.updateTrustList(called.user, id, toTrustListChanges(body)))
  }

  /**
   * Reads the list of the source's URL now, and before it the list of lists that names its signers, as the schedule does by
   * itself. What is wrong with one of them is kept as `failure` (`trust_list.source_…`, `trust_list.lotl_…`).
   * @summary Refresh a trust list
   */
  @Post('{id}/refresh')
  @OperationId('refreshTrustList')
  @Security('bearerAuth', ['administration:write'])
  @SuccessResponse(200)
  @Example<TrustListOut>(IMPORTED_LIST)
  @Response<Problem>(400, 'the list cannot be read, or is not signed by one of its signers')
  @Response<Problem>(409, 'the list has no URL, or was changed meanwhile')
  async refresh(@Request() called: Called, @Path() id: Uuid): Promise<TrustListOut> {
    return trustListToWire(await this.platform.trustLists.refreshTrustList(called.user, id))
  }

  /**
   * Deletes a trust list. Where it was the only enforced one of a format, credentials of it verify as before there was one.
   * @summary Delete a trust list
   */
  @Delete('{id}')
  @OperationId('deleteTrustList')
  @Security('bearerAuth', ['administration:write'])
  @SuccessResponse(204)
  async delete(@Request() called: Called, @Path() id: Uuid): Promise<void> {
    await this.platform.trustLists.deleteTrustList(called.user, id)
  }
}
