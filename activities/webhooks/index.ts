import type { Config } from '../../config.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Frame } from '../frame/index.ts'
import { createOutbound, type Outbound } from '../frame/outbound/index.ts'
import { createSealer } from '../frame/sealing.ts'
import { type AttemptResult, createDeliverer } from './deliver.ts'
import { createDeliveries } from './deliveries.ts'
import { createEvents } from './events.ts'
import { createWebhookKeyRotation, createWebhookKeys } from './keys.ts'
import { createWebhooks } from './lifecycle.ts'

const sealerOf = (config: Pick<Config, 'masterKey'>) => createSealer(config.masterKey, 'webhooks')

/** Operations of webhooks, and the events that go to them. */
export function composeWebhooks(frame: Frame) {
  const sealer = sealerOf(frame.config)
  const webhookEvents = createEvents({ ...frame, sealer })
  return {
    webhooks: createWebhooks({ ...frame, sealer }),
    webhookEvents,
    webhookDeliveries: createDeliveries({ ...frame, events: webhookEvents, sealer }),
    webhookKeys: createWebhookKeys(frame),
  }
}

/** Loopback addresses, for local trials. */
const LOOPBACK = ['127.0.0.0/8', '::1/128']

/** Connections of their own: `turns` say how many there are to one host. */
function outboundOf({ config, log }: Pick<Dependencies, 'config' | 'log'>): Outbound {
  const { allowPrivate: plainHttp } = config.webhooks
  if (plainHttp) log.warn('WEBHOOK_ALLOW_PRIVATE is true: webhooks may have http URLs and be on this machine')
  const allowedRanges = [...config.outbound.allowedRanges, ...(plainHttp ? LOOPBACK : [])]
  return createOutbound({ ...config.outbound, allowedRanges }, { log, slots: { perHost: 64, waiting: 0 }, plainHttp })
}

interface Parts extends Dependencies, Pick<Frame, 'turns'> {
  webhookTried?: ((result: AttemptResult) => void) | undefined
}

/** Activities of the workflows of webhooks. */
export function webhookActivities(parts: Parts) {
  const sealer = sealerOf(parts.config)
  const { rotateWebhookKeys } = createWebhookKeyRotation(parts)
  const webhookKeys = createWebhookKeys(parts)
  return {
    ...createDeliverer({ ...parts, outbound: outboundOf(parts), sealer, webhookKeys }),
    rotateWebhookKeys,
  }
}
