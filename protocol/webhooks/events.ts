/** The events that a webhook may ask for (specification, Events 1), and the end of a request for credentials (D-1162). */
export const EVENT_TYPES = ['OpenIdCredentialIssued', 'OidcIssuerCredentialIssued', 'OpenId4VpRequestEnded'] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** Type of an event that says nothing of a credential; no webhook asks for it, and it goes to one webhook alone. */
export const TEST_EVENT = 'WebhookTest'

/** What a test event says. */
export const testPayload = (webhookId: string) => ({
  test: true,
  message: 'This is a test of the webhook. No credential was issued.',
  webhookId,
})

export interface DeliveredEvent {
  id: string
  type: string
  /** JSON. */
  payload: string
  /** When the event happened. */
  timestamp: Date
}

/**
 * The body of a delivery. The payload stays the text that was stored, so that every attempt and every receiver gets the
 * same one.
 */
export function deliveryBody(
  { deliveryId, webhookId, at }: { deliveryId: string; webhookId: string; at: Date },
  { id, type, payload, timestamp }: DeliveredEvent,
): string {
  const event = `{"id":${JSON.stringify(id)},"type":${JSON.stringify(type)},"payload":${payload},"timestamp":${JSON.stringify(timestamp)}}`
  const about = JSON.stringify({ deliveryId, deliveryTimestamp: at.toISOString(), webhookId })
  return `${about.slice(0, -1)},"event":${event}}`
}
