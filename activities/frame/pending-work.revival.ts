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
import { isEndedByServer } from './temporal/ending.ts'

/** State of the last run of a workflow id, by Temporal. */
type RunState = 'running' | 'unknown' | 'ended by an operator' | 'closed'

/** `left`: an operator ended the workflow (D-189). `over`: by its row the work is done now. */
export type Revival = 'running' | 'started' | 'left' | 'over'

const ENDED_BY_HAND = ['TERMINATED', 'CANCELLED']

/** Starts work again whose workflow Temporal has lost, or whose workflow ended too early. */
export function createRevival({ systemSql, temporal, log }: Pick<Dependencies, 'systemSql' | 'temporal' | 'log'>) {
  async function stateOf(workflowId: string): Promise<RunState> {
    try {
      const { status, runId } = await temporal.within(() => temporal.client.workflow.getHandle(workflowId).describe())
      if (status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW') return 'running'
      if (status.name === 'TERMINATED' && (await isEndedByServer(temporal, { workflowId, runId }))) return 'closed'
      return ENDED_BY_HAND.includes(status.name) ? 'ended by an operator' : 'closed'
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return 'unknown'
      throw error
    }
  }

  /**
   * Starts a workflow for a row that has none. `always`: also where an operator ended the workflow. Reads the row again
   * after Temporal: a workflow writes its row before it closes, so a row still under way has no workflow. Safe to
   * repeat; of two concurrent calls one starts it.
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

    /** Signals the workflow of a row; where none runs, starts one if the row is still under way. */
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
