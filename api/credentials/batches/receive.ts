import type { Request } from 'express'
import type { BatchRecord } from '../../../activities/credentials/batches/record.ts'
import type { Platform } from '../../../activities/index.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Called } from '../../frame/authentication.ts'
import { allowedFormats } from '../scopes.ts'
import { type OpenUpload, openUpload } from './upload.ts'
import { type BatchQuery, toOptions } from './wire.ts'

/** The Idempotency-Key was used before. The body must be the same too: it is read again for its digest. */
async function requireSameBody(platform: Platform, tenantId: string, id: string, upload: OpenUpload): Promise<void> {
  const before = await platform.batchUploads.digestOf(tenantId, id)
  if (before?.equals(await upload.reread())) return
  throw new Refusal(
    'idempotency.key_reused',
    'This Idempotency-Key was used with another request. Use a new key for a new request.',
  )
}

/** Creates a batch from an upload. Throws `Replay` for a request that was answered before. */
export async function createBatch(
  platform: Platform,
  called: Called & Request,
  query: BatchQuery,
): Promise<BatchRecord> {
  const { user, replay } = called
  const { options, delimiter } = toOptions(query)
  allowedFormats(called, 'write', [options.format])
  const upload = openUpload(called, options, delimiter)
  try {
    const effect = user.idempotency?.effect as BatchRecord | undefined
    const batchId = replay ? String((replay.body() as { id: string }).id) : effect?.id
    if (batchId !== undefined) await requireSameBody(platform, user.tenantId, batchId, upload)
    if (replay) throw replay
    return effect ?? (await platform.batchUploads.receive(user, upload))
  } catch (error) {
    await upload.drain()
    throw error
  }
}
