import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { type Connections, connect, type Sql, sqlOf } from '../entities/orm.ts'
import { assertFenced, roleUrl } from '../entities/roles.ts'
import { createPurge } from './administration.purge.ts'
import { createTenantSettings } from './administration.settings.ts'
import { createAdministration } from './administration.ts'
import { createDidResolver } from './did-resolver.ts'
import { createLinkedDids } from './dids.linked.ts'
import { createPublicDids } from './dids.public.ts'
import { createDidRegistration } from './dids.registration.ts'
import { createDids } from './dids.ts'
import { createDocuments, type Documents } from './documents/index.ts'
import { createEffects, createIdempotency, type Effects } from './idempotency.ts'
import { createEnvelopeRows } from './keys/envelopes.ts'
import type { KeyStore } from './keys/index.ts'
import { openKeyStore } from './keys/select.ts'
import { createLogger } from './logging.ts'
import { createOperations } from './operations.ts'
import { createOutbound, type Outbound } from './outbound-http.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { createSealer, type Sealer } from './sealing.ts'
import { createBatchEnds } from './semantic-credentials.batches.end.ts'
import { createBatchFiles } from './semantic-credentials.batches.files.ts'
import { createBatchOptions } from './semantic-credentials.batches.options.ts'
import { createBatchSigning } from './semantic-credentials.batches.sign.ts'
import { createBatches } from './semantic-credentials.batches.ts'
import { createBatchUploads } from './semantic-credentials.batches.upload.ts'
import { createTenantContexts } from './semantic-credentials.contexts.ts'
import { createDerivation } from './semantic-credentials.derive.ts'
import { createStatusEntries } from './semantic-credentials.entries.ts'
import { createIssuers } from './semantic-credentials.issuers.ts'
import { createLinkedData } from './semantic-credentials.linked-data.ts'
import { createNotifications } from './semantic-credentials.notifications.ts'
import { createAsking } from './semantic-credentials.presentations.asking.ts'
import { createPresentationRequests } from './semantic-credentials.presentations.requests.ts'
import { createPresentationTemplates } from './semantic-credentials.presentations.templates.ts'
import { createPresentations } from './semantic-credentials.presentations.ts'
import { createStatusSweep } from './semantic-credentials.publish.sweep.ts'
import { createStatusPublisher } from './semantic-credentials.publish.ts'
import { createRevocationSlices, createRevocations } from './semantic-credentials.revocations.ts'
import { createSigning } from './semantic-credentials.sign.ts'
import { createCredentialStatus } from './semantic-credentials.status.ts'
import { createTemplateSigning } from './semantic-credentials.templates.sign.ts'
import { createCredentialTemplates } from './semantic-credentials.templates.ts'
import { createSemanticCredentials } from './semantic-credentials.ts'
import { createVcApi } from './semantic-credentials.vc-api.ts'
import { createCredentialVerifier } from './semantic-credentials.verify.ts'
import { connectTemporal, type Temporal } from './temporal.ts'
import { createLogQueue, type LogQueue } from './tokens-logs.queue.ts'
import { createTokens } from './tokens-logs.tokens.ts'
import { createTokensLogs } from './tokens-logs.ts'

/** Everything an activity may close over. */
export interface Dependencies {
  config: Config
  database: Connections
  /** The application role's pool, for the statements where one round trip matters. */
  sql: Sql
  /** The system role's pool: sees every tenant. */
  systemSql: Sql
  keys: KeyStore
  documents: Documents
  outbound: Outbound
  temporal: Temporal
  outbox: Outbox
  effects: Effects
  sealer: Sealer
  logs: LogQueue
  log: Logger
  now(): Date
  uuid(): string
}

export async function openDependencies(config: Config): Promise<Dependencies & { pool: Pool; close(): Promise<void> }> {
  const log = createLogger(config.logLevel)
  const { url, poolSize, timeoutMs } = config.database
  const tenants = await connect(roleUrl(url, config.masterKey, 'app'), poolSize, timeoutMs)
  const system = await connect(roleUrl(url, config.masterKey, 'system'), poolSize, timeoutMs)
  const database: Connections = {
    tenants,
    system,
    close: async () => {
      await tenants.close()
      await system.close()
    },
  }
  await assertFenced(tenants)
  const sql = await sqlOf(tenants)
  const systemSql = await sqlOf(system)
  const sealer = createSealer(config.masterKey, 'stored-answers')
  const logs = createLogQueue(systemSql, log)
  const keys = openKeyStore({ config, envelopes: createEnvelopeRows(database.tenants) })
  const dependencies: Dependencies = {
    config,
    database,
    sql,
    systemSql,
    keys,
    documents: createDocuments(),
    outbound: createOutbound(config.outbound, { log }),
    temporal: connectTemporal(config),
    outbox: createOutbox(config.masterKey),
    effects: createEffects(sealer),
    sealer,
    logs,
    log,
    now: () => new Date(),
    uuid: randomUUID,
  }
  return {
    ...dependencies,
    pool: sql as Pool,
    async close() {
      await logs.close()
      await keys.close()
      await dependencies.temporal.close()
      await dependencies.documents.close()
      await database.close()
    },
  }
}

/** Every area's verbs, joined: what the controllers call in process. */
export function createPlatform(dependencies: Dependencies) {
  const operations = createOperations(dependencies)
  const administration = createAdministration(dependencies)
  const settings = createTenantSettings({ ...dependencies, operations })
  const publicDids = createPublicDids({ ...dependencies, administration })
  const didResolver = createDidResolver({ ...dependencies, local: publicDids.hostedDocument })
  const registration = createDidRegistration({ ...dependencies, didResolver })
  const contexts = createTenantContexts({ ...dependencies, operations, settings })
  const issuers = createIssuers(dependencies)
  const entries = createStatusEntries(dependencies)
  const credentialStatus = createCredentialStatus(dependencies)
  const signing = createSigning({ ...dependencies, administration, contexts, entries, issuers })
  const shared = { operations, administration, registration, didResolver, contexts, issuers, entries, credentialStatus }
  const parts = { ...dependencies, ...shared, signing }
  const revocations = createRevocations(parts)
  const semanticCredentials = createSemanticCredentials(parts)
  const credentialTemplates = createCredentialTemplates(parts)
  const templateSigning = createTemplateSigning({ ...parts, semanticCredentials, credentialTemplates })
  const batchOptions = createBatchOptions({ ...parts, credentialTemplates, templateSigning })
  const batchUploads = createBatchUploads({ ...parts, batchOptions })
  const credentialVerifier = createCredentialVerifier(parts)
  const presentationTemplates = createPresentationTemplates(parts)
  const asking = createAsking({ ...parts, presentationTemplates })
  const presentationRequests = createPresentationRequests({ ...parts, asking })
  const presenting = { ...parts, credentialVerifier, presentationTemplates, presentationRequests }
  const derivation = createDerivation(parts)
  const presentations = createPresentations(presenting)
  return {
    administration,
    settings,
    didResolver,
    registration,
    publicDids,
    tokens: createTokens(dependencies),
    idempotency: createIdempotency(dependencies),
    tokensLogs: createTokensLogs(dependencies),
    dids: createDids(parts),
    linkedDids: createLinkedDids(parts),
    contexts,
    credentialStatus,
    semanticCredentials,
    credentialTemplates,
    templateSigning,
    credentialVerifier,
    derivation,
    linkedData: createLinkedData(parts),
    presentationTemplates,
    presentationRequests,
    presentations,
    vcApi: createVcApi({ ...presenting, settings, semanticCredentials, derivation, presentations }),
    statusPublisher: createStatusPublisher(parts),
    batchUploads,
    revocations,
    notifications: createNotifications(parts),
    batches: createBatches({ ...parts, batchUploads, batchOptions, revocations }),
    batchFiles: createBatchFiles(dependencies),
    batchSigning: createBatchSigning({ ...parts, templateSigning }),
    batchEnds: createBatchEnds(dependencies),
  }
}

export type Platform = ReturnType<typeof createPlatform>

/** What the worker counts of what its activities do. */
export interface Observers {
  statusListTried?(outcome: 'signed' | 'failed'): void
}

/** The same verbs as Temporal calls them: retried, durable. */
export function createActivities(dependencies: Dependencies, { statusListTried }: Observers = {}) {
  const { registration, statusPublisher, batchSigning, batchEnds, notifications } = createPlatform(dependencies)
  const { deliverNotification, concludeNotification } = notifications
  return {
    ...registration,
    ...createStatusSweep({ ...dependencies, statusPublisher, tried: statusListTried }),
    ...batchSigning,
    ...batchEnds,
    ...createRevocationSlices(dependencies),
    deliverNotification,
    concludeNotification,
    ...createPurge(dependencies),
  }
}
