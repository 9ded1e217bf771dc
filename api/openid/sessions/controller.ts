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
import { camelTotals, toPage } from '../../frame/pagination.ts'
import type { Problem } from '../../frame/problem.ts'
import type { Uuid } from '../../frame/wire.ts'
import {
  OFFER_URI,
  type OfferIn,
  type OfferOut,
  type OfferUri,
  offerToWire,
  type SessionIn,
  type SessionOut,
  type SessionPageOut,
  type SessionQuery,
  sessionToWire,
  toOffer,
} from './wire.ts'

const pathOf = (id: string) => `/v1/openid/sessions/${id}`

@Route('v1/openid')
@Tags('OpenID')
export class SessionsController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Offers credentials to a wallet (OpenID4VCI 1.0), and returns the offer as a link, which may be shown as a QR code. The
   * Location of the response is the session that the offer begins.
   * @summary Create an offer
   */
  @Post('offers')
  @OperationId('createOpenIdConfiguration')
  @Security('bearerAuth', ['openid:write'])
  @SuccessResponse(200)
  @Example<OfferUri>(OFFER_URI)
  @Response<Problem>(404, 'the tenant has no such template')
  async offer(@Request() called: Called, @Body() body: OfferIn): Promise<OfferUri> {
    const created = await this.platform.openIdOffers.createOffer(
      called.user,
      'createOpenIdConfiguration',
      toOffer(body),
    )
    this.setHeader('Location', pathOf(created.sessionId))
    return created.uri
  }

  /**
   * Offers credentials to a wallet as createOpenIdConfiguration does, and returns the session with its transaction code, if
   * there is to be one. The code is shown only here.
   * @summary Create a session
   */
  @Post('sessions')
  @OperationId('createOpenIdSession')
  @Security('bearerAuth', ['openid:write'])
  @SuccessResponse(201)
  @Response<Problem>(404, 'the tenant has no such template')
  async create(@Request() called: Called, @Body() body: SessionIn): Promise<OfferOut> {
    const { txCode, ...offer } = body
    const input = toOffer(offer, txCode ?? false)
    const created = await this.platform.openIdOffers.createOffer(called.user, 'createOpenIdSession', input)
    this.setStatus(201)
    this.setHeader('Location', pathOf(created.sessionId))
    return offerToWire(created)
  }

  /**
   * Returns the sessions of wallets, newest first: their steps, what they wait for, and why they failed. They hold no
   * personal data.
   * @summary List sessions
   */
  @Get('sessions')
  @OperationId('listOpenIdSessions')
  @Security('bearerAuth', ['openid:read'])
  async list(@Request() called: Called, @Queries() query: SessionQuery): Promise<SessionPageOut> {
    const page = toPage(query.limit, query.page)
    const filter = { state: query.state, ...page }
    const { sessions, total } = await this.platform.openIdSessions.listSessions(called.user.tenantId, filter)
    return { data: sessions.map(sessionToWire), ...camelTotals(total, page.limit) }
  }

  /**
   * Returns a session: its steps, what it waits for, and why it failed.
   * @summary Read a session
   */
  @Get('sessions/{id}')
  @OperationId('getOpenIdSession')
  @Security('bearerAuth', ['openid:read'])
  async read(@Request() called: Called, @Path() id: Uuid): Promise<SessionOut> {
    return sessionToWire(await this.platform.openIdSessions.readSession(called.user.tenantId, id))
  }

  /**
   * Has the issuances of a session that failed tried again, with the keys that the wallet has proved. The wallet gets the
   * credentials when it asks again.
   * @summary Retry a session
   */
  @Post('sessions/{id}/retry')
  @OperationId('retryOpenIdSession')
  @Security('bearerAuth', ['openid:write'])
  @SuccessResponse(200)
  @Response<Problem>(409, 'nothing has failed, or the session has ended')
  async retry(@Request() called: Called, @Path() id: Uuid): Promise<SessionOut> {
    return sessionToWire(await this.platform.openIdSessions.retrySession(called.user, id))
  }

  /**
   * Ends a session: its offer and its access token give nothing any more. Credentials that were issued stay.
   * @summary Cancel a session
   */
  @Post('sessions/{id}/cancel')
  @OperationId('cancelOpenIdSession')
  @Security('bearerAuth', ['openid:write'])
  @SuccessResponse(200)
  @Response<Problem>(409, 'the session has ended already')
  async cancel(@Request() called: Called, @Path() id: Uuid): Promise<SessionOut> {
    return sessionToWire(await this.platform.openIdSessions.cancelSession(called.user, id))
  }
}
