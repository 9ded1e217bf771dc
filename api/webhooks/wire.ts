import type { SavedWebhook } from '../../activities/webhooks/lifecycle.ts'
import type { PageQuery } from '../frame/pagination.ts'
import type { Count, DateTime, Uuid } from '../frame/wire.ts'

/** An event that a webhook may ask for. */
export type WebhookEventName = string

/** An https URL: a host name, no IP address, no query, no fragment, no user info. */
export type WebhookUrl = string

/**
 * `whsec_` and 24 to 64 bytes in base64, which are the HMAC key, or 16 to 255 characters of ASCII without spaces, which
 * are the key as they are.
 */
export type WebhookSecret = string

export type WebhookStatus = 'enabled' | 'disabled'

/** At least one, each once. */
export type WebhookEventNames = WebhookEventName[]

export interface WebhookIn {
  events: WebhookEventNames
  url: WebhookUrl
  /** With a secret, deliveries also have an HMAC signature of Standard Webhooks. */
  secret?: WebhookSecret | null
  /** Default: false. */
  disabled?: boolean | null
}

/** A member that is absent or null does not change. */
export interface WebhookUpdateIn {
  events?: WebhookEventNames | null
  url?: WebhookUrl | null
  /** An empty text takes the secret away. */
  secret?: string | null
  disabled?: boolean | null
}

export interface WebhookOut {
  id: Uuid
  events: WebhookEventName[]
  url: string
  disabled: boolean
  /** Whether deliveries have an HMAC signature. */
  hasSecret: boolean
  /** Only in the answer to the request that set it. */
  secret?: string
  createdAt: DateTime
  updatedAt: DateTime
}

export interface WebhookPageOut {
  webhooks: WebhookOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

export interface WebhookQuery extends PageQuery {
  /** Returns only webhooks with this status. Default: all. */
  status?: WebhookStatus
}

export interface WebhookJwkOut {
  kty: 'OKP'
  crv: 'Ed25519'
  /** The keyid of signatures. */
  kid: string
  /** The public key in base64url. */
  x: string
  use: 'sig'
  alg: 'EdDSA'
}

export interface WebhookKeySetOut {
  /** Newest first. The newest does not sign yet for an hour. */
  keys: WebhookJwkOut[]
}

export const webhookToWire = ({ secret, ...record }: SavedWebhook): WebhookOut => ({
  ...record,
  ...(secret !== undefined && { secret }),
})

export const WEBHOOK: WebhookOut = {
  id: '0b1c8a8e-4f1e-4a57-9d0a-1f8f5d6f2c31',
  events: ['OpenIdCredentialIssued'],
  url: 'https://receiver.university.example/webhooks',
  disabled: false,
  hasSecret: true,
  createdAt: '2027-01-15T12:00:00.000Z',
  updatedAt: '2027-01-15T12:00:00.000Z',
}
