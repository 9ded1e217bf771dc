import { MikroORM, type SqlEntityManager } from '@mikro-orm/postgresql'
import type { Pool } from 'pg'
import * as accounts from './administration/accounts.ts'
import * as content from './administration/content.ts'
import * as ecosystems from './administration/ecosystems.ts'
import * as privacy from './administration/privacy.ts'
import * as tenants from './administration/tenants.ts'
import * as transfers from './administration/transfers.ts'
import { EVERY_TENANT, type Rights } from './base.ts'
import * as claimSources from './claim-sources.ts'
import * as compactCredentials from './compact-credentials.ts'
import * as batches from './credentials/batches.ts'
import * as credentials from './credentials/credentials.ts'
import * as statusLists from './credentials/status-lists.ts'
import * as templates from './credentials/templates.ts'
import * as dids from './dids.ts'
import * as domains from './domains.ts'
import * as keys from './keys.ts'
import * as messaging from './messaging.ts'
import * as mobileCredentials from './mobile-credentials.ts'
import * as openIdConfiguration from './openid/configuration.ts'
import * as openIdPresentations from './openid/presentations.ts'
import * as openIdProviders from './openid/providers.ts'
import * as openIdReissuances from './openid/reissuances.ts'
import * as openIdSessions from './openid/sessions.ts'
import * as openIdUsers from './openid/users.ts'
import * as openIdVerifiers from './openid/verifiers.ts'
import * as openIdWallets from './openid/wallets.ts'
import * as outbox from './outbox.ts'
import { type PoolObserver, watchPool } from './pool.ts'
import * as presentations from './semantic-credentials.presentations.ts'
import * as semanticCredentials from './semantic-credentials.ts'
import * as tokensLogs from './tokens-logs.ts'
import * as trustLists from './trust-lists/lists.ts'
import * as webhooks from './webhooks.ts'

/** Each exports entities and the rights to its tables, and nothing else. */
const AREAS = [
  accounts,
  content,
  privacy,
  tenants,
  transfers,
  ecosystems,
  claimSources,
  compactCredentials,
  batches,
  credentials,
  dids,
  domains,
  keys,
  messaging,
  mobileCredentials,
  openIdConfiguration,
  openIdProviders,
  openIdReissuances,
  openIdSessions,
  openIdUsers,
  openIdWallets,
  openIdVerifiers,
  openIdPresentations,
  outbox,
  presentations,
  templates,
  semanticCredentials,
  statusLists,
  tokensLogs,
  trustLists,
  webhooks,
] as const

export const entities = AREAS.flatMap((area) => Object.values(area).filter((member) => typeof member === 'function'))

/** Each table with the rights of the roles. */
export const RIGHTS = AREAS.flatMap((area) => Object.entries<Rights[string]>(area.RIGHTS))

/** A pool of `pg`, for the few statements where one round trip matters. */
export interface Sql {
  query<Row extends object>(query: { name?: string; text: string; values: unknown[] }): Promise<{ rows: Row[] }>
}

export interface Connections {
  /** The application's role: sees one tenant at a time. */
  tenants: MikroORM
  /** The role of scheduled jobs, the relay and look-ups before a tenant is known: sees all tenants. */
  system: MikroORM
}

const STATEMENT_MS = 5_000
/** Later than the server's own limit of a statement. */
const ANSWER_MS = STATEMENT_MS + 1_000
/** Detects a lost host within 20 s; the system's default takes two hours. */
const KEEPALIVE_MS = 10_000

const opened = (
  clientUrl: string,
  pool: { max: number; idleTimeoutMillis?: number },
  driverOptions: object = {},
): Promise<MikroORM> =>
  MikroORM.init({
    entities,
    clientUrl,
    pool: { min: 0, ...pool },
    driverOptions: { ...driverOptions, keepAlive: true, keepAliveInitialDelayMillis: KEEPALIVE_MS },
    forceUtcTimezone: true,
    logger: () => undefined,
  })

/** One pool of connections as one role. Statements end after 5 s, waits for a lock after 2 s: slow beats stuck. */
export const connect = (
  clientUrl: string,
  poolSize: number,
  timeoutMs = 2_000,
  observer?: PoolObserver,
): Promise<MikroORM> =>
  opened(
    clientUrl,
    { max: poolSize, idleTimeoutMillis: 30_000 },
    {
      connectionTimeoutMillis: timeoutMs,
      statement_timeout: STATEMENT_MS,
      lock_timeout: 2_000,
      idle_in_transaction_session_timeout: 10_000,
      onPoolCreated: (pool: Pool) => watchPool(pool, ANSWER_MS, observer),
    },
  )

/** As `connect`, for commands that read or write whole tables: a statement may take as long as it needs. */
export const connectUnhurried = (clientUrl: string, poolSize: number): Promise<MikroORM> =>
  opened(clientUrl, { max: poolSize })

/** Settings of PostgreSQL for one transaction. */
type Planning = Readonly<Record<`enable_${string}`, 'on' | 'off'>>

/**
 * For reads of the next rows behind a key, again and again: along an index, row by row, whatever the statistics say. Of
 * a table that grew since it was analysed they say that sorting all of it is cheaper, which each read would then do.
 */
export const ALONG_INDEX: Planning = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
}

/**
 * An entity manager of its own, also within a transaction of another one: the context by which MikroORM finds that one has
 * the same name for all connections of a process, so that `work` would run as that one's role.
 */
const forkOf = (orm: MikroORM): SqlEntityManager => orm.em.fork({ disableContextResolution: true })

/** Runs `work` in one transaction that sees one tenant's rows alone, through both fences. */
export function inTenant<T>(
  orm: MikroORM,
  tenantId: string,
  work: (em: SqlEntityManager) => Promise<T>,
  planning: Planning = {},
): Promise<T> {
  const em = forkOf(orm)
  em.setFilterParams('tenant', { tenantId })
  em.setSessionContext({ variables: { 'app.tenant': tenantId, ...planning } })
  return em.transactional((tx) => work(tx))
}

/** Runs `work` in one transaction as the system role: the tenant filter is off, row-level security lets it through. */
export function asSystem<T>(
  orm: MikroORM,
  work: (em: SqlEntityManager) => Promise<T>,
  planning?: Planning,
): Promise<T> {
  const em = forkOf(orm)
  em.setFilterParams('tenant', { tenantId: EVERY_TENANT })
  if (planning) em.setSessionContext({ variables: planning })
  return em.transactional((tx) => work(tx))
}

/** The `pg` pool under a MikroORM. */
export const sqlOf = async (orm: MikroORM): Promise<Sql> => (await orm.driver.getConnection().getNativeClient()) as Sql

/** Lets one transaction after the other pass here, until it ends: for counts that a limit is compared with. */
export async function takeTurn(em: SqlEntityManager, name: string): Promise<void> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [name])
}
