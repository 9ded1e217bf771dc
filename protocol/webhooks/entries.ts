/** The end of a delivery: the receiver accepted the event, all attempts failed, or the webhook was disabled. */
export const DELIVERY_ENTRY = { name: 'WEBHOOK_DELIVERY', category: 'webhook' } as const

export const WEBHOOK_ENTRIES = [DELIVERY_ENTRY] as const
