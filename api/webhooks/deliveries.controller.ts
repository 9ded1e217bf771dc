import {
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
import type { Platform } from '../../activities/index.ts'
import type { Called } from '../frame/authentication.ts'
import { camelTotals, toPage } from '../frame/pagination.ts'
import type { Problem } from '../frame/problem.ts'
import type { Uuid } from '../frame/wire.ts'
import {
  type DeliveryOut,
  type DeliveryPageOut,
  type DeliveryQuery,
  deliveryToWire,
  NEW_DELIVERY,
  READ_DELIVERY,
  spanOf,
} from './deliveries.wire.ts'

@Route('v1/webhooks/deliveries')
@Tags('Webhooks')
export class WebhookDeliveriesController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the deliveries of events to the tenant's webhooks, newest first. A delivery is deleted 30 days after its end.
   * @summary List webhook deliveries
   */
  @Get()
  @OperationId('getWebhookDeliveries')
  @Security('bearerAuth', ['webhooks:read'])
  async list(@Request() called: Called, @Queries() query: DeliveryQuery): Promise<DeliveryPageOut> {
    const { webhookId, eventId, status, redelivered } = query
    const page = toPage(query.limit, query.page)
    const { deliveries, total } = await this.platform.webhookDeliveries.listDeliveries(called.user.tenantId, page, {
      ...(webhookId !== undefined && { webhookId }),
      ...(eventId !== undefined && { eventId }),
      ...(status !== undefined && { state: status }),
      ...(redelivered !== undefined && { isRedelivered: redelivered }),
      ...spanOf(query),
    })
    return { deliveries: deliveries.map(deliveryToWire), ...camelTotals(total, page.limit) }
  }

  /**
   * Returns a delivery with its request as it was sent, and its attempts: what the receiver answered, or why there was no
   * answer, and when the next attempt comes.
   * @summary Read a webhook delivery
   */
  @Get('{id}')
  @OperationId('getWebhookDelivery')
  @Security('bearerAuth', ['webhooks:read'])
  @Example<DeliveryOut>(READ_DELIVERY)
  async read(@Request() called: Called, @Path() id: Uuid): Promise<DeliveryOut> {
    return deliveryToWire(await this.platform.webhookDeliveries.readDelivery(called.user.tenantId, id))
  }

  /**
   * Delivers the event of a delivery to its webhook again: with a new delivery id and the same event id.
   * @summary Redeliver an event
   */
  @Post('{id}/redeliver')
  @OperationId('redeliverWebhookDelivery')
  @Security('bearerAuth', ['webhooks:write'])
  @SuccessResponse(202)
  @Example<DeliveryOut>(NEW_DELIVERY)
  @Response<Problem>(409, 'the webhook is disabled, or a delivery of the event to it is under way')
  async redeliver(@Request() called: Called, @Path() id: Uuid): Promise<DeliveryOut> {
    this.setStatus(202)
    const delivery = await this.platform.webhookDeliveries.redeliver(called.user, id, (webhookId) => {
      called.noted = { objectIds: [webhookId] }
    })
    this.setHeader('Location', `/v1/webhooks/deliveries/${delivery.id}`)
    return deliveryToWire(delivery)
  }
}
