import type { Config } from '../../config.ts'
import { defineWork, type WorkRow } from '../frame/work.ts'

/** The idempotency key of a registration, and its address in Temporal. */
export const registrationId = ({ tenantId, didId }: { tenantId: string; didId: string }) =>
  `${tenantId}/dids/${didId}/register`

/** A did:web until the world resolves it. */
export const registrationWork = ({ didWeb }: Pick<Config, 'didWeb'>) =>
  defineWork<WorkRow>({
    workflowType: 'registerWebDid',
    table: 'dids',
    underWay: `w.registration_status = 'PROCESSING' and w.deleted_at is null`,
    since: 'w.created_at',
    start: ({ tenantId, id: didId }) => ({
      area: 'dids',
      workflowId: registrationId({ tenantId, didId }),
      summary: `register did:web ${didId}`,
      payload: { tenantId, didId, ...didWeb },
    }),
  })

/** A deleted DID until its keys are destroyed; then its row goes. */
export const deletionWork = defineWork<WorkRow>({
  workflowType: 'deleteDid',
  table: 'dids',
  underWay: 'w.deleted_at is not null',
  since: 'w.deleted_at',
  start: ({ tenantId, id: didId }) => ({
    area: 'dids',
    workflowId: `${tenantId}/dids/${didId}/delete`,
    summary: `destroy the keys and rows of DID ${didId}`,
    payload: { tenantId, didId },
  }),
})
