import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Refusal } from '../../protocol/errors.ts'
import type { About, Payload, StartedType, Subject } from '../../protocol/workflows.ts'
import { createSealer } from './sealing.ts'
import { pack, unpack } from './temporal/codec.ts'
import { workflowStart } from './temporal/contract.ts'
import type { WorkflowStart } from './temporal/index.ts'

/** Temporal refuses a payload of 2 MiB, so a larger one must not be accepted now. */
export const MAX_PAYLOAD_BYTES = 2_000_000

/** Binds a payload to its row: in another row it does not open. */
const boundTo = ({ tenantId, workflowId }: Pick<WorkflowStart, 'tenantId' | 'workflowId'>) =>
  `${tenantId}/${workflowId}`

/** Rows of the outbox for any workflow. */
export function createOutboxRows(masterKey: Uint8Array) {
  const sealer = createSealer(masterKey, 'outbox')
  return {
    /** A second row with the same workflow id changes nothing. Throws `workflow.payload_too_large`. */
    async write(em: SqlEntityManager, start: WorkflowStart): Promise<void> {
      const { tenantId, area, objectId, objectIds = [], workflowType, workflowId, summary, payload } = start
      const sealed = sealer.seal(pack(Buffer.from(JSON.stringify(payload ?? null))), boundTo(start))
      if (sealed.length > MAX_PAYLOAD_BYTES) {
        throw new Refusal(
          'workflow.payload_too_large',
          'The request is too large for a workflow: send fewer items in one request.',
        )
      }
      await em.execute(
        `insert into outbox (id, tenant_id, created_at, area, object_id, object_ids, workflow_type, workflow_id, summary, payload, attempts,
           next_attempt_at)
         values (gen_random_uuid(), ?, now(), ?, ?, string_to_array(?, ' '), ?, ?, ?, ?, 0, now())
         on conflict (workflow_id) do nothing`,
        [tenantId, area, objectId, objectIds.join(' '), workflowType, workflowId, summary, sealed],
      )
    },

    /** Returns the payload of a row. Throws when the row was altered. */
    open: (row: { tenantId: string; workflowId: string; payload: Uint8Array }): unknown =>
      JSON.parse(unpack(sealer.open(row.payload, boundTo(row))).toString('utf8')),
  }
}

export type OutboxRows = ReturnType<typeof createOutboxRows>

/**
 * The table between a commit and Temporal. Whatever must happen after a commit is written here in the same transaction;
 * the relay (outbox.relay.ts) starts it. "Save, then start" would lose it in a crash between the two.
 */
export function createOutbox(masterKey: Uint8Array) {
  const { write, open } = createOutboxRows(masterKey)
  return {
    /**
     * Requests the start of a workflow once the caller's transaction commits. The workflow id, which the contract makes
     * of the payload, is the idempotency key: the second request with the same id changes nothing. Throws
     * `workflow.payload_too_large`.
     */
    async start<Type extends StartedType>(
      em: SqlEntityManager,
      workflowType: Type,
      payload: Payload<Type> & Subject<Type>,
      ...about: About<Type>
    ): Promise<void> {
      await write(em, workflowStart(workflowType, payload, ...about))
    },

    open,
  }
}

export type Outbox = ReturnType<typeof createOutbox>
