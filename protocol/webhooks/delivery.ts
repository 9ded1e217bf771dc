export interface DeliverySubject {
  tenantId: string
  webhookId: string
  eventId: string
  deliveryId: string
  /** 0 for the first delivery of the event to the webhook; each later one adds 1. */
  round: number
}

/** What an attempt to deliver led to. */
export interface DeliveryStep {
  /** `GONE`: the webhook was deleted, and its deliveries with it. */
  state: 'PENDING' | 'DELIVERED' | 'FAILED' | 'STOPPED' | 'GONE'
  /** Why the attempt failed: a stable code. */
  code?: string
  /** Until the next attempt; absent at the end. */
  nextInMs?: number
}
