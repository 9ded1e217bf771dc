import type { Config } from '../../config.ts'
import { defineWork } from '../frame/pending-work.ts'

/** A did:web until it resolves publicly. */
export const registrationWork = ({ didWeb }: Pick<Config, 'didWeb'>) =>
  defineWork<'registerWebDid'>({
    workflowType: 'registerWebDid',
    table: 'dids',
    underWay: `w.registration_status = 'PROCESSING' and w.deleted_at is null`,
    since: 'w.created_at',
    payload: ({ tenantId, id }) => ({ tenantId, didId: id, ...didWeb }),
    about: () => [],
  })

/** A deleted DID until its keys and its row are deleted. */
export const deletionWork = defineWork<'deleteDid'>({
  workflowType: 'deleteDid',
  table: 'dids',
  underWay: 'w.deleted_at is not null',
  since: 'w.deleted_at',
  payload: ({ tenantId, id }) => ({ tenantId, didId: id }),
  about: () => [],
})
