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
import { camelTotals, toPage } from '../frame/pagination.ts'
import type { Problem } from '../frame/problem.ts'
import type { Uuid } from '../frame/wire.ts'
import {
  type DeliveryOut,
  deliveryToWire,
  type RedeliveredOut,
  type RedeliverFailedIn,
  spanOf,
  TEST_DELIVERY,
  timeOf,
} from './deliveries.wire.ts'
import {
  WEBHOOK,
  type WebhookIn,
  type WebhookJwkOut,
  type WebhookKeySetOut,
  type WebhookOut,
  type WebhookPageOut,
  type WebhookQuery,
  type WebhookUpdateIn,
  webhookToWire,
} from './wire.ts'

@Route('v1/webhooks')
@Tags('Webhooks')
export class WebhooksController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the tenant's webhooks, newest first.
   * @summary List webhooks
   */
  @Get()
  @OperationId('getWebhooks')
  @Security('bearerAuth', ['webhooks:read'])
  async list(@Request() called: Called, @Queries() query: WebhookQuery): Promise<WebhookPageOut> {
    const page = toPage(query.limit, query.page)
    const { webhooks, total } = await this.platform.webhooks.listWebhooks(called.user.tenantId, page, query.status)
    return { webhooks: webhooks.map(webhookToWire), ...camelTotals(total, page.limit) }
  }

  /**
   * Creates a webhook. The platform sends it each event of the tenant that it asks for, signed, until the receiver
   * answers with a status 2xx within 3 seconds: 4 attempts at most.
   * @summary Create a webhook
   */
  @Post()
  @OperationId('createWebhook')
  @Security('bearerAuth', ['webhooks:write'])
  @SuccessResponse(201)
  @Example<WebhookOut>(WEBHOOK)
  @Response<Problem>(409, 'the tenant has too many webhooks already')
  async create(@Request() called: Called, @Body() body: WebhookIn): Promise<WebhookOut> {
    this.setStatus(201)
    return webhookToWire(await this.platform.webhooks.createWebhook(called.user, body))
  }

  /**
   * Returns the public keys that verify signatures of deliveries. A key is published for an hour before it signs, and for
   * 30 days after another one took its place.
   * @summary Read the webhook keys
   */
  @Get('jwks')
  @OperationId('getWebhookKeySet')
  async keySet(): Promise<WebhookKeySetOut> {
    this.setHeader('Cache-Control', 'public, max-age=300')
    this.setHeader('Access-Control-Allow-Origin', '*')
    const { keySet } = await this.platform.webhookKeys.current()
    return { keys: keySet.keys.map((key) => ({ ...key }) as WebhookJwkOut) }
  }

  /**
   * Returns a webhook without its secret.
   * @summary Read a webhook
   */
  @Get('{id}')
  @OperationId('getWebhook')
  @Security('bearerAuth', ['webhooks:read'])
  @Example<WebhookOut>(WEBHOOK)
  async read(@Request() called: Called, @Path() id: Uuid): Promise<WebhookOut> {
    return webhookToWire(await this.platform.webhooks.readWebhook(called.user.tenantId, id))
  }

  /**
   * Changes the members that the body gives; one that is absent or null keeps its value. A delivery under way uses the
   * new values from its next attempt on; that of a disabled webhook stops there.
   * @summary Update a webhook
   */
  @Put('{id}')
  @OperationId('updateWebhook')
  @Security('bearerAuth', ['webhooks:write'])
  @Example<WebhookOut>(WEBHOOK)
  async update(@Request() called: Called, @Path() id: Uuid, @Body() body: WebhookUpdateIn): Promise<WebhookOut> {
    const { events, url, ...rest } = body
    const input = { ...rest, ...(events && { events }), ...(typeof url === 'string' && { url }) }
    return webhookToWire(await this.platform.webhooks.updateWebhook(called.user, id, input))
  }

  /**
   * Deletes a webhook. Its deliveries are not found any more, and are deleted within the hour; one under way makes no further
   * attempt.
   * @summary Delete a webhook
   */
  @Delete('{id}')
  @OperationId('deleteWebhook')
  @Security('bearerAuth', ['webhooks:write'])
  @SuccessResponse(204)
  async remove(@Request() called: Called, @Path() id: Uuid): Promise<void> {
    await this.platform.webhooks.deleteWebhook(called.user, id)
  }

  /**
   * Sends an event of the type WebhookTest, whose payload has test: true, only to this webhook. It is signed and retried
   * as any other event.
   * @summary Send a test event
   */
  @Post('{id}/test')
  @OperationId('sendWebhookTestEvent')
  @Security('bearerAuth', ['webhooks:write'])
  @SuccessResponse(202)
  @Example<DeliveryOut>(TEST_DELIVERY)
  @Response<Problem>(409, 'the webhook is disabled')
  async test(@Request() called: Called, @Path() id: Uuid): Promise<DeliveryOut> {
    this.setStatus(202)
    const delivery = await this.platform.webhookDeliveries.sendTestEvent(called.user, id)
    this.setHeader('Location', `/v1/webhooks/deliveries/${delivery.id}`)
    return deliveryToWire(delivery)
  }

  /**
   * Delivers again every event whose last delivery to this webhook failed at the time since or later, and before until
   * where that is given: with new delivery ids and the same event ids, the oldest first, at most 500 with one request.
   * @summary Redeliver all failed deliveries
   */
  @Post('{id}/redeliver')
  @OperationId('redeliverFailedWebhookDeliveries')
  @Security('bearerAuth', ['webhooks:write'])
  @SuccessResponse(202)
  @Example<RedeliveredOut>({ redelivered: 17, more: false })
  @Response<Problem>(409, 'the webhook is disabled')
  async redeliver(
    @Request() called: Called,
    @Path() id: Uuid,
    @Body() body: RedeliverFailedIn,
  ): Promise<RedeliveredOut> {
    this.setStatus(202)
    const span = { ...spanOf(body), since: timeOf(body.since, 'since') }
    return this.platform.webhookDeliveries.redeliverFailed(called.user, id, span)
  }
}
