import type { Request } from 'express'
import type { CreatedImport, NewImport } from '../../../activities/administration/transfers/imports.ts'
import type { Platform } from '../../../activities/index.ts'
import type { Called } from '../../frame/authentication.ts'
import { madeOf } from '../../frame/streams.ts'
import { openFile } from './upload.ts'

/** Creates an import from an upload. Throws `Replay` for a request that was answered before. */
export async function createImport(
  platform: Platform,
  called: Called & Request,
  wanted: NewImport,
): Promise<CreatedImport> {
  const file = openFile(called)
  return madeOf<CreatedImport>(called, file, {
    digestOf: platform.tenantImports.fileDigestOf,
    make: () => platform.tenantImports.receiveTenantImport(called.user, wanted, file),
  })
}
