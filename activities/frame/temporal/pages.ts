import type { Dependencies } from '../../dependencies.ts'

/** A workflow where people look at it; `url` where the operator shows callers the Temporal UI. */
export interface WorkflowPage {
  id: string
  path: string
  url?: string
}

/**
 * Pages of workflows in the Temporal UI. Without a run id the UI shows the last run, and lists the others.
 */
export function createWorkflowPages({
  config: { temporal, temporalUiPublicUrl },
}: {
  config: Pick<Dependencies['config'], 'temporal' | 'temporalUiPublicUrl'>
}) {
  const uiUrl = temporalUiPublicUrl?.replace(/\/$/, '')
  return (id: string): WorkflowPage => {
    const path = `/namespaces/${encodeURIComponent(temporal.namespace)}/workflows/${encodeURIComponent(id)}`
    return { id, path, ...(uiUrl && { url: `${uiUrl}${path}` }) }
  }
}
