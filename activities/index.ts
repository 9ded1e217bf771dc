import { createPurge } from './administration.purge.ts'
import { createReconciliation } from './administration.reconcile.ts'
import { createTenantSettings } from './administration.settings.ts'
import { createAdministration } from './administration.ts'
import type { Dependencies } from './dependencies.ts'
import { createDidResolver } from './did-resolver.ts'
import { createLinkedDids } from './dids.linked.ts'
import { createPublicDids } from './dids.public.ts'
import { createDidRegistration } from './dids.registration.ts'
import { createDids } from './dids.ts'
import { createIdempotency } from './idempotency.ts'
import { createKeyInventory } from './keys/inventory.ts'
import { createOperations } from './operations.ts'
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
import { createNotificationDelivery } from './semantic-credentials.notifications.deliver.ts'
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
import { createClients } from './tokens-logs.clients.ts'
import { createTokenKeyRotation } from './tokens-logs.keys.ts'
import { createTokens } from './tokens-logs.tokens.ts'
import { createTokensLogs } from './tokens-logs.ts'
import type { Revival } from './work.revival.ts'

export { type Dependencies, openDependencies } from './dependencies.ts'

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
  const presenting = { ...parts, settings, credentialVerifier, presentationTemplates, presentationRequests }
  const derivation = createDerivation(parts)
  const presentations = createPresentations(presenting)
  return {
    administration,
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
