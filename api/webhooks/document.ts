import { EVENT_TYPES } from '../../protocol/webhooks/events.ts'
import type { WEBHOOK_OPERATIONS } from '../../protocol/webhooks/operations.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'
import { ref } from '../frame/openapi/json.ts'
import { urlWithoutQuery } from '../frame/openapi/urls.ts'
import { RETRIED_DELIVERY } from './deliveries.wire.ts'
import { WEBHOOK } from './wire.ts'

/** Facts of this area's operations that the generator cannot derive (api/frame/openapi/document.ts). */
export const WEBHOOK_DOCUMENT: AreaDocument<keyof typeof WEBHOOK_OPERATIONS | 'getWebhookKeySet'> = {
  examples: {
    createWebhook: {
      events: ['OpenIdCredentialIssued'],
      url: 'https://receiver.university.example/webhooks',
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    },
    updateWebhook: { events: ['OpenIdCredentialIssued', 'OidcIssuerCredentialIssued'], disabled: false },
    redeliverFailedWebhookDeliveries: { since: '2027-01-15T12:00:00Z', until: '2027-01-15T18:00:00Z' },
  },
  answers: {
    getWebhooks: { webhooks: [WEBHOOK], limit: 20, totalCount: 1, totalPages: 1 },
    getWebhookDeliveries: { deliveries: [RETRIED_DELIVERY], limit: 20, totalCount: 1, totalPages: 1 },
    getWebhookKeySet: {
      keys: [
        {
          kty: 'OKP',
          crv: 'Ed25519',
          kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
          x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
          use: 'sig',
          alg: 'EdDSA',
        },
      ],
    },
  },
  notFound: {
    '/v1/webhooks/{id}': 'webhook.not_found',
    '/v1/webhooks/deliveries/{id}': 'webhook.delivery_not_found',
  },
  located: ['redeliverWebhookDelivery', 'sendWebhookTestEvent'],
  refusals: {
    createWebhook: { 400: 'webhook.invalid_url', 409: 'webhook.too_many' },
    updateWebhook: { 400: 'webhook.invalid_url' },
    redeliverWebhookDelivery: { 409: 'webhook.delivery_pending' },
    redeliverFailedWebhookDeliveries: { 409: 'webhook.disabled' },
    sendWebhookTestEvent: { 409: 'webhook.disabled' },
  },
  schemas: {
    WebhookEventName: {
      type: 'string',
      description: 'An event that a webhook may ask for.',
      enum: [...EVENT_TYPES],
      example: 'OpenIdCredentialIssued',
    },
    WebhookEventNames: {
      type: 'array',
      items: ref('WebhookEventName'),
      minItems: 1,
      uniqueItems: true,
      example: ['OpenIdCredentialIssued'],
    },
    WebhookUrl: urlWithoutQuery(
      'An https URL with a host name that can be called from the internet; an internationalised one is stored in ASCII. No IP address, no query, no fragment, no user info. http only where the operator allows local trials.',
      'https://receiver.university.example/webhooks',
    ),
    WebhookSecret: {
      type: 'string',
      description:
        'whsec_ and 24 to 64 bytes in base64, which are the HMAC key, or 16 to 255 characters of ASCII without spaces, which are the key as they are.',
      pattern: '^[!-~]{16,255}$',
      example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    },
  },
  problems: [
    {
      400: {
        'webhook.invalid_events': {
          meaning: 'The events of the webhook are not a list of events, each once; errors names the place.',
          remedy: `Send one or more of ${EVENT_TYPES.join(', ')}.`,
        },
        'webhook.invalid_secret': {
          meaning: 'The secret of the webhook cannot be an HMAC key; errors says what is expected.',
          remedy:
            'Send whsec_ and 24 to 64 random bytes in base64, or 16 to 255 random characters of ASCII without spaces.',
        },
        'webhook.invalid_url': {
          meaning: 'The platform does not call this URL; errors names the broken rule.',
          remedy:
            'Send an https URL with a host name that can be called from the internet, and no IP address, query, fragment or user info, such as https://receiver.example.com/webhooks.',
        },
      },
      404: {
        'webhook.not_found': {
          meaning: 'The tenant has no such webhook.',
          remedy: 'Take the id from getWebhooks, with a token of the tenant that created the webhook.',
        },
        'webhook.delivery_not_found': {
          meaning: 'The tenant has no such delivery, or it was deleted after its time.',
          remedy: 'Take the id from getWebhookDeliveries, with a token of the tenant that created the webhook.',
        },
      },
      409: {
        'webhook.delivery_pending': {
          meaning: 'A delivery of this event to this webhook is under way.',
          remedy: 'Wait until getWebhookDelivery shows its end, then repeat the request if it failed.',
        },
        'webhook.disabled': {
          meaning: 'The webhook is disabled, and receives nothing.',
          remedy: 'Enable it with updateWebhook (disabled: false), then repeat the request.',
        },
        'webhook.too_many': {
          meaning: 'The tenant has as many webhooks as it can have.',
          remedy: 'Delete a webhook with deleteWebhook, then create the other one.',
        },
      },
      429: {
        'webhook.too_many_redeliveries': {
          meaning:
            'The tenant redelivers too much: too many events one by one in a minute, or too many redeliveries wait for their receivers.',
          remedy:
            'Repeat the request after the time in Retry-After. After an outage use redeliverFailedWebhookDeliveries.',
        },
        'webhook.too_many_tests': {
          meaning: 'The webhook got as many test events as it can get in a minute.',
          remedy: 'Repeat the request after the time in Retry-After.',
        },
      },
    },
  ],
}
