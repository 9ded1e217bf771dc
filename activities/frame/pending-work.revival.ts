import { WorkflowNotFoundError } from '@temporalio/client'
import {
  type SignalName,
  type StartedType,
  type StartedWorkflow,
  type Subject,
  workflows,
} from '../../protocol/workflows.ts'
import type { Dependencies } from '../dependencies.ts'
import type { FoundWork, Work } from './pending-work.ts'
import { signalWorkflow } from './temporal/contract.ts'

/** Of a workflow id: what Temporal says of its last run. */
type RunState = 'running' | 'unknown' | 'ended by an operator' | 'closed'

/** `left`: an operator ended the workflow (D-189). `over`: the row says by now that the work is done. */
export type Revival = 'running' | 'started' | 'left' | 'over'

const ENDED_BY_HAND = ['TERMINATED', 'CANCELLED']

/** Starts work again of which Temporal has lost the workflow, or which its workflow left undone. */
export function createRevival({ systemSql, temporal, log }: Pick<Dependencies, 'systemSql' | 'temporal' | 'log'>) {
  async function stateOf(workflowId: string): Promise<RunState> {
    try {
      const { status } = await temporal.within(() => temporal.client.workflow.getHandle(workflowId).describe())
      if (status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW') return 'running'
      return ENDED_BY_HAND.includes(status.name) ? 'ended by an operator' : 'closed'
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return 'unknown'
      throw error
    }
  }

  /**
   * `always`: also where an operator ended the workflow. The row is read once more after Temporal was asked: a workflow
   * writes its row before it closes, so one that is under way still has nobody. Safe to repeat, and of two at once one
   * starts.
   */
  async function revive(work: Work, { id, start }: FoundWork, { always = false } = {}): Promise<Revival> {
    const runState = await stateOf(start.workflowId)
    if (runState === 'running') return 'running'
    if (runState === 'ended by an operator' && !always) return 'left'
    const [current] = await work.find(systemSql, { ids: [id] })
    if (!current) return 'over'
    await temporal.startWorkflow(current.start, { again: true })
    const { tenantId, workflowId } = current.start
    log.warn({ tenantId, workflowId, found: runState }, 'work under way had no workflow: started again')
    return 'started'
  }

  return {
    revive,

    /** Tells the workflow of a row that the row changed; where none runs, one is started for what is left to do. */
    async signal<Type extends StartedType>(
      work: Work<Type>,
      subject: Subject<Type>,
      name: SignalName<Type>,
    ): Promise<void> {
      if (await signalWorkflow(temporal, work.workflowType, subject, name)) return
      const { objectId }: StartedWorkflow<Type> = workflows[work.workflowType]
      const [row] = await work.find(systemSql, { ids: [objectId(subject)] })
      if (row) await revive(work, row, { always: true })
    },
  }
}

export type WorkRevival = ReturnType<typeof createRevival>
