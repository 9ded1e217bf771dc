import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow'
import type { Exporting } from '../../activities/administration/transfers/exporting.ts'
import type { Importing } from '../../activities/administration/transfers/importing.ts'
import type { ExportState, ImportState } from '../../protocol/administration/transfers/work.ts'
import type { Payload } from '../../protocol/workflows.ts'
import { chunk } from '../options.ts'
import { createProgressLine } from '../progress.ts'

const { writeTenantExport } = proxyActivities<Exporting>(chunk)
const { continueTenantImport } = proxyActivities<Importing>(chunk)

/** Writes the file of a tenant, some seconds at a time; the row has how far it is. */
export async function exportTenant(subject: Payload<'exportTenant'>): Promise<ExportState> {
  const show = createProgressLine()
  for (;;) {
    const { state, rows } = await writeTenantExport(subject)
    if (state !== 'RUNNING') return state
    show(`export ${subject.exportId}: ${rows} rows written`)
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof exportTenant>(subject)
  }
}

/** Checks the lines of a file, and then writes them into a new tenant, which is found when the last one is there. */
export async function importTenant(subject: Payload<'importTenant'>): Promise<ImportState> {
  const show = createProgressLine()
  for (;;) {
    const { state, lines } = await continueTenantImport(subject)
    if (state === 'DONE' || state === 'FAILED') return state
    show(`import ${subject.importId}: ${state === 'CHECKING' ? 'checked' : 'wrote'} ${lines} lines`)
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof importTenant>(subject)
  }
}
