import {
  Controller,
  Get,
  OperationId,
  Path,
  Produces,
  Queries,
  Request,
  Response,
  Route,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime'
import type { Request as HttpRequest } from 'express'
import type { Platform } from '../../activities/index.ts'
import { TOKEN_TYPES } from '../../protocol/status-list/token.ts'
import { publisherOf, sendForm } from '../credentials/published.ts'
import { type PageQuery, snakeTotals, toPage } from '../frame/pagination.ts'
import type { Problem } from '../frame/problem.ts'
import type { Uuid } from '../frame/wire.ts'
import type { CompactListsOut } from './wire.ts'

/** The list that credentials name by claim -65537 has no media type of its own. */
const BIT_INDEX = 'application/cwt'

interface ListsQuery extends PageQuery {}

@Route('v1/credentials/compact/revocation-lists')
@Tags('Compact credentials')
export class CompactListsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the status lists of compact and compact-semantic credentials. Public; the host name selects the tenant.
   * @summary List the status lists of compact credentials
   */
  @Get()
  @OperationId('getCompactRevocationLists')
  async list(@Request() request: HttpRequest, @Queries() query: ListsQuery): Promise<CompactListsOut> {
    const tenant = await publisherOf(this.platform, request)
    const page = toPage(query.limit, query.page)
    const { lists, total } = await this.platform.compactLists.listLists(tenant, page)
    this.setHeader('Access-Control-Allow-Origin', '*')
    return { data: lists, ...snakeTotals(total, page.limit) }
  }

  /**
   * Returns a status list, signed by its issuer, in the form that the caller accepts: as a CWT with the gzipped bits in
   * claim -65538, or the same statuses as a Status List Token (JWT or CWT). Public; the host name selects the tenant.
   * @summary Read a status list of compact credentials
   */
  @Get('{id}')
  @OperationId('getCompactRevocationList')
  @SuccessResponse(200, 'the list')
  @Produces('application/cwt')
  @Response(304, 'unchanged')
  @Response<Problem>(410, 'the issuer was deleted, and the list can no longer be signed')
  @Response<Problem>(503, 'the list cannot be signed now; see Retry-After')
  async read(@Request() request: HttpRequest, @Path() id: Uuid): Promise<void> {
    const tenant = await publisherOf(this.platform, request)
    const { forms, etag } = await this.platform.compactLists.readList(tenant.id, id)
    sendForm(request, etag, [
      [BIT_INDEX, Buffer.from(forms.bitIndex, 'base64')],
      [TOKEN_TYPES.jwt, Buffer.from(forms.tokenJwt)],
      [TOKEN_TYPES.cwt, Buffer.from(forms.tokenCwt, 'base64')],
    ])
  }
}
