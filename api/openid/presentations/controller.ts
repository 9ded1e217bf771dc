import {
  Body,
  Controller,
  Delete,
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
import { camelTotals, toPage } from '../../frame/pagination.ts'
import type { Problem } from '../../frame/problem.ts'
import type { Uuid } from '../../frame/wire.ts'
import {
  createdToWire,
  type OpenId4VpBrowserAnswerIn,
  type OpenId4VpCreatedOut,
  type OpenId4VpPageOut,
  type OpenId4VpQuery,
  type OpenId4VpRequestIn,
  type OpenId4VpRequestOut,
  type OpenId4VpResponseCodeIn,
  requestToWire,
  summaryToWire,
  toRequest,
} from './wire.ts'

@Route('v1/openid4vp/requests')
@Tags('OpenID')
export class OpenId4VpRequestsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Asks a wallet for credentials (OpenID4VP 1.0), and returns the links that open it. What it presents is verified, and
   * is read with getOpenId4VpRequest; the event OpenId4VpRequestEnded tells webhooks when the request has ended.
   * @summary Create a request for credentials
   */
  @Post()
  @OperationId('createOpenId4VpRequest')
  @Security('bearerAuth', ['openid:write'])
  @SuccessResponse(201)
  @Response<Problem>(404, 'the tenant has no such verifier or presentation template')
  async create(@Request() called: Called, @Body() body: OpenId4VpRequestIn): Promise<OpenId4VpCreatedOut> {
    const created = await this.platform.presentationRequests4Vp.createRequest(called.user, toRequest(body))
    this.setStatus(201)
    this.setHeader('Location', `/v1/openid4vp/requests/${created.id}`)
    return createdToWire(created)
  }

  /**
   * Returns the requests for credentials, newest first, without what was presented.
   * @summary List requests for credentials
   */
  @Get()
  @OperationId('listOpenId4VpRequests')
  @Security('bearerAuth', ['openid:read'])
  async list(@Request() called: Called, @Queries() query: OpenId4VpQuery): Promise<OpenId4VpPageOut> {
    const page = toPage(query.limit, query.page)
    const filter = { state: query.state, ...page }
    const { requests, total } = await this.platform.presentationRequests4Vp.listRequests(called.user.tenantId, filter)
    return { data: requests.map(summaryToWire), ...camelTotals(total, page.limit) }
  }

  /**
   * Returns a request with what was presented, check by check. What a wallet presented on the device of the browser, or
   * for a page, is returned once redeemOpenId4VpRequest had the response code.
   * @summary Read a request for credentials
   */
  @Get('{id}')
  @OperationId('getOpenId4VpRequest')
  @Security('bearerAuth', ['openid:read'])
  async read(@Request() called: Called, @Path() id: Uuid): Promise<OpenId4VpRequestOut> {
    return requestToWire(await this.platform.presentationRequests4Vp.readRequest(called.user.tenantId, id))
  }

  /**
   * Takes the response_code with which the wallet or the page led its holder to the redirectUri, once, and returns what was
   * presented. Only the browser that came back has the code: somebody who was sent another person's link has not.
   * @summary Redeem the response code of a request
   */
  @Post('{id}/response-code')
  @OperationId('redeemOpenId4VpRequest')
  @Security('bearerAuth', ['openid:write'])
  @SuccessResponse(200)
  async redeem(
    @Request() called: Called,
    @Path() id: Uuid,
    @Body() body: OpenId4VpResponseCodeIn,
  ): Promise<OpenId4VpRequestOut> {
    const { responseCode } = body
    return requestToWire(await this.platform.presentationRequests4Vp.redeemRequest(called.user, id, responseCode))
  }

  /**
   * Takes what a wallet answered through the browser of a page (Digital Credentials API), and returns it check by check.
   * A wallet that declined (access_denied) ends the request; another error counts as an answer that is not accepted.
   * @summary Answer a request with what the browser returned
   */
  @Post('{id}/browser-answer')
  @OperationId('answerOpenId4VpRequest')
  @Security('bearerAuth', ['openid:write'])
  @SuccessResponse(200)
  async answer(
    @Request() called: Called,
    @Path() id: Uuid,
    @Body() body: OpenId4VpBrowserAnswerIn,
  ): Promise<OpenId4VpRequestOut> {
    await this.platform.requestAnswers.answerInBrowser(called.user, id, body)
    return requestToWire(await this.platform.presentationRequests4Vp.readRequest(called.user.tenantId, id))
  }

  /**
   * Deletes a request with what was presented. One that is open takes no answer any more.
   * @summary Delete a request for credentials
   */
  @Delete('{id}')
  @OperationId('deleteOpenId4VpRequest')
  @Security('bearerAuth', ['openid:write'])
  @SuccessResponse(204)
  async remove(@Request() called: Called, @Path() id: Uuid): Promise<void> {
    await this.platform.presentationRequests4Vp.deleteRequest(called.user, id)
  }
}
