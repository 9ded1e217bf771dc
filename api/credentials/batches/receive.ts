import type { Request } from 'express'
import type { BatchRecord } from '../../../activities/credentials/batches/record.ts'
import type { Platform } from '../../../activities/index.ts'
import type { Called } from '../../frame/authentication.ts'
import { madeOf } from '../../frame/streams.ts'
import { allowedFormats } from '../scopes.ts'
import { openUpload } from './upload.ts'
import { type BatchQuery, toOptions } from './wire.ts'

/** Creates a batch from an upload. Throws `Replay` for a request that was answered before. */
export async function createBatch(
  platform: Platform,
  called: Called & Request,
  query: BatchQuery,
): Promise<BatchRecord> {
  const { user } = called
  const { options, delimiter } = toOptions(query)
  allowedFormats(called, 'write', [options.format])
  const upload = openUpload(called, options, delimiter)
  return madeOf<BatchRecord>(called, upload, {
    digestOf: (id) => platform.batchUploads.digestOf(user.tenantId, id),
    make: () => platform.batchUploads.receive(user, upload),
  })
}
