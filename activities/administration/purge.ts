import { sweepUploads } from '../credentials/batches/sweep.ts'
import { createSubjectIndex, indexMissingSubjects } from '../credentials/subjects.ts'
import type { Dependencies } from '../dependencies.ts'
import { KEPT_HOURS } from '../frame/idempotency.ts'
import { createFailures, deleteInSlices } from '../frame/slices.ts'
import { purgeReissuances } from '../openid/reissuances/purge.ts'
import { KEPT_COUNT_DAYS } from '../tokens-logs/logs/counts.ts'
import { purgeWebhooks } from '../webhooks/purge.ts'
import { createTenantErasure } from './tenants/erase.ts'
import { createImporting } from './transfers/importing.ts'
import { purgeTransfers } from './transfers/purge.ts'

/** Beyond the lifetime of tokens, should it have been longer when a deleted client got its last one. */
const KEPT_CLIENT_DAYS = 30
const KEPT_OUTBOX_DAYS = 7
/** Ended sessions hold nothing about a holder (D-469). */
const KEPT_SESSION_DAYS = 90

type Parts = Pick<Dependencies, 'config' | 'systemSql' | 'sql' | 'now' | 'log'> &
  Parameters<typeof createTenantErasure>[0] &
  Parameters<typeof createImporting>[0]

/** In the order in which they run. */
type Members = Record<
  | 'accountAttempts'
  | 'accountMails'
  | 'accountRegistrations'
  | 'accountSessions'
  | 'accountTokens'
  | 'credentialSubjects'
  | 'idempotencyKeys'
  | 'leftovers'
  | 'logCounts'
  | 'oauth2Clients'
  | 'organizationInvitations'
  | 'openIdAuthorizations'
  | 'openIdLogins'
  | 'openIdNonces'
  | 'openIdPresentations'
  | 'openIdReissuances'
  | 'openIdSessions'
  | 'openIdUsedJwts'
  | 'openIdSignIns'
  | 'openIdVerifierPayloads'
  | 'outboxRows'
  | 'rateLimits'
  | 'tenantExports'
  | 'tenantImports'
  | 'uploads'
  | 'webhookDeliveries'
  | 'webhookEvents',
  () => Promise<number>
>

type Counts = Record<keyof Members, number>

/** One piece of work that two members show the result of. */
function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let begun: Promise<Result> | undefined
  return () => (begun ??= work())
}

function membersOf(parts: Parts): Members {
  const { config, systemSql, sql, now } = parts
  const transfers = once(() => purgeTransfers(systemSql, createImporting(parts).abandonTenantImport))
  const webhooks = once(() => purgeWebhooks(systemSql, config.webhooks.retentionDays))
  const within =
    (table: string, condition: string, ...values: unknown[]) =>
    () =>
      deleteInSlices(systemSql, table, condition, values)
  const age = 'created_at < now() - make_interval(hours => $1)'
  const started = 'started_at < now() - make_interval(days => $1)' // null for a row that never started
  const deleted = 'deleted_at < now() - make_interval(days => $1)' // null for one that is not
  const ended = 'ended_at < now() - make_interval(days => $1)'
  const expired = 'expires_at < now()'
  const yesterday = "now() - interval '1 day'"
  return {
    tenantExports: async () => (await transfers()).exports,
    tenantImports: async () => (await transfers()).imports,
    webhookDeliveries: async () => (await webhooks()).deliveries,
    webhookEvents: async () => (await webhooks()).events,
    accountAttempts: within('account_attempts', `last_at < ${yesterday}`),
    accountMails: within('account_mails', `ended_at < ${yesterday}`),
    accountRegistrations: within('account_registrations', expired),
    accountSessions: within('account_sessions', `${expired} or ended_at < ${yesterday}`),
    accountTokens: within('account_tokens', expired),
    organizationInvitations: within('organization_invitations', expired),
    idempotencyKeys: within('idempotency_keys', age, KEPT_HOURS),
    leftovers: () => createTenantErasure(parts).eraseLeftovers(),
    logCounts: within('log_counts', 'hour < now() - make_interval(days => $1)', KEPT_COUNT_DAYS),
    oauth2Clients: within('oauth2_clients', deleted, KEPT_CLIENT_DAYS),
    openIdAuthorizations: within('openid_authorizations', expired),
    openIdLogins: within('openid_wallet_logins', expired),
    openIdNonces: within('openid_used_nonces', expired),
    openIdPresentations: within('openid_presentations', 'ended_at is not null and kept_until < now()'),
    openIdReissuances: () => purgeReissuances(systemSql),
    openIdSessions: within('openid_sessions', ended, KEPT_SESSION_DAYS),
    openIdUsedJwts: within('openid_used_jtis', expired),
    openIdSignIns: within('oidc_sign_ins', expired),
    openIdVerifierPayloads: within('oidc_payloads', expired),
    outboxRows: within('outbox', started, KEPT_OUTBOX_DAYS),
    rateLimits: () => deleteInSlices(sql, 'rate_limits', 'expire < $1', [now().getTime()]),
    uploads: () => sweepUploads(systemSql),
    // last, because it deletes nothing and may take a minute
    credentialSubjects: () => indexMissingSubjects(systemSql, createSubjectIndex(config)),
  }
}

/** Scheduled: deletes expired rows, and indexes the subjects of credentials of earlier releases. Safe to retry. */
export const createPurge = (parts: Parts) => ({
  /** A member that fails holds up no other one; the run fails at its end, and is tried again. */
  async purgeExpiredRows(): Promise<Counts> {
    const counts: Partial<Counts> = {}
    const failures = createFailures((error, member) =>
      parts.log.error({ err: error, member }, 'expired rows were not deleted'),
    )
    const members = Object.entries(membersOf(parts)) as [keyof Members, Members[keyof Members]][]
    for (const [name, purge] of members)
      await failures.attempt(name, async () => {
        counts[name] = await purge()
      })
    failures.end('expired rows were not deleted')
    return counts as Counts
  },
})

export type Purge = ReturnType<typeof createPurge>
