import { Unavailable } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import { signalWorkflow, updateWorkflow } from '../../frame/temporal/contract.ts'

/** How this process reaches the workflows of sessions. The rows have what changed, so that nothing is lost without Temporal. */
export const createReach = ({ temporal, log }: Pick<Dependencies, 'temporal' | 'log'>) => ({
  async wake(tenantId: string, sessionId: string): Promise<void> {
    await signalWorkflow(temporal, 'issueOpenIdCredentials', { tenantId, sessionId }, 'changed').catch(
      (error: unknown) => {
        log.warn({ err: error, tenantId, sessionId }, 'the workflow of a session continues at its next look')
      },
    )
  },

  async proceed(tenantId: string, sessionId: string): Promise<void> {
    const subject = { tenantId, sessionId }
    await updateWorkflow(temporal, 'issueOpenIdCredentials', 'proceed', subject, { templateIds: [] }).catch(
      (error: unknown) => {
        if (!(error instanceof Unavailable)) throw error
        log.warn({ err: error, ...subject }, 'a wallet has to ask for its credential again')
      },
    )
  },
})

export type Reach = ReturnType<typeof createReach>
