import type { Area } from '../area.ts'
import { DeliveryPage } from './delivery.tsx'
import { EditWebhookPage } from './edit.tsx'
import { KeySetPage } from './keys.tsx'
import { NewWebhookPage } from './new.tsx'
import { WebhookPage } from './webhook.tsx'
import { WebhooksPage } from './webhooks.tsx'

export const webhooks: Area = {
  needs: ['webhooks:read'],
  page({ standing, parts: [id, more, ...rest] }) {
    const mayWrite = standing.scopes.has('webhooks:write')
    if (rest.length > 0) return undefined
    if (id === undefined) return <WebhooksPage standing={standing} />
    if (id === 'deliveries') return more === undefined ? undefined : <DeliveryPage id={more} standing={standing} />
    if (more === 'edit') return mayWrite ? <EditWebhookPage id={id} /> : undefined
    if (more !== undefined) return undefined
    if (id === 'new') return mayWrite ? <NewWebhookPage /> : undefined
    return id === 'keys' ? <KeySetPage /> : <WebhookPage id={id} standing={standing} />
  },
}
