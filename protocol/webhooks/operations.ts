const read = 'webhooks:read'
const write = 'webhooks:write'
const category = 'webhook'

/** Operations of webhooks, as protocol/operations.ts describes them. */
export const WEBHOOK_OPERATIONS = {
  getWebhooks: { scope: read, name: 'WEBHOOK_RETRIEVE_LIST', category },
  createWebhook: { scope: write, name: 'WEBHOOK_CREATE', category, changes: true },
  getWebhook: { scope: read, name: 'WEBHOOK_RETRIEVE', category },
  updateWebhook: { scope: write, name: 'WEBHOOK_UPDATE', category, changes: true },
  deleteWebhook: { scope: write, name: 'WEBHOOK_DELETE', category, changes: true },
  getWebhookDeliveries: { scope: read, name: 'WEBHOOK_DELIVERY_RETRIEVE_LIST', category },
  getWebhookDelivery: { scope: read, name: 'WEBHOOK_DELIVERY_RETRIEVE', category },
  redeliverWebhookDelivery: { scope: write, name: 'WEBHOOK_REDELIVER', category, changes: true },
  redeliverFailedWebhookDeliveries: { scope: write, name: 'WEBHOOK_REDELIVER_FAILED', category, changes: true },
  sendWebhookTestEvent: { scope: write, name: 'WEBHOOK_TEST', category, changes: true },
} as const
