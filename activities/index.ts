import { createKeyInventory } from './administration/key-inventory.ts'
import { createPurge } from './administration/purge.ts'
import { createReconciliation } from './administration/reconcile.ts'
import { createBatchEnds } from './credentials/batches/end.ts'
import { createBatchFiles } from './credentials/batches/files.ts'
import { createBatches } from './credentials/batches/index.ts'
import { createBatchOptions } from './credentials/batches/options.ts'
import { createBatchSigning } from './credentials/batches/sign.ts'
import { createBatchUploads } from './credentials/batches/upload.ts'
import { createNotificationDelivery } from './credentials/notifications.deliver.ts'
import { createNotifications } from './credentials/notifications.ts'
import { createRevocationSlices, createRevocations } from './credentials/revocations.ts'
import { createStatusEntries } from './credentials/status-lists/allocation.ts'
import { createCredentialStatus } from './credentials/status-lists/changes.ts'
import { createStatusPublisher } from './credentials/status-lists/publish.ts'
import { createStatusSweep } from './credentials/status-lists/sweep.ts'
import type { Dependencies } from './dependencies.ts'
import { createDids } from './dids/lifecycle.ts'
import { createLinkedDids } from './dids/linked.ts'
import { createPublicDids } from './dids/public.ts'
import { createDidRegistration } from './dids/registration.ts'
import { createDidResolver } from './dids/resolver.ts'
import { createIssuers } from './dids/signers.ts'
import { createIdempotency } from './frame/idempotency.ts'
import { createOperations } from './frame/operations.ts'
import { createTenants } from './frame/tenants/index.ts'
import { createTenantSettings } from './frame/tenants/settings.ts'
import type { Revival } from './frame/work.revival.ts'
import { createTenantContexts } from './semantic-credentials/contexts.ts'
import { createDerivation } from './semantic-credentials/derive.ts'
import { createSemanticCredentials } from './semantic-credentials/issue.ts'
import { createLinkedData } from './semantic-credentials/linked-data.ts'
import { createAsking } from './semantic-credentials/presentations/asking.ts'
import { createPresentations } from './semantic-credentials/presentations/index.ts'
import { createPresentationRequests } from './semantic-credentials/presentations/requests.ts'
import { createPresentationTemplates } from './semantic-credentials/presentations/templates.ts'
import { createSigning } from './semantic-credentials/sign.ts'
import { createTemplateSigning } from './semantic-credentials/templates.sign.ts'
import { createCredentialTemplates } from './semantic-credentials/templates.ts'
import { createVcApi } from './semantic-credentials/vc-api.ts'
import { createCredentialVerifier } from './semantic-credentials/verify.ts'
import { createClients } from './tokens-logs/clients.ts'
import { createTokenKeyRotation } from './tokens-logs/keys.ts'
import { createTokensLogs } from './tokens-logs/logs.ts'
import { createTokens } from './tokens-logs/tokens.ts'

export { type Dependencies, openDependencies } from './dependencies.ts'

/** Every area's verbs, joined: what the controllers call in process. */
export function createPlatform(dependencies: Dependencies) {
  const operations = createOperations(dependencies)
  const tenants = createTenants(dependencies)
  const settings = createTenantSettings({ ...dependencies, operations })
  const publicDids = createPublicDids({ ...dependencies, tenants })
  const didResolver = createDidResolver({ ...dependencies, local: publicDids.hostedDocument })
  const registration = createDidRegistration({ ...dependencies, didResolver })
  const contexts = createTenantContexts({ ...dependencies, operations, settings })
  const issuers = createIssuers(dependencies)
  const entries = createStatusEntries(dependencies)
  const credentialStatus = createCredentialStatus(dependencies)
  const signing = createSigning({ ...dependencies, tenants, contexts, entries, issuers })
  const shared = { operations, tenants, registration, didResolver, contexts, issuers, entries, credentialStatus }
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
  const presenting = { ...parts, settings, credentialVerifier, presentationTemplates, presentationRequests }
  const derivation = createDerivation(parts)
  const presentations = createPresentations(presenting)
  return {
    tenants,
    settings,
    didResolver,
    registration,
    publicDids,
    clients: createClients(dependencies),
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
    vcApi: createVcApi({ ...presenting, semanticCredentials, derivation, presentations }),
    statusPublisher: createStatusPublisher(parts),
    batchUploads,
    revocations,
    notifications: createNotifications(parts),
    notificationDelivery: createNotificationDelivery(parts),
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
  reconciled?(workflowType: string, outcome: Revival): void
}

/** The same verbs as Temporal calls them: retried, durable. */
export function createActivities(dependencies: Dependencies, { statusListTried, reconciled }: Observers = {}) {
  const { registration, statusPublisher, batchSigning, batchEnds, notificationDelivery } = createPlatform(dependencies)
  const { rotateTokenKeys } = createTokenKeyRotation(dependencies)
  return {
    ...registration,
    ...createStatusSweep({ ...dependencies, statusPublisher, tried: statusListTried }),
    ...batchSigning,
    ...batchEnds,
    ...createRevocationSlices(dependencies),
    ...notificationDelivery,
    ...createPurge(dependencies),
    ...createReconciliation({ ...dependencies, reconciled }),
    compareRestoredKeys: createKeyInventory(dependencies).compareRestoredKeys,
    rotateTokenKeys,
  }
}
