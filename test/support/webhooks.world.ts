import { randomUUID } from 'node:crypto'
import type { TestFn } from 'ava'
import { createPlatform } from '../../activities/index.ts'
import { inTenant } from '../../entities/orm.ts'
import { openWorldBeside, type WorldBeside } from './parts/elsewhere.ts'
import { createReceiver, documentedVerifier, type Received } from './receiver.ts'
import { type DeliveryAnswer, webhooksOf } from './webhooks.ts'

/** The event that the tests emit. */
export const TYPE = 'OpenIdCredentialIssued'
/** Of an attempt. */
export const TIMEOUT_MS = 800

/**
 * A platform with a worker, and a receiver that it reaches over HTTPS; both live for as long as the test file. Each test
 * has the first tenant's webhooks to itself.
 */
export function deliveriesOf(test: TestFn) {
  const receiver = createReceiver()
  let opened: WorldBeside | undefined
  let openDelivery: Awaited<ReturnType<typeof documentedVerifier>>
  const beside = (): WorldBeside => {
    if (!opened) throw new Error('the platform is not open yet')
    return opened
  }

  test.before(async () => {
    const env = {
      WEBHOOK_RETRY_SECONDS: '0.2,0.4,0.8',
      WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS),
      TEMPORAL_UI_URL: 'http://127.0.0.1:8233',
      TEMPORAL_UI_PUBLIC_URL: 'https://ui.example/temporal/',
    }
    opened = await openWorldBeside('receiver.acme.test', receiver.listener, { workflows: true, env })
    openDelivery = await documentedVerifier()
  })
  test.after.always(() => opened?.close())
  test.afterEach.always(async () => {
    for (const { id } of (await own().list('?limit=1000')).webhooks) await own().remove(id)
  })

  const own = () => webhooksOf(beside().world, beside().world.token)

  const keySet = async () => (await beside().world.ask('/v1/webhooks/jwks')).json<{ keys: { kid: string }[] }>().keys

  return {
    receiver,
    beside,
    own,
    keySet,

    /** A webhook at a path of the receiver. */
    hook: (path: string, more: object = {}) =>
      own().created({ url: beside().urlOf(path), events: [TYPE, 'OidcIssuerCredentialIssued'], ...more }),

    /** Emits an event as an area that issues does: in a transaction of its own. */
    async emit(payload: object = { format: 'ldp_vc' }, id: string = randomUUID(), tenantId?: string) {
      const { dependencies, first } = beside().world
      const tenant = tenantId ?? first.tenantId
      const { webhookEvents } = createPlatform(dependencies)
      const count = await inTenant(dependencies.database.tenants, tenant, (em) =>
        webhookEvents.emitEvent(em, { id, tenantId: tenant, type: TYPE, payload }),
      )
      return { id, count }
    },

    async deliveryOf(webhookId: string, nth = 0): Promise<DeliveryAnswer> {
      const delivery = (await own().deliveries(`?webhookId=${webhookId}`)).deliveries[nth]
      if (!delivery) throw new Error('no delivery')
      return delivery
    },

    /** As the documented example opens it. */
    open: (...given: Parameters<typeof openDelivery>) => openDelivery(...given),
    opened: async (received: Received, webhookId: string) =>
      openDelivery({ ...received, authority: beside().authority }, { keys: await keySet(), webhookId }),
  }
}

/** The key that signed a delivery. */
export const keyOf = ({ headers }: Received) => /keyid="([^"]+)"/.exec(headers['signature-input'] ?? '')?.[1] ?? ''
