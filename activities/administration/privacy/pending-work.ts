import { defineWork, type WorkRow } from '../../frame/pending-work.ts'

/** An erasure until everything is erased. */
export const personErasureWork = defineWork<'erasePerson', WorkRow & { round: number }>({
  workflowType: 'erasePerson',
  table: 'erasures',
  columns: 'w.round',
  underWay: `w.state = 'ERASING'`,
  since: 'w.started_at',
  payload: ({ tenantId, id, round }) => ({ tenantId, erasureId: id, round }),
  about: () => [],
})
