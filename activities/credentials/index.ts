import type { PolicyGate } from '../../protocol/credentials/policy.ts'
import type { TrustGate } from '../../protocol/credentials/trust.ts'
import type { DidArea } from '../dids/index.ts'
import type { Frame } from '../frame/index.ts'
import { createBatchEnds } from './batches/end.ts'
import { createBatchFiles } from './batches/files.ts'
import { createBatches } from './batches/index.ts'
import { createBatchSigning } from './batches/sign.ts'
import { createBatchUploads } from './batches/upload.ts'
import type { Formats } from './format.ts'
import { createIssuing } from './issue.ts'
import { createNotificationDelivery, type HolderMessages } from './notifications.deliver.ts'
import { createNotifications } from './notifications.ts'
import { createCredentialReader } from './read.ts'
import { createRevocationSlices, createRevocations } from './revocations.ts'
import { createCredentialSearch } from './search.ts'
import { createStatusEntries } from './status-lists/allocation.ts'
import { createCredentialStatus } from './status-lists/changes.ts'
import { createNamedLists } from './status-lists/named.ts'
import { createStatusPublisher } from './status-lists/publish.ts'
import { createStatusSweep } from './status-lists/sweep.ts'
import { createTimeline } from './timeline.ts'

interface Gates {
  policyGate: PolicyGate
  trustGate: TrustGate
}

/** Parts of the engine that a format needs. */
export const composeEngine = (frame: Frame & Pick<DidArea, 'signers'> & Gates) => {
  const credentialStatus = createCredentialStatus(frame)
  return {
    entries: createStatusEntries(frame),
    issuing: createIssuing(frame),
    credentials: createCredentialReader(frame),
    credentialStatus,
    namedLists: createNamedLists({ ...frame, credentialStatus }),
    policyGate: frame.policyGate,
    trustGate: frame.trustGate,
  }
}

export type CredentialEngine = ReturnType<typeof composeEngine>

/** Operations that all formats share. */
export function composeCredentials(
  known: Frame & Pick<DidArea, 'signers'> & { formats: Formats; holderMessages: HolderMessages },
) {
  const revocations = createRevocations(known)
  const batchUploads = createBatchUploads(known)
  return {
    credentialSearch: createCredentialSearch(known),
    credentialTimeline: createTimeline(known),
    statusPublisher: createStatusPublisher({ ...known, statusKinds: known.formats.statusKinds }),
    revocations,
    notifications: createNotifications(known),
    notificationDelivery: createNotificationDelivery(known),
    batchUploads,
    batches: createBatches({ ...known, batchUploads, revocations }),
    batchFiles: createBatchFiles(known),
    batchSigning: createBatchSigning(known),
    batchEnds: createBatchEnds(known),
  }
}

type CredentialArea = ReturnType<typeof composeCredentials>
type Sweeping = Parameters<typeof createStatusSweep>[0]

/** Activities of the workflows of credentials. */
export const credentialActivities = (
  parts: Omit<Sweeping, 'statusPublisher'> & Pick<Frame, 'sql'> & CredentialArea,
) => ({
  ...createStatusSweep(parts),
  ...parts.batchSigning,
  ...parts.batchEnds,
  ...createRevocationSlices(parts),
  ...parts.notificationDelivery,
})
