import type { Request } from 'express'
import type { BatchRecord } from '../../../activities/credentials/batches/record.ts'
import type { Platform } from '../../../activities/index.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Called } from '../../frame/authentication.ts'
import { type OpenUpload, openUpload } from './upload.ts'
import { type BatchQuery, toOptions } from './wire.ts'

/** The key is known; the body has to be the same too, which its digest tells once it has been read again. */
async function requireSameBody(platform: Platform, tenantId: string, id: string, upload: OpenUpload): Promise<void> {
  const before = await platform.batchUploads.digestOf(tenantId, id)
  if (before?.equals(await upload.reread())) return
  throw new Refusal(
    'idempotency.key_reused',
    'This Idempotency-Key came with another request before. Use a new key for a new request.',
  )
}

/** One upload, from the open connection to the batch. Throws `Replay` for one that was answered before. */
export async function createBatch(
  platform: Platform,
  called: Called & Request,
  query: BatchQuery,
): Promise<BatchRecord> {
  const { user, replay } = called
  const { options, delimiter } = toOptions(query)
  const upload = openUpload(called, options, delimiter)
  try {
    const effect = user.idempotency?.effect as BatchRecord | undefined
    const known = replay ? String((replay.body() as { id: string }).id) : effect?.id
    if (known !== undefined) await requireSameBody(platform, user.tenantId, known, upload)
    if (replay) throw replay
    return effect ?? (await platform.batchUploads.receive(user, upload))
  } catch (error) {
    await upload.drain()
    throw error
  }
}
