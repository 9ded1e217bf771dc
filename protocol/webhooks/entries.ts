/** A delivery ended. */
export const DELIVERY_ENTRY = { name: 'WEBHOOK_DELIVERY', category: 'webhook' } as const

export const WEBHOOK_ENTRIES = [DELIVERY_ENTRY] as const
