/** A part of the platform that must let no bug in: its code, and the tests that are to find one there. */
export interface Module {
  code: string[]
  tests: string[]
}

export const MODULES: Readonly<Record<string, Module>> = {
  authentication: {
    code: ['activities/tokens-logs.tokens.ts', 'activities/tokens-logs.keys.ts', 'activities/tokens-logs.clients.ts'],
    tests: [
      'test/tokens-logs.test.ts',
      'test/tokens-logs.keys.test.ts',
      'test/tokens-logs.cache.test.ts',
      'test/tokens-logs.limits.strangers.test.ts',
    ],
  },
  scopes: {
    code: ['api/authentication.ts', 'protocol/tokens-logs.ts'],
    tests: [
      'test/tokens-logs.test.ts',
      'test/tokens-logs.scopes.test.ts',
      'test/semantic-credentials.vc-api.test.ts',
      'test/idempotency.test.ts',
    ],
  },
  isolation: {
    code: ['entities/base.ts', 'entities/orm.ts', 'entities/roles.ts'],
    tests: [
      'test/tenants.fence.test.ts',
      'test/tenants.catalogue.test.ts',
      'test/tenants.orm-fence.test.ts',
      'test/tenants.row-fence.test.ts',
    ],
  },
  idempotency: {
    code: ['api/idempotency.ts', 'activities/idempotency.ts', 'activities/operations.ts'],
    tests: ['test/idempotency.test.ts', 'test/idempotency.passing.test.ts'],
  },
  outbound: {
    code: ['activities/outbound-http*.ts', 'protocol/ip-addresses.ts'],
    tests: ['test/outbound-http.test.ts', 'test/outbound-http.ssrf.test.ts'],
  },
  verification: {
    code: [
      'protocol/semantic-credentials.checks.ts',
      'protocol/semantic-credentials.proofs.ts',
      'protocol/semantic-credentials.verify.ts',
      'protocol/data-integrity.verify.ts',
      'protocol/data-integrity.plain.ts',
      'protocol/data-integrity.refusals.ts',
    ],
    tests: [
      'test/semantic-credentials.protocol.test.ts',
      'test/semantic-credentials.protocol.interop.test.ts',
      'test/semantic-credentials.abuse.proofs.test.ts',
      'test/semantic-credentials.abuse.statements.test.ts',
      'test/semantic-credentials.abuse.values.test.ts',
      'test/semantic-credentials.members.test.ts',
    ],
  },
  status: {
    code: ['protocol/status-list*.ts', 'activities/semantic-credentials.status.ts'],
    tests: [
      'test/status-list.test.ts',
      'test/status-list.credential.test.ts',
      'test/status-list.history.test.ts',
      'test/semantic-credentials.test.ts',
      'test/semantic-credentials.revocation.test.ts',
      'test/semantic-credentials.suspension.test.ts',
    ],
  },
  outbox: {
    code: ['activities/outbox.ts', 'activities/outbox.relay.ts'],
    tests: ['test/outbox.test.ts', 'test/outbox.order.test.ts', 'test/outbox.turns.test.ts'],
  },
}
