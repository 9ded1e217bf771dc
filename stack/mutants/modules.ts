/** A part of the platform that must let no bug in: its code, and the tests that are to find one there. */
export interface Module {
  code: string[]
  tests: string[]
}

export const MODULES: Readonly<Record<string, Module>> = {
  authentication: {
    code: ['activities/tokens-logs/tokens.ts', 'activities/tokens-logs/keys.ts', 'activities/tokens-logs/clients.ts'],
    tests: [
      'test/tokens-logs/tokens/issuing.test.ts',
      'test/tokens-logs/tokens/verifying.test.ts',
      'test/tokens-logs/tokens/clients.test.ts',
      'test/tokens-logs/tokens/keys.test.ts',
    ],
  },
  scopes: {
    code: ['api/frame/authentication.ts', 'protocol/tokens-logs/index.ts'],
    tests: ['test/tokens-logs/tokens/callers.test.ts'],
  },
  isolation: {
    code: ['entities/base.ts', 'entities/orm.ts', 'entities/roles.ts'],
    tests: [
      'test/frame/database/connect.test.ts',
      'test/frame/database/roles.test.ts',
      'test/administration/tenants.fence.test.ts',
      'test/administration/tenants.catalogue.test.ts',
    ],
  },
  idempotency: {
    code: ['api/frame/idempotency.ts', 'activities/frame/idempotency.ts', 'activities/frame/operations.ts'],
    tests: ['test/frame/api/idempotency.test.ts', 'test/frame/api/idempotency.passing.test.ts'],
  },
  outbound: {
    code: ['activities/frame/outbound/*.ts', 'protocol/hosts/addresses.ts'],
    tests: [
      'test/frame/outbound/url.test.ts',
      'test/frame/outbound/addresses.test.ts',
      'test/frame/outbound/post.test.ts',
      'test/frame/outbound/budget.counts.test.ts',
      'test/frame/outbound/dns.test.ts',
      'test/frame/outbound/requests.test.ts',
      'test/frame/outbound/exchange.test.ts',
      'test/frame/outbound/names.test.ts',
      'test/frame/outbound/turns.test.ts',
      'test/frame/outbound/outbound.test.ts',
    ],
  },
  verification: {
    code: [
      'protocol/semantic-credentials/checks.ts',
      'protocol/semantic-credentials/proofs.ts',
      'protocol/semantic-credentials/verify.ts',
      'protocol/data-integrity/verify.ts',
      'protocol/data-integrity/plain.ts',
      'protocol/data-integrity/refusals.ts',
    ],
    tests: [
      'test/semantic-credentials/protocol/checks.test.ts',
      'test/semantic-credentials/protocol/verdicts.test.ts',
      'test/data-integrity/plain.test.ts',
      'test/data-integrity/refusals.test.ts',
      'test/data-integrity/proof-check.test.ts',
      'test/semantic-credentials/protocol/protocol.test.ts',
      'test/semantic-credentials/abuse/proofs.test.ts',
    ],
  },
  status: {
    code: ['protocol/status-list/*.ts', 'activities/credentials/status-lists/changes.ts'],
    tests: [
      'test/credentials/status-lists/status-list.test.ts',
      'test/credentials/status-lists/credential.test.ts',
      'test/credentials/status-lists/history.test.ts',
      'test/semantic-credentials/semantic-credentials.test.ts',
      'test/credentials/revocation.test.ts',
      'test/credentials/suspension.test.ts',
    ],
  },
  outbox: {
    code: ['activities/frame/outbox.ts', 'activities/frame/outbox.relay.ts'],
    tests: [
      'test/frame/outbox/relay.test.ts',
      'test/frame/outbox/rows.test.ts',
      'test/frame/outbox/order.test.ts',
      'test/frame/outbox/turns.test.ts',
    ],
  },
  webhooks: {
    code: ['activities/webhooks/*.ts', 'protocol/webhooks/*.ts', 'workflows/webhooks.ts'],
    tests: [
      'test/webhooks/protocol.test.ts',
      'test/webhooks/webhooks.test.ts',
      'test/webhooks/records.test.ts',
      'test/webhooks/deliveries.test.ts',
      'test/webhooks/events.test.ts',
      'test/webhooks/private.test.ts',
    ],
  },
  messaging: {
    code: ['activities/messaging/*.ts', 'protocol/messaging/*.ts'],
    tests: [
      'test/messaging/didcomm.test.ts',
      'test/messaging/didcomm.vectors.test.ts',
      'test/messaging/encryption.test.ts',
      'test/messaging/encryption.hostile.test.ts',
      'test/messaging/inboxes.test.ts',
      'test/messaging/jwe.hostile.test.ts',
      'test/messaging/jwe.vectors.test.ts',
      'test/messaging/protocol.jws.test.ts',
      'test/messaging/registrations.test.ts',
      'test/messaging/sending.test.ts',
      'test/messaging/signatures.test.ts',
    ],
  },
  vault: {
    code: [
      'activities/keys/vault/batches.ts',
      'activities/keys/vault/gate.ts',
      'activities/keys/vault/transport.ts',
      'activities/frame/process/gathering.ts',
    ],
    tests: [
      'test/frame/gathering.test.ts',
      'test/keys/vault/batches.test.ts',
      'test/keys/vault/gate.test.ts',
      'test/keys/vault/transport.test.ts',
    ],
  },
  'sd-jwt': {
    code: [
      'protocol/sd-jwt-credentials/claims.ts',
      'protocol/sd-jwt-credentials/disclosures.ts',
      'protocol/sd-jwt-credentials/integrity.ts',
      'protocol/sd-jwt-credentials/key-binding.ts',
      'protocol/sd-jwt-credentials/keys.ts',
      'protocol/sd-jwt-credentials/processed.ts',
      'protocol/sd-jwt-credentials/read.ts',
      'protocol/sd-jwt-credentials/status-list.ts',
      'protocol/sd-jwt-credentials/verify.ts',
      'protocol/sd-jwt-credentials/x5c.ts',
      'protocol/sd-jwt-credentials/type-metadata/*.ts',
    ],
    tests: [
      'test/sd-jwt-credentials/protocol/claims.test.ts',
      'test/sd-jwt-credentials/protocol/examples.test.ts',
      'test/sd-jwt-credentials/protocol/issuers.test.ts',
      'test/sd-jwt-credentials/protocol/keys.test.ts',
      'test/sd-jwt-credentials/protocol/malformed.test.ts',
      'test/sd-jwt-credentials/protocol/status-lists.test.ts',
      'test/sd-jwt-credentials/protocol/type-metadata.test.ts',
      'test/sd-jwt-credentials/protocol/verdicts.test.ts',
      'test/sd-jwt-credentials/protocol/x5c.purposes.test.ts',
      'test/sd-jwt-credentials/protocol/x5c.test.ts',
    ],
  },
  'trust-lists': {
    code: ['protocol/trust-lists/*.ts', 'protocol/trust-lists/etsi/*.ts', 'protocol/trust-lists/etsi/xml/*.ts'],
    tests: [
      'test/trust-lists/bounds.test.ts',
      'test/trust-lists/gate.test.ts',
      'test/trust-lists/lote.malformed.test.ts',
      'test/trust-lists/lotl/pointers.test.ts',
      'test/trust-lists/sd-jwt.unlisted.test.ts',
      'test/trust-lists/trust.test.ts',
      'test/trust-lists/tsl.extensions.test.ts',
      'test/trust-lists/tsl.malformed.test.ts',
    ],
  },
}
