import type { Area } from '../area.ts'
import { WebhookPage } from './webhook.tsx'
import { WebhooksPage } from './webhooks.tsx'

export const webhooks: Area = {
  needs: ['webhooks:read'],
  page({ standing, parts: [id, ...more] }) {
    if (id === undefined) return <WebhooksPage standing={standing} />
    return more.length === 0 ? <WebhookPage id={id} standing={standing} /> : undefined
  },
}
