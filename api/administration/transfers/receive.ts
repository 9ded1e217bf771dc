import type { Request } from 'express'
import type { CreatedImport, NewImport } from '../../../activities/administration/transfers/imports.ts'
import type { Platform } from '../../../activities/index.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Called } from '../../frame/authentication.ts'
import { type OpenFile, openFile } from './upload.ts'

/** The Idempotency-Key was used before. The body must be the same too: it is read again for its digest. */
async function requireSameBody(platform: Platform, id: string, file: OpenFile): Promise<void> {
  const before = await platform.tenantImports.fileDigestOf(id)
  if (before?.equals(await file.reread())) return
  throw new Refusal(
    'idempotency.key_reused',
    'This Idempotency-Key was used with another request. Use a new key for a new request.',
  )
}

/** Creates an import from an upload. Throws `Replay` for a request that was answered before. */
export async function createImport(
  platform: Platform,
  called: Called & Request,
  wanted: NewImport,
): Promise<CreatedImport> {
  const { user, replay } = called
  const file = openFile(called)
  try {
    const effect = user.idempotency?.effect as CreatedImport | undefined
    const importId = replay ? String((replay.body() as { id: string }).id) : effect?.id
    if (importId !== undefined) await requireSameBody(platform, importId, file)
    if (replay) throw replay
    return effect ?? (await platform.tenantImports.receiveTenantImport(user, wanted, file))
  } catch (error) {
    await file.drain()
    throw error
  }
}
