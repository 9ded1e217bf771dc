import type { Config } from '../../config.ts'
import { defineWork, type WorkRow } from '../frame/pending-work.ts'

/** A did:web until it resolves publicly. */
export const registrationWork = ({ didWeb }: Pick<Config, 'didWeb'>) =>
  defineWork<'registerWebDid', WorkRow & { did: string }>({
    workflowType: 'registerWebDid',
    table: 'dids',
    columns: 'w.did',
    underWay: `w.registration_status = 'PROCESSING' and w.deleted_at is null`,
    since: 'w.created_at',
    payload: ({ tenantId, id }) => ({ tenantId, didId: id, ...didWeb }),
    about: ({ did }) => [{ did }],
  })

/** A deleted DID until its keys and its row are deleted. */
export const deletionWork = defineWork<'deleteDid', WorkRow & { did: string }>({
  workflowType: 'deleteDid',
  table: 'dids',
  columns: 'w.did',
  underWay: 'w.deleted_at is not null',
  since: 'w.deleted_at',
  payload: ({ tenantId, id }) => ({ tenantId, didId: id }),
  about: ({ did }) => [{ did }],
})
