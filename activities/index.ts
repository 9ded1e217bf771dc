import { createKeyInventory } from './administration/key-inventory.ts'
import { createPurge } from './administration/purge.ts'
import { createReconciliation } from './administration/reconcile.ts'
import { createBatchEnds } from './credentials/batches/end.ts'
import { createBatchFiles } from './credentials/batches/files.ts'
import { createBatches } from './credentials/batches/index.ts'
import { createBatchSigning } from './credentials/batches/sign.ts'
import { createBatchUploads } from './credentials/batches/upload.ts'
import { type CredentialFormat, createFormats } from './credentials/format.ts'
import { createIssuing } from './credentials/issue.ts'
import { createNotificationDelivery } from './credentials/notifications.deliver.ts'
import { createNotifications } from './credentials/notifications.ts'
import { createCredentialReader } from './credentials/read.ts'
import { createRevocationSlices, createRevocations } from './credentials/revocations.ts'
import { createStatusEntries, type StatusEntries } from './credentials/status-lists/allocation.ts'
import { createCredentialStatus } from './credentials/status-lists/changes.ts'
import { createStatusPublisher } from './credentials/status-lists/publish.ts'
import { createStatusSweep } from './credentials/status-lists/sweep.ts'
import type { Dependencies } from './dependencies.ts'
import { createDids } from './dids/index.ts'
import { createLinkedDids } from './dids/linked.ts'
import { createPublicDids } from './dids/public.ts'
import { createDidRegistration } from './dids/registration.ts'
import { createDidResolver } from './dids/resolver.ts'
import { createSigners, type Signers } from './dids/signers.ts'
import { createIdempotency } from './frame/idempotency.ts'
import { createOperations } from './frame/operations.ts'
import { createTenants } from './frame/tenants/index.ts'
import { createTenantSettings } from './frame/tenants/settings.ts'
import type { Revival } from './frame/work.revival.ts'
import { createSemanticBatches } from './semantic-credentials/batches.ts'
import { createTenantContexts } from './semantic-credentials/contexts.ts'
import { createDerivation } from './semantic-credentials/derive.ts'
import { createSemanticFormat } from './semantic-credentials/format.ts'
import { createSemanticCredentials } from './semantic-credentials/index.ts'
import { createLinkedData } from './semantic-credentials/linked-data.ts'
import { createAsking } from './semantic-credentials/presentations/asking.ts'
import { createPresentations } from './semantic-credentials/presentations/index.ts'
import { createPresentationRequests } from './semantic-credentials/presentations/requests.ts'
import { createPresentationTemplates } from './semantic-credentials/presentations/templates.ts'
import { createSigning } from './semantic-credentials/sign.ts'
import { createSemanticLists } from './semantic-credentials/status-lists.ts'
import { createTemplateSigning } from './semantic-credentials/templates.sign.ts'
import { createCredentialTemplates } from './semantic-credentials/templates.ts'
import { createVcApi } from './semantic-credentials/vc-api.ts'
import { createCredentialVerifier } from './semantic-credentials/verify.ts'
import { createClients } from './tokens-logs/clients.ts'
import { createTokensLogs } from './tokens-logs/index.ts'
import { createTokenKeyRotation } from './tokens-logs/keys.ts'
import { createTokens } from './tokens-logs/tokens.ts'

export { type Dependencies, openDependencies } from './dependencies.ts'

/** What a format is made of, besides its own protocol. */
export interface FormatParts extends Dependencies {
  signers: Signers
  entries: StatusEntries
  semantic: CredentialFormat
}

/** Formats besides those of the platform. */
export type MoreFormats = (parts: FormatParts) => CredentialFormat[]

/** Every area's verbs, joined: what the controllers call in process. */
export function createPlatform(dependencies: Dependencies, moreFormats: MoreFormats = () => []) {
  const operations = createOperations(dependencies)
  const tenants = createTenants(dependencies)
  const settings = createTenantSettings({ ...dependencies, operations })
  const publicDids = createPublicDids({ ...dependencies, tenants })
  const didResolver = createDidResolver({ ...dependencies, local: publicDids.hostedDocument })
  const registration = createDidRegistration({ ...dependencies, didResolver })
  const contexts = createTenantContexts({ ...dependencies, operations, settings })
  const signers = createSigners(dependencies)
  const entries = createStatusEntries(dependencies)
  const credentialStatus = createCredentialStatus(dependencies)
  const signing = createSigning({ ...dependencies, tenants, contexts, entries, signers })
  const issuing = createIssuing({ ...dependencies, signers })
  const semanticCredentials = createSemanticCredentials({ issuing, signing })
  const credentialTemplates = createCredentialTemplates({ ...dependencies, operations })
  const templateSigning = createTemplateSigning({ ...dependencies, signers, semanticCredentials, credentialTemplates })
  const templating = { contexts, signers, signing, credentialTemplates, templateSigning }
  const semantic = createSemanticFormat({
    signing,
    statusKinds: createSemanticLists({ ...dependencies, signers }),
    batches: createSemanticBatches({ ...dependencies, ...templating }),
  })
  const formats = createFormats([semantic, ...moreFormats({ ...dependencies, signers, entries, semantic })])
  const { statusKinds } = formats
  const shared = {
    operations,
    tenants,
    registration,
    didResolver,
    contexts,
    signers,
    credentialStatus,
    formats,
    statusKinds,
  }
  const parts = { ...dependencies, ...shared }
  const revocations = createRevocations(parts)
  const batchUploads = createBatchUploads(parts)
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
    issuing,
    credentials: createCredentialReader(dependencies),
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
    batches: createBatches({ ...parts, batchUploads, revocations }),
    batchFiles: createBatchFiles(dependencies),
    batchSigning: createBatchSigning(parts),
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
export function createActivities(
  dependencies: Dependencies,
  { statusListTried, reconciled }: Observers = {},
  moreFormats?: MoreFormats,
) {
  const platform = createPlatform(dependencies, moreFormats)
  const { registration, statusPublisher, batchSigning, batchEnds, notificationDelivery } = platform
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
