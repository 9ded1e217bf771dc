import type { DidArea } from '../dids/index.ts'
import type { Frame } from '../frame/index.ts'
import { createBatchEnds } from './batches/end.ts'
import { createBatchFiles } from './batches/files.ts'
import { createBatches } from './batches/index.ts'
import { createBatchOptions } from './batches/options.ts'
import { createBatchSigning } from './batches/sign.ts'
import { createBatchUploads } from './batches/upload.ts'
import { createNotificationDelivery } from './notifications.deliver.ts'
import { createNotifications } from './notifications.ts'
import { createRevocationSlices, createRevocations } from './revocations.ts'
import { createStatusEntries } from './status-lists/allocation.ts'
import { createCredentialStatus } from './status-lists/changes.ts'
import { createStatusPublisher } from './status-lists/publish.ts'
import { createStatusSweep } from './status-lists/sweep.ts'

/** What a format builds on. */
export const composeEngine = (frame: Frame) => ({
  entries: createStatusEntries(frame),
  credentialStatus: createCredentialStatus(frame),
})

export type CredentialEngine = ReturnType<typeof composeEngine>

/** What the engine signs batches with. */
type Format = Pick<Parameters<typeof createBatchSigning>[0], 'signing' | 'templateSigning'> &
  Pick<Parameters<typeof createBatchOptions>[0], 'contexts' | 'credentialTemplates'>

/** The verbs that all formats have in common. */
export function composeCredentials(known: Frame & Pick<DidArea, 'didResolver' | 'issuers'> & Format) {
  const revocations = createRevocations(known)
  const batchOptions = createBatchOptions(known)
  const batchUploads = createBatchUploads({ ...known, batchOptions })
  return {
    statusPublisher: createStatusPublisher(known),
    revocations,
    notifications: createNotifications(known),
    notificationDelivery: createNotificationDelivery(known),
    batchUploads,
    batches: createBatches({ ...known, batchUploads, batchOptions, revocations }),
    batchFiles: createBatchFiles(known),
    batchSigning: createBatchSigning(known),
    batchEnds: createBatchEnds(known),
  }
}

type CredentialArea = ReturnType<typeof composeCredentials>
type Sweeping = Parameters<typeof createStatusSweep>[0]

/** What workflows of credentials call. */
export const credentialActivities = (
  parts: Omit<Sweeping, 'statusPublisher'> & Pick<Frame, 'sql'> & CredentialArea,
) => ({
  ...createStatusSweep(parts),
  ...parts.batchSigning,
  ...parts.batchEnds,
  ...createRevocationSlices(parts),
  ...parts.notificationDelivery,
})
