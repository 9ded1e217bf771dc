import { createExporting } from '../../../activities/administration/transfers/exporting.ts'
import { tenantsOf } from '../administration.ts'
import type { World } from '../world.ts'
import { transfersOf } from './transfers.ts'

export interface TransferSample {
  /** With a file, and an export under way for as long as no worker is there. */
  exportedTenantId: string
  exportId: string
  /** Of that file. */
  importId: string
}

/** A tenant with a file, with another export under way, and an import of the file. */
export async function makeTransferSample(world: World, token: string): Promise<TransferSample> {
  const transfers = transfersOf(world, token)
  const { id: exportedTenantId } = await tenantsOf(world, token).created()
  const idOf = (text: string) => (JSON.parse(text) as { id: string }).id
  const exportId = idOf((await transfers.create(exportedTenantId)).text)
  // in place of a worker; where there is one as well, the row is whole already
  await createExporting(world.dependencies).writeTenantExport({ tenantId: world.first.tenantId, exportId })
  const file = await transfers.content(exportedTenantId, exportId)
  await transfers.create(exportedTenantId)
  const importId = idOf((await transfers.import(file)).text)
  return { exportedTenantId, exportId, importId }
}
