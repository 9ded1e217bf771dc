import { createHash, type Hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Upload } from '../../../activities/credentials/batches/upload.ts'
import { type BatchOptions, rowKindOf } from '../../../protocol/credentials/batches.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { gunzipped, type Received, received } from '../../frame/streams.ts'
import { csvRows, jsonRows, measured } from './rows.ts'

const TYPES: [RegExp, Upload['source']][] = [
  [/^application\/(x-ndjson|jsonl|x-jsonlines)\s*(;\s*charset="?utf-8"?\s*)?$/i, 'jsonl'],
  [/^text\/csv\s*(;\s*(charset="?utf-8"?|header=present)\s*)*$/i, 'csv'],
]

const sourceOf = ({ headers }: IncomingMessage): Upload['source'] => {
  const [, source] = TYPES.find(([pattern]) => pattern.test(headers['content-type'] ?? '')) ?? []
  if (source) return source
  throw new Refusal(
    'request.unsupported_media_type',
    'An upload is JSON lines or CSV. Send application/x-ndjson or text/csv, in UTF-8.',
  )
}

/** The body as it arrives, decompressed. The connection stays open when reading stops early: the response needs it. */
async function* bytesOf(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding !== 'identity' && encoding !== 'gzip')
    throw new Refusal('request.unsupported_media_type', 'This Content-Encoding is not supported. Use gzip or none.')
  const sent = request.iterator({ destroyOnReturn: false })
  try {
    yield* encoding === 'gzip' ? gunzipped(sent) : sent
  } catch {
    throw new Refusal(
      'request.malformed',
      'The upload was interrupted, or its bytes do not match its Content-Encoding. Send it again.',
    )
  }
}

/** Throws `Refusal('request.unsupported_media_type')`; reading throws what jsonRows and csvRows do. */
export function openUpload(request: IncomingMessage, options: BatchOptions, delimiter: string): Upload & Received {
  const source = sourceOf(request)
  const kind = rowKindOf(options)
  const hash: Hash = createHash('sha256')
  const bytes = () => measured(bytesOf(request), hash)
  return {
    source,
    options,
    rows: (checkColumns) =>
      source === 'csv' ? csvRows(bytes(), delimiter, kind, checkColumns) : jsonRows(bytes(), kind),
    ...received(request, hash, bytes),
  }
}
