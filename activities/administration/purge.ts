import { sweepUploads } from '../credentials/batches/sweep.ts'
import { createSubjectIndex, indexMissingSubjects } from '../credentials/subjects.ts'
import type { Dependencies } from '../dependencies.ts'
import { KEPT_HOURS } from '../frame/idempotency.ts'
import { deleteInSlices } from '../frame/slices.ts'
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
/** Re-issuances whose time is up, whose first session gave nothing, or whose templates were all deleted. */
const OVER = `ends_at < now()
  or (content is null and not exists (select from openid_sessions s where s.tenant_id = openid_reissuances.tenant_id
    and s.id = openid_reissuances.session_id and s.ended_at is null))
  or (content is not null and not exists (select from semantic_templates t where t.tenant_id = openid_reissuances.tenant_id
    and t.id = any (openid_reissuances.template_ids) and t.deleted_at is null))`

type Parts = Pick<Dependencies, 'config' | 'systemSql' | 'sql' | 'now'> &
  Parameters<typeof createTenantErasure>[0] &
  Parameters<typeof createImporting>[0]

/** Scheduled: deletes expired rows, and indexes the subjects of credentials of earlier releases. Safe to retry. */
export const createPurge = (parts: Parts) => ({
  async purgeExpiredRows(): Promise<
    Record<
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
      number
    >
  > {
    const { config, systemSql, sql, now } = parts
    const transfers = await purgeTransfers(systemSql, createImporting(parts).abandonTenantImport)
    const webhooks = await purgeWebhooks(systemSql, config.webhooks.retentionDays)
    const age = 'created_at < now() - make_interval(hours => $1)'
    const started = 'started_at < now() - make_interval(days => $1)' // null for a row that never started
    const deleted = 'deleted_at < now() - make_interval(days => $1)' // null for one that is not
    const ended = 'ended_at < now() - make_interval(days => $1)'
    const expired = 'expires_at < now()'
    return {
      accountAttempts: await deleteInSlices(systemSql, 'account_attempts', `last_at < now() - interval '1 day'`, []),
      accountMails: await deleteInSlices(systemSql, 'account_mails', `ended_at < now() - interval '1 day'`, []),
      accountRegistrations: await deleteInSlices(systemSql, 'account_registrations', expired, []),
      accountSessions: await deleteInSlices(
        systemSql,
        'account_sessions',
        `${expired} or ended_at < now() - interval '1 day'`,
        [],
      ),
      accountTokens: await deleteInSlices(systemSql, 'account_tokens', expired, []),
      organizationInvitations: await deleteInSlices(systemSql, 'organization_invitations', expired, []),
      idempotencyKeys: await deleteInSlices(systemSql, 'idempotency_keys', age, [KEPT_HOURS]),
      leftovers: await createTenantErasure(parts).eraseLeftovers(),
      logCounts: await deleteInSlices(systemSql, 'log_counts', 'hour < now() - make_interval(days => $1)', [
        KEPT_COUNT_DAYS,
      ]),
      oauth2Clients: await deleteInSlices(systemSql, 'oauth2_clients', deleted, [KEPT_CLIENT_DAYS]),
      openIdAuthorizations: await deleteInSlices(systemSql, 'openid_authorizations', 'expires_at < now()', []),
      openIdLogins: await deleteInSlices(systemSql, 'openid_wallet_logins', 'expires_at < now()', []),
      openIdNonces: await deleteInSlices(systemSql, 'openid_used_nonces', 'expires_at < now()', []),
      openIdPresentations: await deleteInSlices(systemSql, 'openid_presentations', 'kept_until < now()', []),
      openIdReissuances: await deleteInSlices(systemSql, 'openid_reissuances', OVER, []),
      openIdSessions: await deleteInSlices(systemSql, 'openid_sessions', ended, [KEPT_SESSION_DAYS]),
      openIdUsedJwts: await deleteInSlices(systemSql, 'openid_used_jtis', 'expires_at < now()', []),
      openIdSignIns: await deleteInSlices(systemSql, 'oidc_sign_ins', 'expires_at < now()', []),
      openIdVerifierPayloads: await deleteInSlices(systemSql, 'oidc_payloads', 'expires_at < now()', []),
      outboxRows: await deleteInSlices(systemSql, 'outbox', started, [KEPT_OUTBOX_DAYS]),
      rateLimits: await deleteInSlices(sql, 'rate_limits', 'expire < $1', [now().getTime()]),
      tenantExports: transfers.exports,
      tenantImports: transfers.imports,
      uploads: await sweepUploads(systemSql),
      webhookDeliveries: webhooks.deliveries,
      webhookEvents: webhooks.events,
      // last, because it deletes nothing and may take a minute
      credentialSubjects: await indexMissingSubjects(systemSql, createSubjectIndex(config)),
    }
  },
})

export type Purge = ReturnType<typeof createPurge>
