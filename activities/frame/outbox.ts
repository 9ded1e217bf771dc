import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Refusal } from '../../protocol/errors.ts'
import type { About, Payload, StartedType, Subject } from '../../protocol/workflows.ts'
import { createSealer } from './sealing.ts'
import { pack, unpack } from './temporal/codec.ts'
import { workflowStart } from './temporal/contract.ts'
import type { WorkflowStart } from './temporal/starts.ts'

/** Temporal refuses a payload of 2 MiB, so a larger one must not be accepted now. */
export const MAX_PAYLOAD_BYTES = 2_000_000

/** Binds a payload to its row: in another row it does not open. */
const boundTo = ({ tenantId, workflowId }: Pick<WorkflowStart, 'tenantId' | 'workflowId'>) =>
  `${tenantId}/${workflowId}`

const WRITE_ALL = `insert into outbox (id, tenant_id, created_at, area, object_id, object_ids, workflow_type, workflow_id, summary, payload,
    attempts, next_attempt_at)
  select gen_random_uuid(), "tenantId", now(), area, "objectId", string_to_array("objectIds", ' '), "workflowType", "workflowId",
    summary, decode(payload, 'base64'), 0, now()
  from json_to_recordset(?::json) as start ("tenantId" uuid, area text, "objectId" text, "objectIds" text, "workflowType" text,
    "workflowId" text, summary text, payload text)
  on conflict (workflow_id) do nothing`

/** Rows of the outbox for any workflow. */
export function createOutboxRows(masterKey: Uint8Array) {
  const sealer = createSealer(masterKey, 'outbox')

  const seal = (start: WorkflowStart): Buffer => {
    const sealed = sealer.seal(pack(Buffer.from(JSON.stringify(start.payload ?? null))), boundTo(start))
    if (sealed.length <= MAX_PAYLOAD_BYTES) return sealed
    throw new Refusal(
      'workflow.payload_too_large',
      'The request is too large for a workflow: send fewer items in one request.',
    )
  }

  return {
    /** A second row with the same workflow id changes nothing. Throws `workflow.payload_too_large`. */
    async write(em: SqlEntityManager, start: WorkflowStart): Promise<void> {
      const { tenantId, area, objectId, objectIds = [], workflowType, workflowId, summary } = start
      const sealed = seal(start)
      await em.execute(
        `insert into outbox (id, tenant_id, created_at, area, object_id, object_ids, workflow_type, workflow_id, summary, payload, attempts,
           next_attempt_at)
         values (gen_random_uuid(), ?, now(), ?, ?, string_to_array(?, ' '), ?, ?, ?, ?, 0, now())
         on conflict (workflow_id) do nothing`,
        [tenantId, area, objectId, objectIds.join(' '), workflowType, workflowId, summary, sealed],
      )
    },

    /** As `write`, for any number of rows in one statement. */
    async writeAll(em: SqlEntityManager, starts: readonly WorkflowStart[]): Promise<void> {
      if (starts.length === 0) return
      const rows = starts.map((start) => {
        const { objectIds = [] } = start
        return { ...start, objectIds: objectIds.join(' '), payload: seal(start).toString('base64') }
      })
      await em.execute(WRITE_ALL, [JSON.stringify(rows)])
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
  const { write, writeAll, open } = createOutboxRows(masterKey)
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

    /** As `start`, of several workflows of one type in one statement. */
    async startAll<Type extends StartedType>(
      em: SqlEntityManager,
      workflowType: Type,
      payloads: readonly (Payload<Type> & Subject<Type>)[],
      ...about: About<Type>
    ): Promise<void> {
      await writeAll(
        em,
        payloads.map((payload) => workflowStart(workflowType, payload, ...about)),
      )
    },

    open,
  }
}

export type Outbox = ReturnType<typeof createOutbox>
