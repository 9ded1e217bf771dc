import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FileUpload } from '../../../activities/administration/transfers/reception.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { gunzipped, type Received, received } from '../../frame/streams.ts'

const GZIP = /^application\/(gzip|x-gzip)$/i
const LINES = /^application\/x-ndjson\s*(;\s*charset="?utf-8"?\s*)?$/i

/** Whether the body is compressed: as the file is, or on its way. */
function isCompressed({ headers }: IncomingMessage): boolean {
  const type = headers['content-type'] ?? ''
  const encoding = (headers['content-encoding'] ?? 'identity').toLowerCase()
  if (GZIP.test(type) && encoding === 'identity') return true
  if (LINES.test(type) && (encoding === 'identity' || encoding === 'gzip')) return encoding === 'gzip'
  throw new Refusal(
    'request.unsupported_media_type',
    'The file of a tenant is application/gzip, as an export writes it, or application/x-ndjson in UTF-8.',
  )
}

/** Throws `request.unsupported_media_type`; reading throws `request.malformed`. */
export function openFile(request: IncomingMessage): FileUpload & Received {
  const compressed = isCompressed(request)
  const hash = createHash('sha256')
  let length = 0
  async function* body(): AsyncGenerator<Uint8Array> {
    // the connection stays open when reading stops early: the response needs it
    for await (const bytes of request.iterator({ destroyOnReturn: false })) {
      length += bytes.length
      hash.update(bytes)
      yield bytes
    }
  }
  async function* plain(): AsyncGenerator<Uint8Array> {
    try {
      yield* compressed ? gunzipped(body()) : body()
    } catch {
      if (length === 0) return // no bytes are no gzip: what reads the lines says that the file is empty
      throw new Refusal(
        'request.malformed',
        'The upload was interrupted, or it is not gzip to its end. Send the file as it was downloaded.',
      )
    }
  }
  return {
    plain: plain(),
    received: () => length,
    ...received(request, hash, body),
  }
}
