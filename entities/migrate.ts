import type { Constructor } from '@mikro-orm/core'
import { type Migration, Migrator } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/postgresql'
import { Foundation } from './migrations/0001-foundation.ts'
import { DomainLinkages } from './migrations/0002-domain-linkages.ts'
import { CredentialTemplates } from './migrations/0003-credential-templates.ts'
import { Presentations } from './migrations/0004-presentations.ts'
import { TenantSettings } from './migrations/0005-tenant-settings.ts'
import { Batches } from './migrations/0006-batches.ts'
import { IdempotencyClaims } from './migrations/0007-idempotency-claims.ts'
import { StatusHistory } from './migrations/0008-status-history.ts'
import { BatchTemplates } from './migrations/0009-batch-templates.ts'
import { StatusListPublishing } from './migrations/0010-status-list-publishing.ts'
import { GivenIds } from './migrations/0011-given-ids.ts'
import { Recovery } from './migrations/0012-recovery.ts'
import { VerificationRules } from './migrations/0014-verification-rules.ts'
import { NotificationLimits } from './migrations/0015-notification-limits.ts'
import { OutboxTurns } from './migrations/0016-outbox-turns.ts'
import { KeyStoreLogins } from './migrations/0017-key-store-logins.ts'
import { entities } from './orm.ts'
import { createRoles } from './roles.ts'
import { assertPostgresVersion, type MigrationName, SCHEMA } from './schema.ts'

const MIGRATIONS: Record<MigrationName, Constructor<Migration>> = {
  '0001-foundation': Foundation,
  '0002-domain-linkages': DomainLinkages,
  '0003-credential-templates': CredentialTemplates,
  '0004-presentations': Presentations,
  '0005-tenant-settings': TenantSettings,
  '0006-batches': Batches,
  '0007-idempotency-claims': IdempotencyClaims,
  '0008-status-history': StatusHistory,
  '0009-batch-templates': BatchTemplates,
  '0010-status-list-publishing': StatusListPublishing,
  '0011-given-ids': GivenIds,
  '0012-recovery': Recovery,
  '0014-verification-rules': VerificationRules,
  '0015-notification-limits': NotificationLimits,
  '0016-outbox-turns': OutboxTurns,
  '0017-key-store-logins': KeyStoreLogins,
}

/** Any constant, the same in every process: one of them migrates, the others wait. */
const MIGRATION_LOCK = 7_261_937

/**
 * Brings the schema and the roles up to date as the owner. Several processes may call it at once. `to`: the schema as it was
 * after this migration, without roles, which are for the newest one.
 */
export async function migrate(ownerUrl: string, masterKey: Uint8Array, to?: MigrationName): Promise<void> {
  const orm = await MikroORM.init({
    entities,
    clientUrl: ownerUrl,
    extensions: [Migrator],
    pool: { min: 0, max: 4 },
    logger: () => undefined,
    migrations: {
      migrationsList: SCHEMA.map((name) => ({ name, class: MIGRATIONS[name] })),
      snapshot: false,
      tableName: 'migrations',
      silent: true,
    },
  })
  try {
    const [server] = await orm.em.execute<{ version: number }[]>(
      `select current_setting('server_version_num')::int as version`,
    )
    assertPostgresVersion(server?.version ?? 0)
    await orm.em.transactional(async (lock) => {
      await lock.execute('select pg_advisory_xact_lock(?)', [MIGRATION_LOCK])
      await orm.migrator.up(to ? { to } : {})
      if (!to) await createRoles(orm, ownerUrl, masterKey)
    })
  } finally {
    await orm.close()
  }
}
