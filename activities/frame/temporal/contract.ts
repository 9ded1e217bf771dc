import { createHash } from 'node:crypto'
import { WorkflowNotFoundError } from '@temporalio/client'
import { isUuid } from '../../../protocol/uuid.ts'
import {
  type About,
  type Payload,
  type SignalName,
  type StartedType,
  type StartedWorkflow,
  type Subject,
  type UpdateAnswer,
  type UpdateName,
  workflows,
} from '../../../protocol/workflows.ts'
import type { Temporal } from './index.ts'
import type { WorkflowStart } from './starts.ts'

/**
 * Name of an object in plain text: a UUID, or the SHA-256 of anything else. A DID may lead to a person, and whoever knows
 * it finds it by its digest all the same.
 */
const opaque = (name: string): string => (isUuid(name) ? name : createHash('sha256').update(name).digest('hex'))

/** Returns the start of a workflow as its contract makes it of the payload. */
export function workflowStart<Type extends StartedType>(
  workflowType: Type,
  payload: Payload<Type> & Subject<Type>,
  ...about: About<Type>
): WorkflowStart {
  const { area, objectId, others, id, summary }: StartedWorkflow<Type> = workflows[workflowType]
  const { tenantId } = payload
  const objectIds = others(...about).map(opaque)
  const subject = { tenantId, area, objectId: objectId(payload), objectIds, summary: summary(payload, ...about) }
  return { ...subject, workflowType, workflowId: id(payload), payload }
}

/** Signals the workflow of a subject; returns false where none runs. Throws `Unavailable('temporal')`. */
export async function signalWorkflow<Type extends StartedType>(
  { client, within }: Pick<Temporal, 'client' | 'within'>,
  workflowType: Type,
  subject: Subject<Type>,
  name: SignalName<Type>,
): Promise<boolean> {
  const { id }: StartedWorkflow<Type> = workflows[workflowType]
  try {
    await within(() => client.workflow.getHandle(id(subject)).signal(name))
    return true
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw error
  }
}

/**
 * Sends an update to the workflow of a subject, and returns the answer; starts the workflow where none runs. Throws
 * `Unavailable('temporal')`.
 */
export async function updateWorkflow<Type extends StartedType, Name extends UpdateName<Type>>(
  temporal: Pick<Temporal, 'updateWithStart'>,
  workflowType: Type,
  name: Name,
  payload: Payload<Type> & Subject<Type>,
  ...about: About<Type>
): Promise<UpdateAnswer<Type, Name>> {
  const answer = await temporal.updateWithStart(workflowStart(workflowType, payload, ...about), name)
  return answer as UpdateAnswer<Type, Name>
}
